/// The kind of a ``JSONError``.
public enum JSONFault: Hashable, Sendable {
    // RFC 8259

    /// The input ends before a value or inside it.
    case truncated
    /// A byte that the grammar does not allow at this place.
    case unexpectedByte(UInt8)
    /// A control character in a string, not escaped.
    case controlCharacter
    /// A backslash that does not begin an escape of RFC 8259, 7.
    case invalidEscape
    /// One escaped half of a surrogate pair.
    case loneSurrogate
    /// Bytes that are not UTF-8.
    case invalidUTF8
    /// Bytes after the value.
    case trailingBytes
    /// A byte order mark, if the caller does not allow one.
    case byteOrderMark
    /// A second member of the same name in an object. Names are compared byte by byte, after escapes are
    /// resolved.
    case duplicateMember

    // Limits

    /// Objects and arrays nested deeper than the limit.
    case nestingTooDeep(limit: Int)
    /// A name or a string longer than the caller's limit, in bytes of UTF-8.
    case tooLong(limit: Int)
    /// More members in all open objects than the limit, which bounds the memory for their names.
    case tooManyMembers(limit: Int)

    /// Paths that are too long in total for the number of values. Callers that report each value with its
    /// path throw this error.
    case longPaths

    // Expectations of the caller

    /// A value of another type than expected.
    case unexpectedKind(expected: JSONKind, found: JSONKind)
    /// A number with a fraction or an exponent instead of an integer.
    case notAnInteger
    /// An integer outside the range of its member.
    case integerOutOfRange
    /// Text that is not a valid date.
    case invalidDate
    /// A value that the member does not allow.
    case unexpectedValue(String, notOneOf: [String] = [])
    /// Another problem with a value, as text.
    case invalid(String)
    /// A required member is missing.
    case missing(String)
    /// A value that must be unique but that an earlier entry already has.
    case duplicate(String)
    /// An empty list where at least one entry is required.
    case empty
    /// Valid JSON in an unknown format.
    case unknownFormat
}

extension JSONFault: CustomStringConvertible {
    public var description: String {
        switch self {
        case .truncated: "not JSON: truncated"
        case .unexpectedByte(let byte) where (0x21..<0x7F).contains(byte):
            "not JSON: unexpected '\(Character(Unicode.Scalar(byte)))'"
        case .unexpectedByte(let byte): "not JSON: unexpected byte 0x\(String(byte, radix: 16))"
        case .controlCharacter: "not JSON: control character in a string"
        case .invalidEscape: "not JSON: invalid escape"
        case .loneSurrogate: "not JSON: lone surrogate"
        case .invalidUTF8: "not UTF-8"
        case .trailingBytes: "not JSON: unexpected bytes after the value"
        case .byteOrderMark: "unexpected byte order mark"
        case .duplicateMember: "duplicate member"
        case .nestingTooDeep(let limit): "nested more than \(limit) levels deep"
        case .tooLong(let limit): "more than the limit of \(limit) bytes"
        case .tooManyMembers(let limit): "more than the limit of \(limit) members"
        case .longPaths: "member names too long for the number of values"
        case .unexpectedKind(let expected, let found):
            "expected \(expected.rawValue), found \(found.rawValue)"
        case .notAnInteger: "not a whole number"
        case .integerOutOfRange: "integer out of range"
        case .invalidDate: "not a date"
        case .unexpectedValue(let value, let choices) where choices.isEmpty: "invalid value '\(value)'"
        case .unexpectedValue(let value, let choices):
            "'\(value)' is not one of \(choices.joined(separator: ", "))"
        case .invalid(let problem): problem
        case .missing(let name): "missing \(name)"
        case .duplicate(let value): "'\(value)' is listed twice"
        case .empty: "must not be empty"
        case .unknownFormat: "unrecognized format"
        }
    }
}
