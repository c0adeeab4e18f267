import CReceiptCrypto

/// A strict decoder of RFC 4648 base64 for text that programs wrote and signed. It accepts only one
/// alphabet and the padding usual for that alphabet. It rejects white space and bits after the last byte
/// (3.5), which would let several texts encode the same bytes.
package enum StrictBase64 {
    /// The alphabet of section 4, with padding.
    case standard
    /// The alphabet of section 5, without padding (RFC 7515, 2).
    case url

    /// Returns the decoded bytes. If the text is invalid, returns nil and sets `fault` to the index of the
    /// first faulty character. If no character is faulty, `fault` is the end of the characters.
    package func decode(_ text: Span<UInt8>, fault: inout Int) -> [UInt8]? {
        var end = text.count
        if self == .standard {
            fault = end
            guard end.isMultiple(of: 4) else { return nil }
            var padding = 0
            while padding < 2, end > 0, text[end - 1] == UInt8(ascii: "=") {
                end -= 1
                padding += 1
            }
        }
        let table = self == .standard ? standardSextets : urlSextets
        // The fast path writes whole blocks, so the last one extends beyond the decoded bytes.
        var bytes = [UInt8](repeating: 0, count: end / 4 * 3 + 35)
        var count = 0
        var index = 0
        var bits: UInt32 = 0
        var isPlain = true
        while index < end {
            if isPlain, index.isMultiple(of: 4) {
                let run = plainRun(text.extracting(index..<end), into: &bytes, from: count)
                isPlain = run != nil
                count += (run ?? 0) / 4 * 3
                index += run ?? 0
                guard index < end else { break }
            }
            let value = table[Int(text[index])]
            guard value < 64 else {
                fault = index
                return nil
            }
            bits = bits << 6 | UInt32(value)
            index += 1
            guard index.isMultiple(of: 4) else { continue }
            bytes[count] = UInt8(truncatingIfNeeded: bits >> 16)
            bytes[count + 1] = UInt8(truncatingIfNeeded: bits >> 8)
            bytes[count + 2] = UInt8(truncatingIfNeeded: bits)
            count += 3
        }
        fault = end
        switch end % 4 {
        case 0: break
        case 2 where bits & 0xF == 0:
            bytes[count] = UInt8(truncatingIfNeeded: bits >> 4)
            count += 1
        case 3 where bits & 0x3 == 0:
            bytes[count] = UInt8(truncatingIfNeeded: bits >> 10)
            bytes[count + 1] = UInt8(truncatingIfNeeded: bits >> 2)
            count += 2
        default: return nil
        }
        bytes.removeLast(bytes.count - count)
        return bytes
    }

    /// Decodes leading characters of this alphabet, many at a time, and returns their number. Returns nil if
    /// `+` or `/` is among the characters of base64url. The caller then decodes one character at a time and
    /// finds the fault.
    private func plainRun(_ text: Span<UInt8>, into bytes: inout [UInt8], from count: Int) -> Int? {
        var hasPlusOrSlash = false
        let taken = unsafe bytes.withUnsafeMutableBufferPointer { bytes in
            unsafe text.withSlice { text in
                guard let first = bytes.baseAddress else { return 0 }
                return unsafe receipt_crypto_base64(text, first + count, bytes.count - count, &hasPlusOrSlash)
            }
        }
        // The C module decodes only the standard alphabet.
        return hasPlusOrSlash && self == .url ? nil : taken
    }
}

private func sextets(_ last: String) -> [UInt8] {
    var table = [UInt8](repeating: 255, count: 256)
    let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" + last
    for (value, character) in alphabet.utf8.enumerated() { table[Int(character)] = UInt8(value) }
    return table
}

/// The value of each character of an alphabet; 255 for other characters.
let standardSextets = sextets("+/")
let urlSextets = sextets("-_")
