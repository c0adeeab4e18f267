/// The identifier octet of an element: class, primitive or constructed, and tag number (X.690, 8.1.2).
///
/// Tag numbers above 30 need more octets. They do not occur in receipts and are rejected.
public struct ASN1Tag: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt8

    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// INTEGER, 0x02.
    @inlinable
    public static var integer: ASN1Tag { ASN1Tag(rawValue: 0x02) }
    /// BIT STRING, 0x03.
    @inlinable
    public static var bitString: ASN1Tag { ASN1Tag(rawValue: 0x03) }
    /// OCTET STRING, primitive, 0x04.
    @inlinable
    public static var octetString: ASN1Tag { ASN1Tag(rawValue: 0x04) }
    /// NULL, 0x05.
    @inlinable
    public static var null: ASN1Tag { ASN1Tag(rawValue: 0x05) }
    /// OBJECT IDENTIFIER, 0x06.
    @inlinable
    public static var objectIdentifier: ASN1Tag { ASN1Tag(rawValue: 0x06) }
    /// UTF8String, 0x0C.
    @inlinable
    public static var utf8String: ASN1Tag { ASN1Tag(rawValue: 0x0C) }
    /// IA5String, 0x16.
    @inlinable
    public static var ia5String: ASN1Tag { ASN1Tag(rawValue: 0x16) }
    /// OCTET STRING in chunks, 0x24.
    @inlinable
    public static var constructedOctetString: ASN1Tag { ASN1Tag(rawValue: 0x24) }
    /// SEQUENCE and SEQUENCE OF, 0x30.
    @inlinable
    public static var sequence: ASN1Tag { ASN1Tag(rawValue: 0x30) }
    /// SET and SET OF, 0x31.
    @inlinable
    public static var set: ASN1Tag { ASN1Tag(rawValue: 0x31) }

    /// Returns the constructed tag `[number]`, which encloses an element (EXPLICIT) or replaces a constructed
    /// tag (IMPLICIT).
    @inlinable
    public static func context(_ number: UInt8) -> ASN1Tag { ASN1Tag(rawValue: 0xA0 | number) }

    /// Whether the element contains elements: bit 6 of the identifier (X.690, 8.1.2.5).
    @inlinable
    public var isConstructed: Bool { rawValue & 0x20 != 0 }
}

extension ASN1Tag: CustomStringConvertible {
    public var description: String {
        switch self {
        case .integer: "INTEGER"
        case .bitString: "BIT STRING"
        case .octetString: "OCTET STRING"
        case .null: "NULL"
        case .objectIdentifier: "OBJECT IDENTIFIER"
        case .utf8String: "UTF8String"
        case .ia5String: "IA5String"
        case .constructedOctetString: "constructed OCTET STRING"
        case .sequence: "SEQUENCE"
        case .set: "SET"
        default: otherDescription
        }
    }

    private var otherDescription: String {
        let number = rawValue & 0x1F
        switch rawValue >> 6 {
        case 0: return universalNames[number] ?? "UNIVERSAL \(number)"
        case 1: return "APPLICATION \(number)"
        case 2: return "[\(number)]"
        default: return "PRIVATE \(number)"
        }
    }
}

private let universalNames: [UInt8: String] = [
    0x00: "end-of-contents", 0x01: "BOOLEAN", 0x0A: "ENUMERATED", 0x13: "PrintableString",
    0x14: "T61String", 0x17: "UTCTime", 0x18: "GeneralizedTime", 0x1E: "BMPString",
]
