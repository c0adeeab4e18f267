import ReceiptASN1

/// The content of an OBJECT IDENTIFIER (X.690, 8.19).
struct ObjectIdentifier: Hashable {
    private let content: [UInt8]

    init(_ content: [UInt8]) { self.content = content }

    /// Reads one. Longer ones than an error message should show belong to nobody here and are refused.
    init(reading reader: inout ASN1Reader, of bytes: Span<UInt8>) throws(ASN1Error) {
        let offset = reader.position
        let range = try reader.primitive(.objectIdentifier)
        guard (1...32).contains(range.count) else { throw ASN1Error(.unexpectedValue, at: offset) }
        content = range.map { bytes[$0] }
    }

    /// 1.2.840.113549.1.7.1
    static let data = ObjectIdentifier([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 7, 1])
    /// 1.2.840.113549.1.7.2
    static let signedData = ObjectIdentifier([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 7, 2])
    /// 1.2.840.113549.1.9.3
    static let contentType = ObjectIdentifier([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 9, 3])
    /// 1.2.840.113549.1.9.4
    static let messageDigest = ObjectIdentifier([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 9, 4])
}

extension ObjectIdentifier: CustomStringConvertible {
    /// Dotted decimal; components above 64 bits are shown as "?".
    var description: String {
        var components: [String] = []
        var value: UInt64 = 0
        var isTooLarge = false
        for byte in content {
            isTooLarge = isTooLarge || value >> 57 != 0
            value = value << 7 | UInt64(byte & 0x7F)
            if byte & 0x80 != 0 { continue }
            if components.isEmpty && !isTooLarge {
                let first = min(value / 40, 2)
                components = [String(first), String(value - first * 40)]
            } else {
                components.append(isTooLarge ? "?" : String(value))
            }
            value = 0
            isTooLarge = false
        }
        return components.joined(separator: ".")
    }
}
