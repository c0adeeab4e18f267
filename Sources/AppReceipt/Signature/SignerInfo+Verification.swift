import ReceiptASN1

extension SignedData {
    /// Returns the digest algorithm of the signature. It must be listed in digestAlgorithms. All listed
    /// algorithms and the signature algorithm must be on the allowed lists.
    ///
    /// RFC 5652, 5.3: the digest algorithm "SHOULD be among those listed in the digestAlgorithms field";
    /// "implementations MAY fail to validate signatures that use a digest algorithm that is not included".
    func acceptableDigest() throws(ReceiptError) -> DigestAlgorithm {
        let digest = try signerInfo.acceptableDigest()
        if let other = digestAlgorithms.first(where: { $0.digest == nil }) {
            throw other.digestFailure("digestAlgorithms")
        }
        if digestAlgorithms.contains(where: { $0.digest == digest }) { return digest }
        throw signerInfo.digestAlgorithm.digestFailure("signerInfos[0].digestAlgorithm")
    }
}

extension SignerInfo {
    /// Returns the digest algorithm if it and the signature algorithm are on the allowed lists.
    fileprivate func acceptableDigest() throws(ReceiptError) -> DigestAlgorithm {
        guard let digest = digestAlgorithm.digest else {
            throw digestAlgorithm.digestFailure("signerInfos[0].digestAlgorithm")
        }
        guard signatureAlgorithm.isSignature(over: digest) else { throw signatureAlgorithmFailure }
        return digest
    }

    private var signatureAlgorithmFailure: ReceiptError {
        ReceiptError(
            .badSignature, .signatureAlgorithm(signatureAlgorithm.identifier.description),
            offset: signatureAlgorithm.offset, field: "signerInfos[0].signatureAlgorithm")
    }

    /// Returns the digest of the content and the digest that the signature covers. They may be the same.
    ///
    /// Without signed attributes, the signature covers the content. With them, it covers "the complete DER
    /// encoding of the SignedAttrs value" (RFC 5652, 5.4): "a separate encoding of the signedAttrs field is
    /// performed for message digest calculation. The IMPLICIT [0] tag in the signedAttrs is not used for the
    /// DER encoding, rather an EXPLICIT SET OF tag is used." The message-digest attribute must then contain
    /// the digest of the content.
    /// - Throws: ``ReceiptError``, also if the signature's algorithm is not for the chain's key.
    func digests(
        of content: Span<UInt8>, in bytes: Span<UInt8>, with chain: CertificateChain,
        _ algorithm: DigestAlgorithm, _ context: CryptoContext
    ) throws(ReceiptError) -> (content: Digest, signed: Digest) {
        guard signatureAlgorithm.isECDSA == chain.isElliptic else { throw signatureAlgorithmFailure }
        let contentDigest = try context.digest(algorithm, of: content)
        guard let signedAttributes else { return (contentDigest, contentDigest) }
        try signedAttributes.check(contentDigest, of: bytes)
        let setOf: [UInt8] = [0x31]
        let encoding = signedAttributes.element.dropFirst()
        return (contentDigest, try context.digest(algorithm, of: setOf.span, bytes.extracting(encoding)))
    }

    /// Checks that the chain's signer signed the digest.
    func verify(
        _ digest: Digest, of bytes: Span<UInt8>, with chain: CertificateChain, _ algorithm: DigestAlgorithm
    ) throws(ReceiptError) {
        let (signature, isECDSA) = (bytes.extracting(signature), signatureAlgorithm.isECDSA)
        guard try chain.verify(signature, of: digest, algorithm, isECDSA: isECDSA) else {
            throw ReceiptError(
                .badSignature, .signatureMismatch, offset: signatureOffset, field: "signerInfos[0].signature")
        }
    }
}

extension AlgorithmIdentifier {
    fileprivate func digestFailure(_ field: String) -> ReceiptError {
        ReceiptError(.badSignature, .digestAlgorithm(identifier.description), offset: offset, field: field)
    }
}

extension SignedAttributes {
    fileprivate func check(_ contentDigest: Digest, of bytes: Span<UInt8>) throws(ReceiptError) {
        guard isContentTypeData else { throw failure(.contentTypeAttribute) }
        guard let messageDigest, contentDigest.equals(bytes.extracting(messageDigest)) else {
            throw failure(.messageDigestAttribute)
        }
    }

    private func failure(_ reason: ReceiptError.Reason) -> ReceiptError {
        ReceiptError(.badSignature, reason, offset: offset, field: "signerInfos[0].signedAttrs")
    }
}
