/// The value of an OBJECT IDENTIFIER (X.690, 8.19).
public struct ASN1ObjectIdentifier: Hashable, Sendable {
    private let content: [UInt8]

    /// - Parameter content: the octets of the value.
    public init(_ content: [UInt8]) { self.content = content }
}

extension ASN1ObjectIdentifier: CustomStringConvertible {
    /// Dotted decimal; components above 64 bits are shown as "?".
    public var description: String {
        var components: [String] = []
        var value: UInt64 = 0
        var isTooLarge = false
        for byte in content {
            isTooLarge = isTooLarge || value >> 57 != 0
            value = value << 7 | UInt64(byte & 0x7F)
            if byte & 0x80 != 0 { continue }
            if components.isEmpty && !isTooLarge {
                let first = min(value / 40, 2)
                components.append(String(first))
                value -= first * 40
            }
            components.append(isTooLarge ? "?" : String(value))
            (value, isTooLarge) = (0, false)
        }
        return components.joined(separator: ".")
    }
}

extension ASN1Reader {
    /// Reads an OBJECT IDENTIFIER of at most 32 octets: more than anybody has named anything with.
    public mutating func objectIdentifier() throws(ASN1Error) -> ASN1ObjectIdentifier {
        let offset = position
        let content = try primitive(.objectIdentifier)
        guard (1...32).contains(content.count) else { throw ASN1Error(.unexpectedValue, at: offset) }
        return ASN1ObjectIdentifier(content.map { bytes[$0] })
    }
}
