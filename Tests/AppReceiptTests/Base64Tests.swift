import AppReceipt
import Testing

/// The fast base64 decoder compared with a decoder that reads one character at a time.
struct Base64Tests {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// Returns `count` characters that cover the alphabet, in an order in which no neighbors are
    /// interchangeable.
    private static func text(_ count: Int) -> [UInt8] { (0..<count).map { alphabet[($0 * 29 + 7) % 64] } }

    /// Decodes by RFC 4648, section 4, without line breaks, padding or the URL-safe alphabet.
    private static func plainlyDecoded(_ text: [UInt8]) -> [UInt8]? {
        var bytes: [UInt8] = []
        var bits = 0
        var bitCount = 0
        for character in text {
            guard let value = alphabet.firstIndex(of: character) else { return nil }
            bits = bits << 6 | value
            bitCount += 6
            guard bitCount >= 8 else { continue }
            bitCount -= 8
            bytes.append(UInt8(bits >> bitCount & 0xFF))
            bits &= 1 << bitCount - 1
        }
        return text.count % 4 != 1 && bits == 0 ? bytes : nil
    }

    private static func decoded(_ text: [UInt8]) -> [UInt8]? { try? InputEncoding.decode(text).der }

    @Test
    func decodesEveryLength() {
        for count in 1...200 {
            var text = Self.text(count)
            #expect(Self.decoded(text) == Self.plainlyDecoded(text), "\(count)")
            // An "A" at the end leaves no nonzero bits.
            text[count - 1] = UInt8(ascii: "A")
            #expect(Self.decoded(text) == Self.plainlyDecoded(text), "\(count)")
        }
    }

    /// Checks every character at every position, in full steps and in the remainder. A first character "0"
    /// would begin a SEQUENCE.
    @Test
    func decodesEveryCharacterEverywhere() {
        for place in 1..<40 {
            for character in Self.alphabet {
                var text = Self.text(40)
                text[place] = character
                #expect(Self.decoded(text) == Self.plainlyDecoded(text))
            }
        }
    }

    /// Checks that every other byte at every position is refused with the right fault and offset.
    @Test
    func refusesEveryOtherByteEverywhere() {
        for place in 1..<39 {
            for byte in UInt8.min...UInt8.max where !Self.alphabet.contains(byte) {
                var text = Self.text(40)
                text[place] = byte
                let fault: InputEncoding.Fault
                var offset = place
                switch byte {
                // A line may end anywhere. The text is then one character short.
                case 0x0A, 0x0D: (fault, offset) = (.incomplete, 40)
                // The decoder reports the first character after the blank.
                case 0x20, 0x09: (fault, offset) = (.blank, place + 1)
                case UInt8(ascii: "="):
                    fault = .padding
                    // Padding may follow two or three characters of a group of four. The characters after it
                    // are the fault.
                    if place % 4 >= 2 { offset = place + 1 }
                case UInt8(ascii: "-"), UInt8(ascii: "_"):
                    fault = .mixedAlphabets
                    let isOther = { (index: Int) in [0x2B, 0x2F].contains(text[index]) }
                    if !(0..<place).contains(where: isOther) {
                        offset = (place..<40).first(where: isOther) ?? 40
                    }
                default: fault = .unexpectedByte(byte)
                }
                let error = #expect(throws: ReceiptError.self) { try InputEncoding.decode(text) }
                #expect(error?.reason == .text(fault), "\(byte) at \(place)")
                #expect(error?.offset == offset, "\(byte) at \(place)")
            }
        }
    }

    /// Checks lines of every length, so that steps begin and end at every position, in both alphabets.
    @Test
    func decodesLinesOfEveryLength() throws {
        let text = Self.text(400)
        let bytes = try #require(Self.plainlyDecoded(text))
        for length in 1...80 {
            var lines: [UInt8] = []
            for (index, character) in text.enumerated() {
                if index > 0 && index % length == 0 { lines += [0x0D, 0x0A] }
                lines.append(character)
            }
            #expect(Self.decoded(lines) == bytes, "\(length)")
            let other = lines.map { $0 == 0x2B ? UInt8(ascii: "-") : $0 == 0x2F ? UInt8(ascii: "_") : $0 }
            let (der, encoding) = try InputEncoding.decode(other)
            #expect(der == bytes && encoding == .base64URL, "\(length)")
        }
    }
}
