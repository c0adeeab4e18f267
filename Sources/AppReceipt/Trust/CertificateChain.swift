import CReceiptCrypto
import Synchronization

/// A chain that was found good: signer, intermediate, anchor, and the signer's decoded key.
@safe
final class CertificateChain: @unchecked Sendable {
    private let pointer: OpaquePointer
    /// Keeps what the chain's C object points into.
    private let anchors: AnchorStore

    /// What the certificates say, put into words when somebody asks: that costs as much as checking the
    /// chain.
    private let facts = Mutex<[CertificateFacts]>([])

    let realm: TrustRealm
    /// When all of its certificates are valid, in seconds since 1970, both ends inclusive.
    let validity: ClosedRange<Int64>

    init(_ pointer: OpaquePointer, anchors: AnchorStore) {
        unsafe self.pointer = pointer
        self.anchors = anchors
        realm = unsafe anchors.realms[receipt_crypto_chain_anchor(pointer)]
        var first = Int64.min
        var last = Int64.max
        for index in unsafe 0..<receipt_crypto_chain_count(pointer) {
            var notBefore: Int64 = 0
            var notAfter: Int64 = 0
            unsafe receipt_crypto_certificate_validity(
                receipt_crypto_chain_certificate(pointer, index), &notBefore, &notAfter)
            first = max(first, notBefore)
            last = min(last, notAfter)
        }
        // A chain is made only where it is valid at some instant, so the range is not empty.
        validity = first...max(first, last)
    }

    /// From the signer to the anchor.
    var certificates: [CertificateFacts] {
        facts.withLock { facts in
            if facts.isEmpty {
                facts = unsafe (0..<receipt_crypto_chain_count(pointer)).map { index in
                    unsafe CertificateFacts(
                        receipt_crypto_chain_certificate(pointer, index), in: anchors.context)
                }
            }
            return facts
        }
    }

    deinit { unsafe receipt_crypto_chain_free(pointer) }

