import AppReceipt
import Foundation
import TestSupport
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

    /// Checks every character at every position, in steps of 32 and 64 characters and in the remainder. A
    /// first character "0" would begin a SEQUENCE.
    @Test(arguments: [40, 104])
    func decodesEveryCharacterEverywhere(count: Int) {
        for place in 1..<count {
            for character in Self.alphabet {
                var text = Self.text(count)
                text[place] = character
                #expect(Self.decoded(text) == Self.plainlyDecoded(text))
            }
        }
    }

    /// Checks that every other byte at every position is refused with the right fault and offset.
    @Test(arguments: [40, 104])
    func refusesEveryOtherByteEverywhere(count: Int) {
        for place in 1..<count - 1 {
            for byte in UInt8.min...UInt8.max where !Self.alphabet.contains(byte) {
                var text = Self.text(count)
                text[place] = byte
                let fault: InputEncoding.Fault
                var offset = place
                switch byte {
                // A line may end anywhere. The text is then one character short.
                case 0x0A, 0x0D: (fault, offset) = (.incomplete, count)
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
                        offset = (place..<count).first(where: isOther) ?? count
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
            #expect(der == bytes, "\(length)")
            #expect(encoding == .base64URL, "\(length)")
        }
    }

    /// Checks texts of every length in both alphabets, and any other byte at every position.
    @Test(arguments: [StrictBase64.standard, .url])
    func strictDecoderNamesTheFirstFault(alphabet: StrictBase64) {
        let others: [UInt8: UInt8] = alphabet == .url ? [0x2B: 0x2D, 0x2F: 0x5F] : [:]
        for count in 0...100 {
            var text = Self.text(count)
            if count > 0 { text[count - 1] = UInt8(ascii: "A") }
            let bytes = Self.plainlyDecoded(text)
            text = text.map { others[$0] ?? $0 }
            if alphabet == .standard, bytes != nil {
                text += Array(repeating: UInt8(ascii: "="), count: (4 - count % 4) % 4)
            }
            var fault = -1
            #expect(alphabet.decode(text.span, fault: &fault) == bytes, "\(count)")
            guard bytes != nil else { continue }
            for place in 0..<count {
                for byte in alphabet == .url ? Array("+/ =".utf8) : Array("-_ ".utf8) {
                    var wrong = text
                    wrong[place] = byte
                    #expect(alphabet.decode(wrong.span, fault: &fault) == nil)
                    #expect(fault == place, "\(byte) at \(place) of \(count)")
                }
            }
        }
    }

    /// Checks that 16 times the text takes less than 50 times as long, also if a character of the other
    /// alphabet is near its end. A decoder that searches it for each group takes 256 times as long.
    @Test
    func strictDecoderTakesLinearTime() {
        func time(_ count: Int) -> UInt64 {
            let text = [UInt8](repeating: 0x41, count: count) + [0x2F] + [UInt8](repeating: 0x41, count: 63)
            return Cost.time {
                var fault = 0
                #expect(StrictBase64.url.decode(text.span, fault: &fault) == nil)
            }
        }
        #expect(time(256_000) < 50 * max(time(16_000), 100_000))
    }
}
