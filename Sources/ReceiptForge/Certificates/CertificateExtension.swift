/// An X.509 v3 extension: any, and makers for the usual ones (RFC 5280 section 4.2).
public struct CertificateExtension: Hashable, Sendable {
    /// Which extension it is.
    public var oid: OID
    /// Whether whoever does not know the extension must refuse the certificate.
    public var critical: Bool
    /// The DER inside extnValue's OCTET STRING.
    public var value: [UInt8]

    /// An extension of any kind; its value in DER.
    public init(_ oid: OID, critical: Bool = false, value: [UInt8]) {
        (self.oid, self.critical, self.value) = (oid, critical, value)
    }

    var encoded: [UInt8] {
        BER.sequence(oid.encoded, critical ? BER.boolean(true) : [], BER.octetString(value))
    }

    /// One of Apple's markers: the OID is all it says, the value is NULL.
    public static func marker(_ oid: OID) -> Self { Self(oid, value: BER.null) }

    /// Whether the certificate is an authority, and how many may stand below it (RFC 5280, 4.2.1.9).
    public static func basicConstraints(isCA: Bool, pathLength: Int? = nil) -> Self {
        let content = (isCA ? BER.boolean(true) : []) + (pathLength.map { BER.integer($0) } ?? [])
        return Self(basicConstraintsOID, critical: true, value: BER.element(BER.Tag.sequence, content))
    }

    /// What the key may be used for (RFC 5280, 4.2.1.3).
    public static func keyUsage(_ usage: KeyUsage) -> Self {
        let unused = UInt8(usage.rawValue.trailingZeroBitCount)
        return Self(
            keyUsageOID, critical: true, value: BER.bitString([usage.rawValue], unusedBits: min(unused, 7)))
    }

    /// Further purposes of the key (RFC 5280, 4.2.1.12).
    public static func extendedKeyUsage(_ purposes: [OID], critical: Bool = false) -> Self {
        Self(
            [2, 5, 29, 37], critical: critical,
            value: BER.element(BER.Tag.sequence, purposes.flatMap(\.encoded)))
    }

    /// The certificate's own key identifier (RFC 5280, 4.2.1.2).
    public static func subjectKeyIdentifier(_ identifier: [UInt8]) -> Self {
        Self([2, 5, 29, 14], value: BER.octetString(identifier))
    }

    /// The key identifier of the issuer (RFC 5280, 4.2.1.1).
    public static func authorityKeyIdentifier(_ identifier: [UInt8]) -> Self {
        Self([2, 5, 29, 35], value: BER.sequence(BER.element(BER.Tag.primitiveContext(0), identifier)))
    }

    /// The policies under which the certificate was issued (RFC 5280, 4.2.1.4).
    public static func certificatePolicies(_ policies: [OID]) -> Self {
        Self(
            [2, 5, 29, 32],
            value: BER.element(BER.Tag.sequence, policies.flatMap { BER.sequence($0.encoded) }))
    }

    /// Subtrees of directory names under which subjects must, and must not, stand.
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

    /// 2.5.29.19
    public static let basicConstraintsOID: OID = [2, 5, 29, 19]
    /// 2.5.29.15
    public static let keyUsageOID: OID = [2, 5, 29, 15]
}
