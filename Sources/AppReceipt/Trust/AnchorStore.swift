import CReceiptCrypto

/// The trust anchors of a verifier, decoded once.
@safe
final class AnchorStore: @unchecked Sendable {
    let context: CryptoContext
    let list: [TrustAnchors.Anchor]
    let pointer: OpaquePointer
    private let signatureChecks: Int
    let refusals = RefusalCache()
    /// The revocation lists, or nil if none are checked.
    let revocations: RevocationStore?

    /// Creates a store.
    /// - Parameter signatureChecks: see ``ReceiptLimits/signatureChecks``.
    init(
        _ anchors: TrustAnchors, signatureChecks: Int = ReceiptLimits().signatureChecks,
        revocation: RevocationSettings = RevocationSettings(), context: CryptoContext
    ) throws(ReceiptError) {
        guard let pointer = unsafe receipt_crypto_anchors_new(context.pointer) else {
            throw .cryptographyUnavailable
        }
        self.context = context
        list = anchors.anchors
        revocations = revocation.isChecking ? RevocationStore(revocation, context: context) : nil
        self.signatureChecks = signatureChecks
        unsafe self.pointer = pointer
        for anchor in list {
            var error = receipt_crypto_error()
            let status = unsafe anchor.der.span.withSlice {
                unsafe receipt_crypto_anchors_add(pointer, $0, anchor.realm != .storeKitTest, &error)
            }
            let facts = CertificateFacts(der: anchor.der, in: context)
            if facts == nil { error.status = RECEIPT_CRYPTO_BAD_CERTIFICATE }
            guard status == RECEIPT_CRYPTO_OK, facts != nil else {
                throw ReceiptError(&error, at: nil, of: facts)
            }
        }
        if let known = anchors.knownIntermediate { try know(known) }
    }

    private func know(_ intermediate: TrustAnchors.KnownIntermediate) throws(ReceiptError) {
        guard let anchor = list.firstIndex(where: { $0.der == intermediate.anchor }) else { return }
        let status = unsafe intermediate.der.span.withSlice {
            unsafe receipt_crypto_anchors_know(pointer, $0, anchor)
        }
        guard status == RECEIPT_CRYPTO_OK else { throw .cryptographyUnavailable }
    }

    deinit { unsafe receipt_crypto_anchors_free(pointer) }

    /// Returns a chain from the signer to a trust anchor, directly or through one of the candidates, valid at
    /// the given time.
    /// - Parameter candidates: the certificates whose subject is the signer's issuer.
    func chain(
        signer: Certificate, candidates: [Certificate], of bytes: Span<UInt8>, at time: Timestamp
    ) throws(ReceiptError) -> CertificateChain {
        let seconds = time.secondsSince1970
        let key = try key(of: signer, candidates, of: bytes)
        if let refusal = refusals.refusal(of: key, at: time) { throw refusal }
        var error = receipt_crypto_error()
        var intermediate = candidates.count
        let chain = unsafe bytes.withUnsafeBufferPointer { buffer in
            var signerParts = unsafe receipt_crypto_certificate_parts(signer, of: buffer)
            let candidateParts = unsafe candidates.map {
                unsafe receipt_crypto_certificate_parts($0, of: buffer)
            }
            return unsafe receipt_crypto_chain_new(
                pointer, &signerParts, candidateParts, candidates.count, seconds, signatureChecks,
                &intermediate,
                &error)
        }
        guard let chain = unsafe chain else {
            let window = (error.first, error.last)
            let facts = facts(ofFault: error, signer, candidates, of: bytes)
            let refusal = ReceiptError(&error, limit: signatureChecks, at: time, of: facts)
            refusals.insert(refusal, from: window.0, to: window.1, of: key)
            throw refusal
        }
        let over = intermediate < candidates.count ? candidates[intermediate] : nil
        return try unsafe CertificateChain(chain, anchors: self, from: signer, over: over, of: bytes)
    }

    /// Returns the facts about the certificate that caused the error. They may be unverified.
    func facts(
        ofFault error: receipt_crypto_error, _ signer: Certificate, _ candidates: [Certificate],
        of bytes: Span<UInt8>
    ) -> CertificateFacts? {
        switch error.depth {
        case 0: CertificateFacts(signer, of: bytes, in: context)
        case 1 where error.candidate < candidates.count:
            CertificateFacts(candidates[error.candidate], of: bytes, in: context)
        case 1, 2: CertificateFacts(der: list[error.anchor].der, in: context)
        default: nil
        }
    }

    /// Returns a key for a list of certificates: the SHA-256 of their number and the signer, hashed again
    /// with each candidate in turn. Different lists have different keys.
    /// - Parameter prefix: separates the keys of different purposes.
    func key(
        of signer: Certificate, _ candidates: [Certificate], of bytes: Span<UInt8>, prefix: [UInt8] = []
    ) throws(ReceiptError) -> [UInt8] {
        var key = prefix + [UInt8(truncatingIfNeeded: candidates.count)]
        for certificate in [signer] + candidates {
            key = try context.digest(.sha256, of: key.span, bytes.extracting(certificate.der)).bytes
        }
        return key
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
