/// A signer and its signature (RFC 5652, 5.3). Every field can be changed.
public struct SignerInfo: Hashable, Sendable {
    /// The structure's version, which is 1 if issuer and serial number identify the signer.
    public var version = 1
    /// The DER of SignerIdentifier.
    public var sid: [UInt8]
    /// The digest algorithm as an AlgorithmIdentifier in DER.
    public var digestAlgorithm: [UInt8]
    /// The signed attributes. Nil omits the field.
    public var signedAttributes: [CMSAttribute]?
    /// Damage: the whole field including [0], which replaces ``signedAttributes``.
    public var rawSignedAttributes: [UInt8]?
    /// The signature algorithm as an AlgorithmIdentifier in DER.
    public var signatureAlgorithm: [UInt8]
    /// The bytes of the signature, before they are wrapped in an OCTET STRING.
    public var signature: [UInt8]
    /// The unsigned attributes. Nil omits the field.
    public var unsignedAttributes: [CMSAttribute]?
    /// Elements after all other fields.
    public var extraFields: [UInt8] = []

    /// Signs the content, or the signed attributes if there are any.
    /// - Throws: ``ForgeError`` if libcrypto fails.
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
        // The signature covers a SET OF, but the field in the message has the tag [0] (RFC 5652, 5.4).
        let message = signedAttributes.map { BER.set(of: $0.map(\.encoded)) } ?? content
        signature = try signer.key.sign(message, digest: digest, scheme: scheme)
    }

    /// The DER encoding of the structure.
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

    /// Returns the SignerIdentifier that App Store receipts use: issuer and serial number.
    public static func issuerAndSerialNumber(of certificate: Certificate) -> [UInt8] {
        BER.sequence(
            certificate.issuer.encoded, BER.element(BER.Tag.integer, certificate.serialNumber))
    }

    /// Returns the other kind of SignerIdentifier, the key identifier. It requires ``version`` 3.
    public static func subjectKeyIdentifier(of certificate: Certificate) -> [UInt8] {
        BER.element(BER.Tag.primitiveContext(0), certificate.subjectKeyIdentifier)
    }
}
