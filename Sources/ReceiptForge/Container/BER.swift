/// A writer of BER and DER (X.690), correct by default and damaged on request.
///
/// All functions take and return bytes. Elements are nested by passing one function's result as the content
/// of another.
public enum BER {
    /// The encoding of an element's length octets.
    public enum Length: Hashable, Sendable {
        /// The shortest form, the only one that DER allows.
        case minimal
        /// The long form with this many octets, which may be more than needed.
        case padded(octets: Int)
        /// The indefinite form, ended by end-of-contents octets.
        case indefinite
        /// Damage: the indefinite form without its end-of-contents octets.
        case indefiniteWithoutEnd
        /// Damage: these octets, regardless of the content's length.
        case written([UInt8])
    }

    /// The identifier octets (X.690, 8.1.2) of the types that receipts and certificates use.
    public enum Tag {
        /// BOOLEAN, 0x01.
        public static let boolean: UInt8 = 0x01
        /// INTEGER, 0x02.
        public static let integer: UInt8 = 0x02
        /// BIT STRING, 0x03.
        public static let bitString: UInt8 = 0x03
        /// OCTET STRING, 0x04.
        public static let octetString: UInt8 = 0x04
        /// An OCTET STRING in chunks, 0x24.
        public static let constructedOctetString: UInt8 = 0x24
        /// NULL, 0x05.
        public static let null: UInt8 = 0x05
        /// OBJECT IDENTIFIER, 0x06.
        public static let objectIdentifier: UInt8 = 0x06
        /// UTF8String, 0x0C.
        public static let utf8String: UInt8 = 0x0C
        /// PrintableString, 0x13.
        public static let printableString: UInt8 = 0x13
        /// IA5String, 0x16.
        public static let ia5String: UInt8 = 0x16
        /// UTCTime, 0x17.
        public static let utcTime: UInt8 = 0x17
        /// GeneralizedTime, 0x18.
        public static let generalizedTime: UInt8 = 0x18
        /// SEQUENCE and SEQUENCE OF, 0x30.
        public static let sequence: UInt8 = 0x30
        /// SET and SET OF, 0x31.
        public static let set: UInt8 = 0x31

        /// Returns a constructed context-specific tag: `[number]` around other elements.
        public static func context(_ number: UInt8) -> UInt8 { 0xA0 | number }
        /// Returns a primitive context-specific tag: `[number] IMPLICIT` for a string.
        public static func primitiveContext(_ number: UInt8) -> UInt8 { 0x80 | number }
    }

    /// Returns an element: identifier, length and content octets.
    public static func element(_ tag: UInt8, _ content: [UInt8], length: Length = .minimal) -> [UInt8] {
        let header = header(tag, count: content.count, length: length)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(header.count + content.count + 2)
        bytes += header
        bytes += content
        if length == .indefinite { bytes += [0, 0] }
        return bytes
    }

    /// Returns the identifier and length octets of content with `count` bytes.
    public static func header(_ tag: UInt8, count: Int, length: Length = .minimal) -> [UInt8] {
        switch length {
        case .minimal where count < 0x80: [tag, UInt8(count)]
        case .minimal: [tag] + longLength(count, octets: (64 - count.leadingZeroBitCount + 7) / 8)
        case .padded(let octets): [tag] + longLength(count, octets: octets)
        case .indefinite, .indefiniteWithoutEnd: [tag, 0x80]
        case .written(let octets): [tag] + octets
        }
    }

    private static func longLength(_ count: Int, octets: Int) -> [UInt8] {
        [0x80 | UInt8(truncatingIfNeeded: octets)]
            + (0..<octets).reversed().map { $0 < 8 ? UInt8(truncatingIfNeeded: count >> ($0 * 8)) : 0 }
    }

    // MARK: Structures

    /// Returns the concatenation of the parts.
    public static func concatenated(_ parts: [[UInt8]]) -> [UInt8] {
        var bytes: [UInt8] = []
        for part in parts { bytes += part }
        return bytes
    }

