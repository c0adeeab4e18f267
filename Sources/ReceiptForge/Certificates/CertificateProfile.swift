/// The contents of a certificate (TBSCertificate, RFC 5280, 4.1). Every property can be changed.
public struct CertificateProfile: Sendable {
    /// The encoded version, which is one less than its name: 2 is v3. Nil omits the field, which means v1.
    public var version: Int? = 2
    /// The name of the key's owner.
    public var subject: DistinguishedName
    /// The issuer's name, or nil for the signer's subject.
    public var issuer: DistinguishedName?
    /// The content octets of the serial number.
    public var serialNumber: [UInt8]
    /// The start of validity: RFC 3339 in UTC, to the second.
    public var notBefore = "2010-01-01T00:00:00Z"
    /// The end of validity: RFC 3339 in UTC, to the second.
    public var notAfter = "2040-01-01T00:00:00Z"
    /// The certificate's own key, not its issuer's.
    public var key: PrivateKey
    /// The DER of SubjectPublicKeyInfo, or nil for that of ``key``.
    public var subjectPublicKeyInfo: [UInt8]?
    /// The digest algorithm of the signature on this certificate.
    public var digest: Digest = .sha256
    /// The extensions other than the two key identifiers, in order.
    public var extensions: [CertificateExtension]
    /// Whether subjectKeyIdentifier and authorityKeyIdentifier are added.
    public var hasKeyIdentifiers = true
    /// The key identifier, or nil for the SHA-1 of the public key.
    public var subjectKeyIdentifier: [UInt8]?

    /// Creates a profile with these values and the defaults for all others.
    public init(
        subject: DistinguishedName, serialNumber: Int, key: PrivateKey,
        extensions: [CertificateExtension] = []
    ) {
        self.subject = subject
        self.serialNumber = BER.integerContent(serialNumber)
        self.key = key
        self.extensions = extensions
    }

    /// The first extension of this kind. Setting nil removes it, and setting another replaces it.
    public subscript(_ oid: OID) -> CertificateExtension? {
        get { extensions.first { $0.oid == oid } }
        set {
            let position = extensions.firstIndex { $0.oid == oid } ?? extensions.endIndex
            extensions.removeAll { $0.oid == oid }
            if let newValue { extensions.insert(newValue, at: min(position, extensions.endIndex)) }
        }
    }

    /// Returns the certificate, signed by `issuer` or self-signed.
    /// - Throws: ``ForgeError`` if libcrypto fails.
    public func signed(by issuer: Identity? = nil) throws(ForgeError) -> Identity {
        let identifier =
            if let subjectKeyIdentifier { subjectKeyIdentifier } else {
                try Digest.sha1.hash(key.subjectPublicKeyInfo)
            }
        let issuerName = self.issuer ?? issuer?.certificate.subject ?? subject
        let issuerIdentifier = issuer?.certificate.subjectKeyIdentifier ?? identifier
        let keyIdentifiers: [CertificateExtension] =
            hasKeyIdentifiers
            ? [.subjectKeyIdentifier(identifier), .authorityKeyIdentifier(issuerIdentifier)] : []
        let signingKey = issuer?.key ?? key
        let algorithm = SignatureAlgorithm.identifier(for: signingKey, digest: digest)
        let all = extensions + keyIdentifiers
        let tbsCertificate = BER.sequence(
            version.map { BER.element(BER.Tag.context(0), BER.integer($0)) } ?? [],
            BER.element(BER.Tag.integer, serialNumber),
            algorithm,
            issuerName.encoded,
            BER.sequence(BER.time(notBefore), BER.time(notAfter)),
            subject.encoded,
            subjectPublicKeyInfo ?? key.subjectPublicKeyInfo,
            all.isEmpty
                ? []
                : BER.element(
                    BER.Tag.context(3), BER.element(BER.Tag.sequence, all.flatMap(\.encoded))))
        let signature = try signingKey.sign(tbsCertificate, digest: digest)
        let certificate = Certificate(
            der: BER.sequence(tbsCertificate, algorithm, BER.bitString(signature)),
            subject: subject, issuer: issuerName, serialNumber: serialNumber,
            subjectKeyIdentifier: identifier)
        return Identity(certificate: certificate, key: key)
    }
}
