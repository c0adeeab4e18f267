import ReceiptASN1
import StrictJSON

// Name ::= CHOICE { rdnSequence SEQUENCE OF RelativeDistinguishedName }
// RelativeDistinguishedName ::= SET SIZE (1..MAX) OF AttributeTypeAndValue
// AttributeTypeAndValue ::= SEQUENCE {
//     type  AttributeType,
//     value AttributeValue }
//
// RFC 5280, 4.1.2.4. The text has the form of RFC 4514 in the order of the certificate, as OpenSSL prints it
// (XN_FLAG_RFC2253 without reversal, ASN1_STRFLGS_ESC_CTRL, UTF-8). Values that are invalid for their string
// type become `#` and digits, like values of other types; OpenSSL prints them unchanged or not at all.

/// The text of a Name. Swift code creates it without OpenSSL, because the certificate may be unsigned.
struct NameText {
    /// The maximum length in bytes of UTF-8. Longer text is cut off between characters.
    static let maximumCount = 1023

    /// The text for a name that cannot be read. Every other text contains `=` or is empty.
    static let unreadable = "unreadable"

    private var utf8: [UInt8] = []

    /// Returns the text of a Name.
    /// - Parameter name: the range of the whole Name in `bytes`.
    static func text(of name: Range<Int>, in bytes: Span<UInt8>) -> String {
        var text = NameText()
        var reader = ASN1Reader(bytes, in: name)
        do throws(ASN1Error) {
            try text.read(&reader, bytes)
            try reader.finish()
        } catch {
            return unreadable
        }
        return text.description
    }

    private mutating func read(_ reader: inout ASN1Reader, _ bytes: Span<UInt8>) throws(ASN1Error) {
        try reader.constructed(.sequence) { (reader) throws(ASN1Error) in
            var separator = ""
            while !reader.isAtEnd {
                try reader.constructed(.set) { (reader) throws(ASN1Error) in
                    repeat {
                        if !isFull { append(separator) }
                        try attribute(&reader, bytes)
                        separator = "+"
                    } while !reader.isAtEnd
                }
                separator = ","
            }
        }
    }

    private mutating func attribute(_ reader: inout ASN1Reader, _ bytes: Span<UInt8>) throws(ASN1Error) {
        try reader.constructed(.sequence) { (reader) throws(ASN1Error) in
            let type = try reader.objectIdentifier()
            let tag = reader.nextTag
            let element = try reader.element()
            // Skips attributes that would be cut off, because a certificate has room for hundreds.
            if isFull { return }
            let shortName = shortNames[type]
            append(shortName ?? type.description)
            append("=")
            guard shortName != nil, let tag, let value = attributeText(tag, of: element, in: bytes) else {
                return appendDigits(of: element, in: bytes)
            }
            append(value)
        }
    }

    private var isFull: Bool { utf8.count > Self.maximumCount }

    private mutating func append(_ text: String) { utf8 += Array(text.utf8) }

    /// Appends upper-case digits, as in RFC 4514.
    private mutating func append(digitsOf byte: UInt8) {
        utf8.append(hexadecimal: byte, letter: UInt8(ascii: "A"))
    }

    /// Appends "#" and the digits of the whole element (RFC 4514, 2.4).
    private mutating func appendDigits(of element: Range<Int>, in bytes: Span<UInt8>) {
        append("#")
        for index in element where !isFull { append(digitsOf: bytes[index]) }
    }

    /// Appends the value with backslashes where necessary, and control characters as digits (RFC 4514, 2.4).
    private mutating func append(_ value: [Unicode.Scalar]) {
        let last = value.count - 1
        for (index, scalar) in value.enumerated() where !isFull {
            switch scalar {
            case "\"", "+", ",", ";", "<", ">", "\\": append("\\\(scalar)")
            case " " where index == 0 || index == last, "#" where index == 0: append("\\\(scalar)")
            case "\0"..<" ", "\u{7F}"..<"\u{A0}":
                for byte in String(scalar).utf8 {
                    append("\\")
                    append(digitsOf: byte)
                }
            default: append(String(scalar))
            }
        }
    }

    private var description: String {
        var count = min(utf8.count, Self.maximumCount)
        if count < utf8.count { while count > 0, utf8[count] & 0xC0 == 0x80 { count -= 1 } }
        return String(decoding: utf8[..<count], as: UTF8.self)
    }
}

/// Returns the text of an attribute's value. Returns nil if the type is not a string type, or if the bytes are
/// invalid for it.
private func attributeText(
    _ tag: ASN1Tag, of element: Range<Int>, in bytes: Span<UInt8>
) -> [Unicode.Scalar]? {
    var reader = ASN1Reader(bytes, in: element)
    guard let content = try? reader.primitive(tag) else { return nil }
    let octets = content.map { bytes[$0] }
    switch tag.rawValue {
    case 0x0C: return String(validating: octets, as: UTF8.self).map { Array($0.unicodeScalars) }
    // NumericString, PrintableString, T61String, IA5String, UTCTime, GeneralizedTime, VisibleString.
    // T61String is read as ISO 8859-1, which is common practice.
    case 0x12, 0x13, 0x14, 0x16, 0x17, 0x18, 0x1A: return octets.map { Unicode.Scalar($0) }
    case 0x1C: return scalars(of: 4, octets)
    case 0x1E: return scalars(of: 2, octets)
    default: return nil
    }
}

private func scalars(of size: Int, _ octets: [UInt8]) -> [Unicode.Scalar]? {
    guard octets.count.isMultiple(of: size) else { return nil }
    let scalars = stride(from: 0, to: octets.count, by: size).compactMap { start in
        Unicode.Scalar(octets[start..<start + size].reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
    }
    return scalars.count == octets.count / size ? scalars : nil
}

/// OpenSSL's short names of the attribute types in names. Other types are written as numbers.
private let shortNames: [ASN1ObjectIdentifier: String] = {
    // Under 2.5.4.
    let common: [UInt8: String] = [
        3: "CN", 4: "SN", 5: "serialNumber", 6: "C", 7: "L", 8: "ST", 9: "street", 10: "O", 11: "OU",
        12: "title",
        13: "description", 15: "businessCategory", 17: "postalCode", 41: "name", 42: "GN", 43: "initials",
        44: "generationQualifier", 46: "dnQualifier", 65: "pseudonym", 97: "organizationIdentifier",
    ]
    var names: [ASN1ObjectIdentifier: String] = [
        // 1.2.840.113549.1.9.1, 0.9.2342.19200300.100.1.1 and 25
        ASN1ObjectIdentifier([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 9, 1]): "emailAddress",
        ASN1ObjectIdentifier([0x09, 0x92, 0x26, 0x89, 0x93, 0xF2, 0x2C, 0x64, 1, 1]): "UID",
        ASN1ObjectIdentifier([0x09, 0x92, 0x26, 0x89, 0x93, 0xF2, 0x2C, 0x64, 1, 25]): "DC",
    ]
    for (number, name) in common { names[ASN1ObjectIdentifier([0x55, 4, number])] = name }
    return names
}()
