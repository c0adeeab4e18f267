/// The value of an OBJECT IDENTIFIER (X.690, 8.19).
public struct ASN1ObjectIdentifier: Hashable, Sendable {
    /// The maximum number of octets of a value. Longer values do not occur in practice.
    public static let maximumCount = 32

    // Stores the octets as one 256-bit number. A container has a dozen identifiers, and allocating an array
    // for each would take longer than reading them.
    private var high: UInt128 = 0
    private var low: UInt128 = 0
    private var count = 0

    /// Creates an identifier from the octets of its value.
    /// - Parameter content: at most ``maximumCount`` octets.
    public init(_ content: [UInt8]) {
        for octet in content { append(octet) }
    }

    fileprivate init() {}

    fileprivate mutating func append(_ octet: UInt8) {
        high = high << 8 | low >> 120
        low = low << 8 | UInt128(octet)
        count += 1
    }

    private var content: [UInt8] {
        let all = (0..<Self.maximumCount).reversed().map { index in
            UInt8(truncatingIfNeeded: index < 16 ? low >> (8 * index) : high >> (8 * (index - 16)))
        }
        return all.suffix(count)
    }
}

extension ASN1ObjectIdentifier: CustomStringConvertible {
    /// The identifier in dotted decimal notation; "?" replaces components above 64 bits.
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
    /// Reads an OBJECT IDENTIFIER of at most ``ASN1ObjectIdentifier/maximumCount`` octets.
    /// - Throws: ``ASN1Error``, with ``ASN1Fault/unexpectedValue`` if it is empty or longer.
    public mutating func objectIdentifier() throws(ASN1Error) -> ASN1ObjectIdentifier {
        let offset = position
        let content = try primitive(.objectIdentifier)
        guard (1...ASN1ObjectIdentifier.maximumCount).contains(content.count) else {
            throw ASN1Error(.unexpectedValue, at: offset)
        }
        var identifier = ASN1ObjectIdentifier()
        for index in content { identifier.append(bytes[index]) }
        return identifier
    }
}
