/// Why bytes are not what a grammar demands, and where.
public struct ASN1Error: Error, Hashable, Sendable {
    /// What was wrong.
    public let fault: ASN1Fault

    /// Index of the first byte of the element at fault, counted from the start of the input.
    public let offset: Int

    /// The names of the enclosing fields, outermost first, for example `signerInfos[0].signature`.
    public private(set) var path: String

    /// - Parameters:
    ///   - fault: what was wrong.
    ///   - offset: where, in bytes from the start of the input.
    ///   - path: in which field; empty where that has no name.
    public init(_ fault: ASN1Fault, at offset: Int, path: String = "") {
        self.fault = fault
        self.offset = offset
        self.path = path
    }

    /// The same error seen from the field that encloses it.
    public func within(_ field: String) -> ASN1Error {
        var error = self
        let needsDot = !path.isEmpty && !path.hasPrefix("[")
        error.path = field + (needsDot ? "." : "") + path
        return error
    }

    /// The same error where the input is itself a part of something.
    public func moved(to offset: Int) -> ASN1Error {
        ASN1Error(fault, at: offset, path: path)
    }
}

extension ASN1Error: CustomStringConvertible {
    /// What was wrong, and where.
    public var description: String {
        path.isEmpty ? "\(fault) (offset \(offset))" : "\(fault) (\(path), offset \(offset))"
    }
}

/// What was wrong with an element.
public enum ASN1Fault: Hashable, Sendable {
    /// The input ends inside the identifier or the length.
    case truncatedHeader
    /// The length promises more bytes than the enclosing element has left.
    case truncatedContent(length: UInt64, available: Int)
    /// The length octet 0xFF, reserved by X.690, 8.1.3.5.
    case reservedLength
    /// A length of more than eight octets.
    case lengthOverflow
    /// A tag number above 30.
    case highTagNumber
    /// An indefinite length on a primitive element (X.690, 8.1.3.2).
    case indefinitePrimitive
    /// End-of-contents octets where none may stand, or with a length.
    case unexpectedEndOfContents
    /// More constructed elements inside one another than the limit allows.
    case nestingTooDeep(limit: Int)
    /// Another element than the grammar names here.
    case unexpectedTag(expected: ASN1Tag, found: ASN1Tag)
    /// The enclosing element ends where one more element must stand.
    case missingElement(expected: ASN1Tag?)
    /// The enclosing element, or the input, goes on where it must end.
    case trailingBytes
    /// An INTEGER without content.
    case emptyInteger
    /// An INTEGER outside the range of its field.
    case integerOutOfRange
    /// Bytes that are no text of the string type.
    case invalidText
    /// A text that is no RFC 3339 date-time.
    case invalidDate
    /// A value that the field does not allow.
    case unexpectedValue
    /// A second value for what may stand once.
    case duplicate
    /// Something that must be there is not.
    case missing
    /// Bytes that must be DER because they are signed are not.
    case notDER
    /// An element of more bytes than the caller's limit allows.
    case tooLong(limit: Int)
    /// More elements than the caller's limit allows.
    case tooMany(limit: Int)
}

extension ASN1Fault: CustomStringConvertible {
    public var description: String {
        switch self {
        case .truncatedHeader: "the input ends inside an element's header"
        case .truncatedContent(let length, let available):
            "an element of \(length) bytes where \(available) are left"
        case .reservedLength: "the reserved length octet 0xFF"
        case .lengthOverflow: "a length of more than eight octets"
        case .highTagNumber: "a tag number above 30"
        case .indefinitePrimitive: "an indefinite length on a primitive element"
        case .unexpectedEndOfContents: "end-of-contents where none may stand"
        case .nestingTooDeep(let limit): "more than \(limit) elements inside one another"
        case .unexpectedTag(let expected, let found): "\(found) where \(expected) must stand"
        case .missingElement(let expected): "\(expected.map(\.description) ?? "an element") is missing"
        case .trailingBytes: "more bytes where the element must end"
        case .emptyInteger: "an INTEGER without content"
        case .integerOutOfRange: "an INTEGER out of range"
        case .invalidText: "bytes that are no text of this type"
        case .invalidDate: "a text that is no date"
        case .unexpectedValue: "a value that is not allowed here"
        case .duplicate: "a second value for what may stand once"
        case .missing: "a required value is missing"
        case .notDER: "signed bytes that are not DER"
        case .tooLong(let limit): "an element of more than \(limit) bytes"
        case .tooMany(let limit): "more than \(limit) elements"
        }
    }
}
