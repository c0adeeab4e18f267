/// Who signed, and how (RFC 5652 section 5.3). Every field can be changed.
public struct SignerInfo: Hashable, Sendable {
    /// The structure's version, 1 where the signer is named by issuer and serial number.
    public var version = 1
    /// SignerIdentifier in DER.
    public var sid: [UInt8]
    /// AlgorithmIdentifier in DER.
    public var digestAlgorithm: [UInt8]
    /// nil leaves the field out.
    public var signedAttributes: [CMSAttribute]?
    /// Damage: the whole field, [0] included, in place of ``signedAttributes``.
    public var rawSignedAttributes: [UInt8]?
    /// AlgorithmIdentifier in DER.
    public var signatureAlgorithm: [UInt8]
    /// The signature's bytes, before they are wrapped in an OCTET STRING.
    public var signature: [UInt8]
    /// nil leaves the field out.
    public var unsignedAttributes: [CMSAttribute]?
    /// Elements behind everything else.
    public var extraFields: [UInt8] = []

    /// Signs content: itself, or, with signed attributes, the attributes instead.
    public init(
        signing content: [UInt8], by signer: Identity, digest: Digest = .sha256,
        scheme: SignatureScheme = .pkcs1, signedAttributes: [CMSAttribute]? = nil
    ) throws(ForgeError) {
        sid = Self.issuerAndSerialNumber(of: signer.certificate)
        digestAlgorithm = digest.algorithmIdentifier
        self.signedAttributes = signedAttributes
        signatureAlgorithm =
            switch (signer.key.isRSA, scheme) {
            case (true, .pkcs1): SignatureAlgorithm.rsaEncryption
            case (true, .pss): SignatureAlgorithm.pss(digest)
            case (false, _): SignatureAlgorithm.identifier(for: signer.key, digest: digest)
            }
        // The signature is over a SET OF, the field in the message is tagged [0] (section 5.4).
        let message = signedAttributes.map { BER.set(of: $0.map(\.encoded)) } ?? content
        signature = try signer.key.sign(message, digest: digest, scheme: scheme)
    }

    /// The structure in DER.
    public var encoded: [UInt8] {
        let signed = signedAttributes.map {
            BER.element(BER.Tag.context(0), BER.concatenated(BER.sorted($0.map(\.encoded))))
        }
        let unsigned = unsignedAttributes.map {
            BER.element(BER.Tag.context(1), BER.concatenated(BER.sorted($0.map(\.encoded))))
        }
        return BER.sequence(
            BER.integer(version), sid, digestAlgorithm, rawSignedAttributes ?? signed ?? [],
            signatureAlgorithm, BER.octetString(signature), unsigned ?? [], extraFields)
    }

    /// The SignerIdentifier that App Store receipts use.
    public static func issuerAndSerialNumber(of certificate: Certificate) -> [UInt8] {
        BER.sequence(
            certificate.issuer.encoded, BER.element(BER.Tag.integer, certificate.serialNumber))
    }

    /// The other choice, which makes ``version`` 3.
    public static func subjectKeyIdentifier(of certificate: Certificate) -> [UInt8] {
        BER.element(BER.Tag.primitiveContext(0), certificate.subjectKeyIdentifier)
    }
}
