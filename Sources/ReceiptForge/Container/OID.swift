/// An object identifier, written as its arcs: `[1, 2, 840, 113549, 1, 7, 2]`.
public struct OID: Hashable, Sendable, ExpressibleByArrayLiteral {
    /// The arcs, which dots separate in text.
    public var arcs: [UInt64]

    public init(arrayLiteral arcs: UInt64...) { self.arcs = arcs }

    /// Reads an object identifier.
    /// - Parameter text: The arcs in dotted decimal. The result is nil for other text and for fewer than two
    ///   arcs.
    public init?(_ text: some StringProtocol) {
        let arcs = text.split(separator: ".", omittingEmptySubsequences: false).map { UInt64($0) }
        guard arcs.count >= 2, !arcs.contains(nil) else { return nil }
        self.arcs = arcs.compactMap { $0 }
    }

    /// The DER encoding.
    public var encoded: [UInt8] {
        var content: [UInt8] = []
        let first = arcs.prefix(2).reduce(0) { $0 * 40 + $1 }
        for arc in [first] + arcs.dropFirst(2) {
            var groups = [UInt8(arc & 0x7F)]
            var rest = arc >> 7
            while rest > 0 {
                groups.insert(UInt8(rest & 0x7F) | 0x80, at: 0)
                rest >>= 7
            }
            content += groups
        }
        return BER.element(BER.Tag.objectIdentifier, content)
    }

    // PKCS #7 and CMS (RFC 5652)
    /// The OID 1.2.840.113549.1.7.1.
    public static let data: OID = [1, 2, 840, 113549, 1, 7, 1]
    /// The OID 1.2.840.113549.1.7.2.
    public static let signedData: OID = [1, 2, 840, 113549, 1, 7, 2]
    /// The OID 1.2.840.113549.1.9.3.
    public static let contentType: OID = [1, 2, 840, 113549, 1, 9, 3]
    /// The OID 1.2.840.113549.1.9.4.
    public static let messageDigest: OID = [1, 2, 840, 113549, 1, 9, 4]
    /// The OID 1.2.840.113549.1.9.5.
    public static let signingTime: OID = [1, 2, 840, 113549, 1, 9, 5]

    // Apple's marker extensions
    /// The marker of the certificate that signs App Store receipts.
    public static let receiptSigningMarker: OID = [1, 2, 840, 113635, 100, 6, 11, 1]
    /// The marker of the intermediate, Apple Worldwide Developer Relations.
    public static let developerRelationsMarker: OID = [1, 2, 840, 113635, 100, 6, 2, 1]
    /// The marker of the certificate that signed transaction receipts of version 2.
    public static let oldReceiptSigningMarker: OID = [1, 2, 840, 113635, 100, 6, 5, 1]
    /// The marker of the authority that signed that certificate.
    public static let oldStoreMarker: OID = [1, 2, 840, 113635, 100, 6, 2, 2]
}
