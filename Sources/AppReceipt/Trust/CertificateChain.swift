import CReceiptCrypto
import Synchronization

/// A valid chain: signer, intermediate, trust anchor, and the decoded key of the signer.
@safe
final class CertificateChain: @unchecked Sendable {
    let pointer: OpaquePointer
    /// The owner of the memory that the chain's C object refers to.
    private let anchors: AnchorStore

    /// The signer's certificate in DER.
    private let signer: [UInt8]
    /// The intermediate in DER. Nil if a trust anchor issued the signer's certificate, or if that certificate
    /// is the anchor.
    private let intermediate: [UInt8]?
    private let anchor: [UInt8]?

    /// The claims of the certificates, created on first use.
    private let facts = Mutex<[CertificateFacts]>([])

    /// The entries of revocation lists for the chain, or nil if the verifier checks none.
    private(set) var revocation: ChainRevocation?

    let realm: TrustAnchorKind
    /// The end of the validity of the signer's certificate.
    let signerNotAfter: Timestamp
    /// The times, in seconds since 1970 and both inclusive, at which a search finds exactly this chain. At
    /// these times, all of its certificates are valid. No path that a search tries before this one is valid.
    /// Nil if the times are unknown.
    private let times: ClosedRange<Int64>?

    init(
        _ pointer: OpaquePointer, anchors: AnchorStore, from signer: Certificate,
        over intermediate: Certificate?,
        of bytes: Span<UInt8>
    ) throws(ReceiptError) {
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
        revocation = try anchors.revocations?.revocation(of: encodings)
    }

    var context: CryptoContext { anchors.context }

    /// The certificates in DER, from the signer to the trust anchor.
    var encodings: [[UInt8]] { [signer, intermediate, anchor].compactMap { $0 } }

    /// The claims of the certificates, from the signer to the trust anchor.
    var certificates: [CertificateFacts] {
        facts.withLock { facts in
            if facts.isEmpty {
                facts = encodings.compactMap { CertificateFacts(der: $0, in: anchors.context) }
            }
            return facts
        }
    }

    deinit { unsafe receipt_crypto_chain_free(pointer) }

    /// Returns whether a search from this signer through these candidates finds this chain at that time.
    /// Candidates after the first one have no effect.
    ///
    /// A search ends at the first valid path to an anchor that requires marker extensions. If the path
    /// through the first candidate is valid, no path through a later one comes before it. Paths to a StoreKit
    /// Test certificate are tried after all other paths. If there are candidates, the result for a chain to
    /// such a certificate is therefore false.
    func isFound(
        from signer: Certificate, over candidates: [Certificate], of bytes: Span<UInt8>, at time: Timestamp
    ) -> Bool {
        guard isFound(at: time), self.signer.isEqual(to: signer, of: bytes)
        else { return false }
        guard let first = candidates.first else { return intermediate == nil }
        guard let intermediate, realm != .storeKitTest else { return false }
        return intermediate.isEqual(to: first, of: bytes)
    }

    /// Returns whether a search with the same certificates finds this chain at that time.
    func isFound(at time: Timestamp) -> Bool { times?.contains(time.secondsSince1970) ?? false }

    /// Returns whether both chains have the same certificates and times.
    func isSame(as other: CertificateChain) -> Bool {
        times == other.times && encodings == other.encodings
    }

    /// Whether the signer's key is on an elliptic curve. Otherwise, it is RSA.
    var isElliptic: Bool { unsafe receipt_crypto_chain_is_elliptic(pointer) }

    /// Returns whether the signature over the digest was made with the signer's key.
    /// - Parameter isECDSA: whether the signature is an Ecdsa-Sig-Value. Otherwise, it is RSA PKCS #1 v1.5.
    ///   The result is false if the key is of the other type.
    func verify(
        _ signature: Span<UInt8>, of digest: Digest, _ algorithm: DigestAlgorithm, isECDSA: Bool = false
    ) throws(ReceiptError) -> Bool {
        var value = digest.value
        return try unsafe isOK(
            signature.withSlice {
                unsafe receipt_crypto_chain_verify(pointer, algorithm.crypto, isECDSA, &value, $0)
            })
    }

    /// Returns whether the ES256 signature, r followed by s, over the SHA-256 digest was made with the
    /// signer's key.
    func verifyES256(_ signature: Span<UInt8>, of digest: Digest) throws(ReceiptError) -> Bool {
        var value = digest.value
        return try unsafe isOK(
            signature.withSlice { unsafe receipt_crypto_chain_verify_es256(pointer, &value, $0) })
    }

    /// Whether signatures of the signer can be checked together with others.
    var canCheckTogether: Bool { unsafe receipt_crypto_chain_has_lanes(pointer) }

    private func isOK(_ status: receipt_crypto_status) throws(ReceiptError) -> Bool {
        if status == RECEIPT_CRYPTO_UNAVAILABLE { throw .cryptographyUnavailable }
        return status == RECEIPT_CRYPTO_OK
    }
}

extension [UInt8] {
    fileprivate func isEqual(to certificate: Certificate, of bytes: Span<UInt8>) -> Bool {
        span.isEqual(to: bytes.extracting(certificate.der))
    }
}
