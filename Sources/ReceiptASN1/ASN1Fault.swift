/// The kind of an ``ASN1Error``.
public enum ASN1Fault: Hashable, Sendable {
    /// The input ends inside the identifier or the length octets.
    case truncatedHeader
    /// The length exceeds the number of bytes that remain in the enclosing element.
    case truncatedContent(length: UInt64, available: Int)
    /// The length octet 0xFF, which X.690, 8.1.3.5 reserves.
    case reservedLength
    /// A length of more than eight octets.
    case lengthOverflow
    /// A tag number above 30.
    case highTagNumber
    /// An indefinite length on a primitive element (X.690, 8.1.3.2).
    case indefinitePrimitive
    /// End-of-contents octets in a place that does not allow them, or with a length other than 0.
    case unexpectedEndOfContents
    /// Constructed elements nested deeper than the limit.
    case nestingTooDeep(limit: Int)
    /// An element with another tag than the grammar requires.
    case unexpectedTag(expected: ASN1Tag, found: ASN1Tag)
    /// The enclosing element ends before a required element.
    case missingElement(expected: ASN1Tag?)
    /// Bytes after the end of the grammar, in the enclosing element or the input.
    case trailingBytes
    /// An INTEGER without content.
    case emptyInteger
    /// An INTEGER outside the range of its field.
    case integerOutOfRange
    /// Bytes that are not valid text of the string type.
    case invalidText
    /// Text that is not an RFC 3339 date-time.
    case invalidDate
    /// A value that the field does not allow.
    case unexpectedValue
    /// A second value of a field that allows only one.
    case duplicate
    /// A required value is missing.
    case missing
    /// Signed bytes that are not DER.
    case notDER
    /// An element longer than the caller's limit, in bytes.
    case tooLong(limit: Int)
    /// More elements than the caller's limit allows.
    case tooMany(limit: Int)
}

extension ASN1Fault: CustomStringConvertible {
    public var description: String {
        switch self {
        case .truncatedHeader: "truncated: the input ends inside an element header"
        case .truncatedContent(let length, let available):
            "truncated: needs \(length) bytes, \(available) remain"
        case .reservedLength: "reserved length octet 0xFF"
        case .lengthOverflow: "length of more than 8 octets"
        case .highTagNumber: "tag number above 30"
        case .indefinitePrimitive: "indefinite length on a primitive element"
        case .unexpectedEndOfContents: "unexpected end-of-contents"
        case .nestingTooDeep(let limit): "nested more than \(limit) levels deep"
        case .unexpectedTag(let expected, let found): "expected \(expected), found \(found)"
        case .missingElement(let expected): "missing \(expected.map(\.description) ?? "element")"
        case .trailingBytes: "unexpected bytes after the end of the element"
        case .emptyInteger: "INTEGER without content"
        case .integerOutOfRange: "INTEGER out of range"
        case .invalidText: "invalid bytes for this string type"
        case .invalidDate: "invalid date"
        case .unexpectedValue: "invalid value"
        case .duplicate: "duplicate value"
        case .missing: "missing required value"
        case .notDER: "signed bytes are not DER"
        case .tooLong(let limit): "element larger than the limit of \(limit) bytes"
        case .tooMany(let limit): "more elements than the limit of \(limit)"
        }
    }
}