    /// Whether the signer's key made the signature over the digest (RSA, PKCS #1 v1.5).
    func verify(_ signature: Span<UInt8>, of digest: Digest, _ algorithm: DigestAlgorithm)
        throws(ReceiptError) -> Bool
    {
        var value = digest.value
        return try unsafe isOK(
            signature.withSlice { unsafe receipt_crypto_chain_verify(pointer, algorithm.crypto, &value, $0) })
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

/// The anchors of a verifier, decoded once.
@safe
final class AnchorStore: @unchecked Sendable {
    let context: CryptoContext
    /// In DER, in the order in which the C module has them.
    let certificates: [[UInt8]]
    let realms: [TrustRealm]
    let pointer: OpaquePointer
    let refusals = RefusalMemory()

    init(_ anchors: TrustAnchors, context: CryptoContext) throws(ReceiptError) {
        guard let pointer = unsafe receipt_crypto_anchors_new(context.pointer) else {
            throw .cryptographyUnavailable
        }
        self.context = context
        realms = anchors.anchors.map(\.realm)
        certificates = anchors.certificates
        unsafe self.pointer = pointer
        for anchor in anchors.anchors {
            var error = unsafe receipt_crypto_error()
            let status = unsafe anchor.der.span.withSlice {
                unsafe receipt_crypto_anchors_add(pointer, $0, anchor.realm != .storeKitTest, &error)
            }
            guard status == RECEIPT_CRYPTO_OK else { throw unsafe ReceiptError(&error, at: nil, context) }
        }
    }

    deinit { unsafe receipt_crypto_anchors_free(pointer) }

    /// The chain from a signer over one of the candidates to an anchor, good at the given time.
    /// - Parameter candidates: the certificates whose subject is the signer's issuer.
    /// - Returns: the chain, and the candidate that it goes over, if any.
    func chain(
        signer: Certificate, candidates: [Certificate], of bytes: Span<UInt8>, at time: Timestamp
    ) throws(ReceiptError) -> (chain: CertificateChain, intermediate: Certificate?) {
        let seconds = time.secondsSince1970
        let key = try key(of: signer, candidates, of: bytes)
        if let refusal = refusals.refusal(of: key, at: seconds) { throw refusal }
        var error = unsafe receipt_crypto_error()
        var intermediate = candidates.count
        let chain = unsafe bytes.withUnsafeBufferPointer { buffer in
            var signerParts = unsafe receipt_crypto_certificate_parts(signer, of: buffer)
            let candidateParts = unsafe candidates.map {
                unsafe receipt_crypto_certificate_parts($0, of: buffer)
            }
            return unsafe receipt_crypto_chain_new(
                pointer, &signerParts, candidateParts, candidates.count, seconds, &intermediate, &error)
        }
        guard let chain = unsafe chain else {
            let window = unsafe (error.first, error.last)
            let refusal = unsafe ReceiptError(&error, at: time, context)
            refusals.insert(refusal, from: window.0, to: window.1, of: key)
            throw refusal
        }
        return unsafe (
            CertificateChain(chain, anchors: self),
            intermediate < candidates.count ? candidates[intermediate] : nil
        )
    }

    /// SHA-256 of how many certificates there are and of the signer, then of that digest and the next candidate, and so
    /// on: no two lists of certificates have the same.
    /// - Parameter prefix: tells what is asked of them from other questions.
    func key(
        of signer: Certificate, _ candidates: [Certificate], of bytes: Span<UInt8>, prefix: [UInt8] = []
    ) throws(ReceiptError) -> [UInt8] {
        var key = prefix + [UInt8(truncatingIfNeeded: candidates.count)]
        for certificate in [signer] + candidates {
            key = try context.digest(.sha256, of: key.span, bytes.extracting(certificate.der)).bytes
        }
        return key
    }

    /// Fails unless OpenSSL's own PKCS #7 code agrees that the container holds this content, signed, at that
    /// time.
    func secondOpinion(
        on container: Span<UInt8>, content: Span<UInt8>, at time: Timestamp
    ) throws(ReceiptError) {
        var error = unsafe receipt_crypto_error()
        let status = unsafe container.withSlice { container in
            unsafe content.withSlice { content in
                unsafe receipt_crypto_second_opinion(
                    pointer, container, content, time.secondsSince1970, &error)
            }
        }
        guard status == RECEIPT_CRYPTO_OK else { throw unsafe ReceiptError(secondOpinion: &error, context) }
    }
}

extension receipt_crypto_certificate_parts {
    init(_ certificate: Certificate, of buffer: UnsafeBufferPointer<UInt8>) {
        func slice(_ range: Range<Int>) -> receipt_crypto_slice {
            unsafe receipt_crypto_slice(
                bytes: UnsafeBufferPointer(rebasing: buffer[range]).baseAddress, count: range.count)
        }
        let algorithm = certificate.signatureAlgorithm?.certificateSignature
        unsafe self.init(
            der: slice(certificate.der), tbs: slice(certificate.tbs), issuer: slice(certificate.issuer),
            subject: slice(certificate.subject),
            digest: algorithm?.digest.crypto ?? receipt_crypto_digest_algorithm(rawValue: 0),
            is_ecdsa: algorithm?.isECDSA ?? false, signature: slice(certificate.signature))
    }
}

extension ReceiptError {
    /// Takes over the C module's account; frees its certificate.
    init(_ error: inout receipt_crypto_error, at time: Timestamp?, _ context: CryptoContext) {
        let openSSL = unsafe ReceiptError.message(of: &error)
        let certificate = unsafe error.certificate.map { unsafe CertificateFacts($0, in: context) }
        unsafe receipt_crypto_certificate_free(error.certificate)
        let (code, reason): (Code, Reason) =
            switch unsafe error.status {
            case RECEIPT_CRYPTO_NOT_VALID_AT_TIME:
                (.untrustedChain, .notValid(at: time ?? Timestamp(millisecondsSince1970: 0)))
            case RECEIPT_CRYPTO_BAD_CERTIFICATE: (.untrustedChain, .certificateUndecodable(openSSL: openSSL))
            case RECEIPT_CRYPTO_BAD_ALGORITHM: (.untrustedChain, .certificateAlgorithm)
            case RECEIPT_CRYPTO_BAD_KEY: (.untrustedChain, .certificateKey)
            case RECEIPT_CRYPTO_NOT_AN_AUTHORITY: (.untrustedChain, .notAnAuthority)
            case RECEIPT_CRYPTO_BAD_PATH_LENGTH: (.wrongPurpose, .pathLength)
            case RECEIPT_CRYPTO_NO_SIGNER_MARKER: (.wrongPurpose, .markerMissing(.signer))
            case RECEIPT_CRYPTO_NO_INTERMEDIATE_MARKER: (.wrongPurpose, .markerMissing(.intermediate))
            case RECEIPT_CRYPTO_BAD_KEY_USAGE: (.wrongPurpose, .keyUsage)
            case RECEIPT_CRYPTO_UNTRUSTED:
                (.untrustedChain, .noPath(code: unsafe error.x509_error, openSSL: openSSL))
            default: (.unreadable, .cryptographyUnavailable)
            }
        self.init(code, reason, field: "certificates", certificate: certificate)
    }

    fileprivate init(secondOpinion error: inout receipt_crypto_error, _ context: CryptoContext) {
        let openSSL = unsafe ReceiptError.message(of: &error)
        unsafe receipt_crypto_certificate_free(error.certificate)
        let code: Code =
            switch unsafe error.status {
            case RECEIPT_CRYPTO_UNTRUSTED: .untrustedChain
            case RECEIPT_CRYPTO_BAD_SIGNATURE: .badSignature
            case RECEIPT_CRYPTO_DISAGREES: .malformed
            default: .unreadable
            }
        self.init(code, code == .unreadable ? .cryptographyUnavailable : .secondOpinion(openSSL: openSSL))
    }

    private static func message(of error: inout receipt_crypto_error) -> String {
        unsafe withUnsafeBytes(of: &error.message) {
            unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}
