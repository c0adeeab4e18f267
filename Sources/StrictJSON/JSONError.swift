/// Why bytes are not the JSON that is called for, and where.
public struct JSONError: Error, Hashable, Sendable {
    /// What was wrong.
    public let fault: JSONFault

    /// Index of the byte at fault; where a value is at fault, of its first byte.
    public let offset: Int

    /// The members and elements around it, outermost first, for example
    /// `subscriptionGroups[0].subscriptions[2].productID`; empty for the whole.
    public let path: String

    /// For readers of values on top of this one.
    public init(_ fault: JSONFault, at offset: Int, path: String = "") {
        self.fault = fault
        self.offset = offset
        self.path = path
    }
}

/// What a value is.
public enum JSONKind: String, Hashable, Sendable {
    /// RFC 8259, 3; `bool` is true or false.
    case object, array, string, number, bool, null
}

/// What was wrong.
public enum JSONFault: Hashable, Sendable {
    // RFC 8259

    /// The input ends inside a value, or before it.
    case truncated
    /// A byte that the grammar does not allow where it stands.
    case unexpectedByte(UInt8)
    /// A control character that stands in a string as it is.
    case controlCharacter
    /// A backslash before anything but the escapes of RFC 8259, 7.
    case invalidEscape
    /// Half a surrogate pair, escaped.
    case loneSurrogate
    /// Bytes that are no UTF-8.
    case invalidUTF8
    /// More bytes behind the value.
    case trailingBytes
    /// The byte order mark, where the caller allows none.
    case byteOrderMark
    /// An object names one member twice. Names are compared byte by byte, escapes resolved.
    case duplicateMember

    // Limits

    /// More objects and arrays inside one another than the limit allows.
    case nestingTooDeep(limit: Int)
    /// A name, or a string, of more UTF-8 bytes than the caller's limit allows.
    case tooLong(limit: Int)
    /// More members, of all objects that are open, than the limit allows: their names are kept.
    case tooManyMembers(limit: Int)

    /// Names above the values that are called for, together longer than their number allows: each is told with its own.
    case longPaths

    // What the caller calls for

    /// A value of another kind than the one that is called for.
    case unexpectedKind(expected: JSONKind, found: JSONKind)
    /// A number with a fraction or an exponent where an integer is called for.
    case notAnInteger
    /// An integer that is too large or too small for what it counts.
    case integerOutOfRange
    /// A text that is no date.
    case invalidDate
    /// A value that the member does not allow.
    case unexpectedValue(String, notOneOf: [String] = [])
    /// A value with another problem, in words.
    case invalid(String)
    /// A member that must be there is not.
    case missing(String)
    /// A value that an earlier entry has, of a member that tells entries apart.
    case duplicate(String)
    /// Nothing stands where at least one entry is called for.
    case empty
    /// JSON, but none of the forms that can be read.
    case unknownForm
}

extension JSONError: CustomStringConvertible {
    public var description: String {
        path.isEmpty ? "at byte \(offset): \(fault)" : "\(path) (byte \(offset)): \(fault)"
    }
}

extension JSONFault: CustomStringConvertible {
    public var description: String {
        switch self {
        case .truncated: "not JSON: the input ends too early"
        case .unexpectedByte(let byte) where (0x21..<0x7F).contains(byte):
            "not JSON: '\(Character(Unicode.Scalar(byte)))' cannot stand here"
        case .unexpectedByte(let byte): "not JSON: byte 0x\(String(byte, radix: 16)) cannot stand here"
        case .controlCharacter: "not JSON: a control character in a string"
        case .invalidEscape: "not JSON: an escape that does not exist"
        case .loneSurrogate: "not JSON: half a surrogate pair"
        case .invalidUTF8: "not UTF-8"
        case .trailingBytes: "not JSON: more bytes behind the value"
        case .byteOrderMark: "a byte order mark"
        case .duplicateMember: "named twice in one object"
        case .nestingTooDeep(let limit): "more than \(limit) objects and arrays inside one another"
        case .tooLong(let limit): "more than \(limit) bytes"
        case .tooManyMembers(let limit): "more than \(limit) members"
        case .longPaths: "names too long for so many values below them"
        case .unexpectedKind(let expected, let found):
            "\(found.rawValue) where \(expected.rawValue) must stand"
        case .notAnInteger: "not a whole number"
        case .integerOutOfRange: "an integer out of range"
        case .invalidDate: "not a date"
        case .unexpectedValue(let value, let choices) where choices.isEmpty: "invalid value '\(value)'"
        case .unexpectedValue(let value, let choices):
            "'\(value)' is not one of \(choices.joined(separator: ", "))"
        case .invalid(let problem): problem
        case .missing(let name): "\(name) is missing"
        case .duplicate(let value): "'\(value)' is listed twice"
        case .empty: "must not be empty"
        case .unknownForm: "none of the forms that can be read"
        }
    }
}
