import CReceiptCrypto
import Synchronization

/// A chain that was found good: signer, intermediate, anchor, and the signer's decoded key.
@safe
final class CertificateChain: @unchecked Sendable {
    private let pointer: OpaquePointer
    /// Keeps what the chain's C object points into.
    private let anchors: AnchorStore

    /// DER.
    private let signer: [UInt8]
    /// Nil where an anchor signed, or is, the signer.
    private let intermediate: [UInt8]?
    private let anchor: [UInt8]?

    /// What the certificates say, put into words when somebody asks.
    private let facts = Mutex<[CertificateFacts]>([])

    let realm: TrustRealm
    /// When the signer's certificate ends.
    let signerNotAfter: Timestamp
    /// When a search finds this very chain, in seconds since 1970, both ends inclusive: all of its certificates are
    /// valid then, and no path that comes before it is good. Nil where that cannot be said.
    private let times: ClosedRange<Int64>?

    init(
        _ pointer: OpaquePointer, anchors: AnchorStore, from signer: Certificate,
        over intermediate: Certificate?,
        of bytes: Span<UInt8>
    ) {
        let anchor = unsafe anchors.list[receipt_crypto_chain_anchor(pointer)]
        unsafe self.pointer = pointer
        self.anchors = anchors
        self.signer = signer.der.map { bytes[$0] }
        self.intermediate = intermediate.map { $0.der.map { bytes[$0] } }
        self.anchor = unsafe receipt_crypto_chain_count(pointer) > 1 ? anchor.der : nil
        realm = anchor.realm
        signerNotAfter = Validity(of: signer, in: bytes).notAfter
        var first: Int64 = 0
        var last: Int64 = 0
        unsafe receipt_crypto_chain_times(pointer, &first, &last)
        times = first <= last ? first...last : nil
    }

    var context: CryptoContext { anchors.context }

    /// From the signer to the anchor, in DER.
    var encodings: [[UInt8]] { [signer, intermediate, anchor].compactMap { $0 } }

    /// From the signer to the anchor.
    var certificates: [CertificateFacts] {
        facts.withLock { facts in
            if facts.isEmpty {
                facts = encodings.compactMap { CertificateFacts(der: $0, in: anchors.context) }
            }
            return facts
        }
    }

    deinit { unsafe receipt_crypto_chain_free(pointer) }

    /// Whether a search from this signer over these candidates at that time finds this chain, whatever the candidates
    /// behind the first one are.
    ///
    /// A search ends at the first good path to an anchor that demands markers, none of which leads past the first
    /// candidate if it leads over that one. To a StoreKit Test certificate it comes after all candidates, so there must
    /// be none.
    func isFound(
        from signer: Certificate, over candidates: [Certificate], of bytes: Span<UInt8>, at time: Timestamp
    ) -> Bool {
        guard isFound(at: time), self.signer.isEqual(to: signer, of: bytes)
        else { return false }
        guard let first = candidates.first else { return intermediate == nil }
        guard let intermediate, realm != .storeKitTest else { return false }
        return intermediate.isEqual(to: first, of: bytes)
    }

    /// Whether the same certificates make this chain at that time.
    func isFound(at time: Timestamp) -> Bool { times?.contains(time.secondsSince1970) ?? false }

    /// Whether both say the same for the same times.
    func isSame(as other: CertificateChain) -> Bool {
        times == other.times && encodings == other.encodings
    }

    /// Whether the signer's key is on an elliptic curve; otherwise it is RSA.
    var isElliptic: Bool { unsafe receipt_crypto_chain_is_elliptic(pointer) }

    /// Whether the signer's key made the signature over the digest.
    /// - Parameter isECDSA: the signature is an Ecdsa-Sig-Value; otherwise it is RSA, PKCS #1 v1.5. False where the key is
    ///   of the other kind.
    func verify(
        _ signature: Span<UInt8>, of digest: Digest, _ algorithm: DigestAlgorithm, isECDSA: Bool = false
    ) throws(ReceiptError) -> Bool {
        var value = digest.value
        return try unsafe isOK(
            signature.withSlice {
                unsafe receipt_crypto_chain_verify(pointer, algorithm.crypto, isECDSA, &value, $0)
            })
    }

    /// Whether the signer's key made the signature over the SHA-256 digest (ES256: r and s, side by side).
    func verifyES256(_ signature: Span<UInt8>, of digest: Digest) throws(ReceiptError) -> Bool {
        var value = digest.value
        return try unsafe isOK(
            signature.withSlice { unsafe receipt_crypto_chain_verify_es256(pointer, &value, $0) })
    }

    private func isOK(_ status: receipt_crypto_status) throws(ReceiptError) -> Bool {
        if status == RECEIPT_CRYPTO_UNAVAILABLE { throw .cryptographyUnavailable }
        return status == RECEIPT_CRYPTO_OK
    }
}

extension [UInt8] {
    fileprivate func isEqual(to certificate: Certificate, of bytes: Span<UInt8>) -> Bool {
        unsafe span.withSlice { left in
            unsafe bytes.extracting(certificate.der).withSlice { right in
                unsafe receipt_crypto_same(left, right)
            }
        }
    }
}
