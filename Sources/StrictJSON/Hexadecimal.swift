extension UInt8 {
    /// Whether the byte is a digit in ASCII.
    @inlinable
    package var isDigit: Bool { (0x30...0x39).contains(self) }

    /// Whether the byte is a letter in ASCII.
    @inlinable
    package var isLetter: Bool { (0x61...0x7A).contains(self | 0x20) }

    /// The value of the hexadecimal digit in ASCII, or nil if the byte is not one.
    @inlinable
    package var hexadecimalDigit: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

extension [UInt8] {
    /// Decodes two hexadecimal digits per byte. Returns nil for any other text.
    @inlinable
    package init?(hexadecimal text: some Collection<UInt8>) {
        guard text.count.isMultiple(of: 2) else { return nil }
        self = []
        reserveCapacity(text.count / 2)
        var digits = text.makeIterator()
        while let high = digits.next(), let low = digits.next() {
            guard let high = high.hexadecimalDigit, let low = low.hexadecimalDigit else { return nil }
            append(high << 4 | low)
        }
    }

    /// Appends the two hexadecimal digits of a byte.
    /// - Parameter letter: The digit for 10, `a` or `A`.
    @inlinable
    package mutating func append(hexadecimal byte: UInt8, letter: UInt8 = UInt8(ascii: "a")) {
        append(hexadecimalDigit(byte >> 4, letter: letter))
        append(hexadecimalDigit(byte & 15, letter: letter))
    }
}

/// Returns the digit for a number from 0 to 15.
/// - Parameter letter: The digit for 10, `a` or `A`.
@inlinable
@inline(__always)
package func hexadecimalDigit(_ number: UInt8, letter: UInt8 = UInt8(ascii: "a")) -> UInt8 {
    number &+ (number < 10 ? UInt8(ascii: "0") : letter &- 10)
}
