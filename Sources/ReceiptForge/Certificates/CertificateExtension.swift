/// An X.509 v3 extension of any kind, with constructors for the usual ones (RFC 5280, 4.2).
public struct CertificateExtension: Hashable, Sendable {
    /// The object identifier of the extension.
    public var oid: OID
    /// Whether a verifier that does not know the extension must reject the certificate.
    public var critical: Bool
    /// The DER inside extnValue's OCTET STRING.
    public var value: [UInt8]

    /// Creates an extension of any kind from its value in DER.
    public init(_ oid: OID, critical: Bool = false, value: [UInt8]) {
        (self.oid, self.critical, self.value) = (oid, critical, value)
    }

    var encoded: [UInt8] {
        BER.sequence(oid.encoded, critical ? BER.boolean(true) : [], BER.octetString(value))
    }

    /// Returns one of Apple's marker extensions. Only the OID has a meaning; the value is NULL.
    public static func marker(_ oid: OID) -> Self { Self(oid, value: BER.null) }

    /// Returns the extension that states whether the certificate is an authority. It also limits how many
    /// authorities may be below it (RFC 5280, 4.2.1.9).
    public static func basicConstraints(isCA: Bool, pathLength: Int? = nil) -> Self {
        let content = (isCA ? BER.boolean(true) : []) + (pathLength.map { BER.integer($0) } ?? [])
        return Self(basicConstraintsOID, critical: true, value: BER.element(BER.Tag.sequence, content))
    }

    /// Returns the extension that lists the allowed uses of the key (RFC 5280, 4.2.1.3).
    public static func keyUsage(_ usage: KeyUsage) -> Self {
        let unused = UInt8(usage.rawValue.trailingZeroBitCount)
        return Self(
            keyUsageOID, critical: true, value: BER.bitString([usage.rawValue], unusedBits: min(unused, 7)))
    }

    /// Returns the extension that lists further purposes of the key (RFC 5280, 4.2.1.12).
    public static func extendedKeyUsage(_ purposes: [OID], critical: Bool = false) -> Self {
        Self(
            [2, 5, 29, 37], critical: critical,
            value: BER.element(BER.Tag.sequence, purposes.flatMap(\.encoded)))
    }

    /// Returns the extension with the certificate's own key identifier (RFC 5280, 4.2.1.2).
    public static func subjectKeyIdentifier(_ identifier: [UInt8]) -> Self {
        Self([2, 5, 29, 14], value: BER.octetString(identifier))
    }

    /// Returns the extension with the issuer's key identifier (RFC 5280, 4.2.1.1).
    public static func authorityKeyIdentifier(_ identifier: [UInt8]) -> Self {
        Self([2, 5, 29, 35], value: BER.sequence(BER.element(BER.Tag.primitiveContext(0), identifier)))
    }

    /// Returns the extension that lists the policies under which the certificate was issued (RFC 5280,
    /// 4.2.1.4).
    public static func certificatePolicies(_ policies: [OID]) -> Self {
        Self(
            [2, 5, 29, 32],
            value: BER.element(BER.Tag.sequence, policies.flatMap { BER.sequence($0.encoded) }))
    }

    /// Returns the extension with the subtrees of directory names that subjects must, and must not, belong to
    /// (RFC 5280, 4.2.1.10).
    public static func nameConstraints(
        permitted: [DistinguishedName] = [], excluded: [DistinguishedName] = []
    ) -> Self {
        func subtrees(_ tag: UInt8, _ names: [DistinguishedName]) -> [UInt8] {
            guard !names.isEmpty else { return [] }
            let directoryName = BER.Tag.context(4)
            return BER.element(
                tag, names.flatMap { BER.sequence(BER.element(directoryName, $0.encoded)) })
        }
        return Self(
            [2, 5, 29, 30], critical: true,
            value: BER.sequence(
                subtrees(BER.Tag.context(0), permitted), subtrees(BER.Tag.context(1), excluded)))
    }

    /// The OID 2.5.29.19.
    public static let basicConstraintsOID: OID = [2, 5, 29, 19]
    /// The OID 2.5.29.15.
    public static let keyUsageOID: OID = [2, 5, 29, 15]
}
