import AppReceipt
import ReceiptASN1

/// The text of a primitive element's content, shortened to a limit.
struct ASN1ValueText {
    /// The limit, or nil for the whole content.
    let limit: Int?

    func text(of tag: ASN1Tag, _ content: [UInt8]) -> String {
        switch tag.rawValue {
        case 0x01 where content.count == 1: content[0] == 0 ? "FALSE" : "TRUE"
        case 0x02, 0x0A: integer(content)
        case 0x05 where content.isEmpty: ""
        case 0x06:
            if content.count > ASN1ObjectIdentifier.maximumCount {
                hex(content)
            } else {
                name(ASN1ObjectIdentifier(content))
            }
        case 0x0C, 0x12, 0x13, 0x14, 0x16, 0x1A: quoted(content)
        case 0x17, 0x18: date(content) ?? quoted(content)
        case 0x03 where content.first == 0: hex(content.dropFirst())
        case 0x03: "\(content.first.map { "\($0) bits unused: " } ?? "")\(hex(content.dropFirst()))"
        default: hex(content)
        }
    }

    private func name(_ identifier: ASN1ObjectIdentifier) -> String {
        identifier.name.map { "\($0) (\(identifier))" } ?? "\(identifier)"
    }

    private func integer(_ content: [UInt8]) -> String {
        guard (1...8).contains(content.count) else { return hex(content) }
        let start: Int64 = content[0] < 0x80 ? 0 : -1
        return String(content.reduce(start) { $0 << 8 | Int64($1) })
    }

    private func quoted(_ content: [UInt8]) -> String {
        guard let limit, content.count > limit * 4 else {
            return "\"\(String(decoding: content, as: UTF8.self).printable)\""
        }
        return
            "\"\(String(decoding: content.prefix(limit * 4), as: UTF8.self).printable)\"… (\(content.count) bytes)"
    }

    private func hex(_ content: some Collection<UInt8>) -> String {
        let text = hexadecimal(content.prefix(limit ?? .max))
        return limit.map { content.count > $0 } ?? false ? "\(text)… (\(content.count) bytes)" : text
    }

    /// Returns a UTCTime or GeneralizedTime in the format of RFC 5280, 4.1.2.5, as a date, or nil for another
    /// format.
    private func date(_ content: [UInt8]) -> String? {
        var digits = content.dropLast()
        guard content.last == UInt8(ascii: "Z"), digits.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        if digits.count == 12, let decade = digits.first {
            digits = (decade >= UInt8(ascii: "5") ? Array("19".utf8) : Array("20".utf8)) + digits
        }
        guard digits.count == 14 else { return nil }
        let text = Array(String(decoding: digits, as: UTF8.self))
        func part(_ range: Range<Int>) -> String { String(text[range]) }
        return
            "\(part(0..<4))-\(part(4..<6))-\(part(6..<8)) \(part(8..<10)):\(part(10..<12)):\(part(12..<14)) UTC"
    }
}
