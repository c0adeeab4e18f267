/// Returns bytes as lower-case hexadecimal text.
package func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    var text: [UInt8] = []
    for byte in bytes { text.append(hexadecimal: byte) }
    return String(decoding: text, as: UTF8.self)
}

extension [UInt8] {
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