    /// Returns a SEQUENCE of encoded elements.
    public static func sequence(_ parts: [UInt8]...) -> [UInt8] {
        element(Tag.sequence, concatenated(parts))
    }

    /// Returns a SET OF in DER's order, sorted by the bytes of the elements.
    public static func set(of elements: [[UInt8]]) -> [UInt8] {
        element(Tag.set, concatenated(sorted(elements)))
    }

    /// Returns the elements in the order of DER's SET OF (X.690, 11.6).
    public static func sorted(_ elements: [[UInt8]]) -> [[UInt8]] {
        elements.sorted { $0.lexicographicallyPrecedes($1) }
    }

    // MARK: Values

    /// A NULL.
    public static let null: [UInt8] = [Tag.null, 0]

    /// Returns a BOOLEAN, with 0xFF for true as in DER.
    public static func boolean(_ value: Bool) -> [UInt8] { [Tag.boolean, 1, value ? 0xFF : 0] }

    /// Returns an INTEGER in its shortest encoding.
    public static func integer(_ value: some BinaryInteger) -> [UInt8] {
        element(Tag.integer, integerContent(value))
    }

    /// Returns the shortest two's complement octets of an integer, without identifier and length.
    public static func integerContent(_ value: some BinaryInteger) -> [UInt8] {
        var rest = value
        var octets = [UInt8(truncatingIfNeeded: rest)]
        rest >>= 8
        // The loop ends when only the sign is left and the top bit has the same sign.
        while !(rest == 0 && octets[0] < 0x80) && !(rest == -1 && octets[0] >= 0x80) {
            octets.insert(UInt8(truncatingIfNeeded: rest), at: 0)
            rest >>= 8
        }
        return octets
    }

    /// Returns an OCTET STRING that is not split into chunks.
    public static func octetString(_ content: [UInt8]) -> [UInt8] { element(Tag.octetString, content) }

    /// Returns an OCTET STRING in chunks as Xcode writes it: constructed, with an indefinite length.
    ///
    /// - Parameters:
    ///   - content: The octets.
    ///   - chunkSize: The size of each chunk in bytes, at least 1.
    public static func chunkedOctetString(_ content: [UInt8], chunkSize: Int) -> [UInt8] {
        let chunks = stride(from: 0, to: content.count, by: max(1, chunkSize)).flatMap { start in
            octetString(Array(content[start..<min(start + max(1, chunkSize), content.count)]))
        }
        return element(Tag.constructedOctetString, chunks, length: .indefinite)
    }

    /// Returns a BIT STRING of these bytes.
    /// - Parameters:
    ///   - content: The bytes.
    ///   - unusedBits: The number of unused bits in the last byte.
    public static func bitString(_ content: [UInt8], unusedBits: UInt8 = 0) -> [UInt8] {
        element(Tag.bitString, [unusedBits] + content)
    }

    /// Returns a UTF8String with the text.
    public static func utf8String(_ text: String) -> [UInt8] { element(Tag.utf8String, Array(text.utf8)) }

    /// Returns an IA5String with the text's bytes.
    public static func ia5String(_ text: String) -> [UInt8] { element(Tag.ia5String, Array(text.utf8)) }

    /// Returns a Time (RFC 5280): UTCTime for 1950 to 2049, otherwise GeneralizedTime.
    ///
    /// - Parameter text: RFC 3339 in UTC, such as `2040-01-01T00:00:00Z`. Only its digits are read.
    public static func time(_ text: String) -> [UInt8] {
        let digits = Array(text.utf8.filter { (0x30...0x39).contains($0) }.prefix(14))
        let year = digits.prefix(4).reduce(0) { $0 * 10 + Int($1 - 0x30) }
        return (1950..<2050).contains(year)
            ? element(Tag.utcTime, digits.dropFirst(2) + [0x5A])
            : element(Tag.generalizedTime, digits + [0x5A])
    }
}
