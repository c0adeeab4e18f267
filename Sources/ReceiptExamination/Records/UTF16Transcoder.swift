/// A converter of a stream of UTF-16 to UTF-8. Half a surrogate pair becomes invalid UTF-8, so that only the
/// record that contains it is refused.
package struct UTF16Transcoder {
    private let isLittleEndian: Bool
    /// The first byte of a unit.
    private var half: UInt8?
    /// The first unit of a surrogate pair.
    private var high: UInt16?

    package init(isLittleEndian: Bool) { self.isLittleEndian = isLittleEndian }

    /// Whether the bytes so far end at the end of a character.
    package var isWhole: Bool { half == nil && high == nil }

    package mutating func append(_ bytes: ArraySlice<UInt8>, to text: inout [UInt8]) {
        for byte in bytes {
            guard let first = half else {
                half = byte
                continue
            }
            half = nil
            let (upper, lower) = isLittleEndian ? (byte, first) : (first, byte)
            append(UInt16(upper) << 8 | UInt16(lower), to: &text)
        }
    }

    private mutating func append(_ unit: UInt16, to text: inout [UInt8]) {
        if let high {
            self.high = nil
            if (0xDC00..<0xE000).contains(unit) {
                let scalar = 0x10000 + UInt32(high - 0xD800) << 10 + UInt32(unit - 0xDC00)
                text += [
                    UInt8(0xF0 | scalar >> 18), UInt8(0x80 | scalar >> 12 & 0x3F),
                    UInt8(0x80 | scalar >> 6 & 0x3F), UInt8(0x80 | scalar & 0x3F),
                ]
                return
            }
            appendThree(high, to: &text)
        }
        switch unit {
        case 0..<0x80: text.append(UInt8(unit))
        case 0x80..<0x800: text += [UInt8(0xC0 | unit >> 6), UInt8(0x80 | unit & 0x3F)]
        case 0xD800..<0xDC00: high = unit
        default: appendThree(unit, to: &text)
        }
    }

    private func appendThree(_ unit: UInt16, to text: inout [UInt8]) {
        text += [UInt8(0xE0 | unit >> 12), UInt8(0x80 | unit >> 6 & 0x3F), UInt8(0x80 | unit & 0x3F)]
    }
}
