import AppReceipt
import Testing

/// The quick way of the base64 decoder against one that takes a character at a time.
struct Base64Tests {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// All values, in an order that is no order, so that no two neighbours stand for each other.
    private static func text(_ count: Int) -> [UInt8] { (0..<count).map { alphabet[($0 * 29 + 7) % 64] } }

    /// What RFC 4648, 4 says, and nothing of lines, padding or the other alphabet.
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
            // The last character leaves no bits over.
            text[count - 1] = UInt8(ascii: "A")
            #expect(Self.decoded(text) == Self.plainlyDecoded(text), "\(count)")
        }
    }

    /// Every character, in every place of a step and of what is left behind the last one; but a "0" in front would
    /// be a SEQUENCE.
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

    /// Every other byte, in every place: refused there, for what it is.
    @Test
    func refusesEveryOtherByteEverywhere() {
        for place in 1..<39 {
            for byte in UInt8.min...UInt8.max where !Self.alphabet.contains(byte) {
                var text = Self.text(40)
                text[place] = byte
                let fault: InputEncoding.Fault
                var offset = place
                switch byte {
                // A line may end anywhere; then a character is missing at the end.
                case 0x0A, 0x0D: (fault, offset) = (.incomplete, 40)
                // Its first character is found to be one too many.
                case 0x20, 0x09: (fault, offset) = (.blank, place + 1)
                case UInt8(ascii: "="):
                    fault = .padding
                    // Allowed behind two or three characters of four: what follows is not.
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

    /// Lines of every length, so that steps begin and end everywhere; and the same in the other alphabet.
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
