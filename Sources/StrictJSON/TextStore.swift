/// Functions that store text in reserved memory and advance the pointer past it.
extension UnsafeMutablePointer<UInt8> {
    @inlinable
    @inline(__always)
    package mutating func store(_ byte: UInt8) {
        unsafe pointee = byte
        unsafe self += 1
    }

    /// Stores a literal. Inlining lets the compiler store its text as constants.
    @inlinable
    @inline(__always)
    package mutating func store(_ text: StaticString) {
        unsafe update(from: text.utf8Start, count: text.utf8CodeUnitCount)
        unsafe self += text.utf8CodeUnitCount
    }

    @inlinable
    @inline(__always)
    package mutating func store(decimal value: some FixedWidthInteger) {
        if value < 0 { unsafe store(UInt8(ascii: "-")) }
        let magnitude = UInt64(value.magnitude)
        // Most numbers are versions and quantities.
        guard magnitude >= 10 else {
            return unsafe store(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: magnitude))
        }
        // Attribute types have four digits.
        if 1000..<10_000 ~= magnitude {
            let (high, low) = UInt32(magnitude).quotientAndRemainder(dividingBy: 100)
            unsafe store(twoDigits: high)
            unsafe store(twoDigits: low)
        } else {
            unsafe self += storeDigits(of: magnitude)
        }
    }

    /// Stores the decimal digits.
    /// - Returns: The number of digits.
    @usableFromInline
    package func storeDigits(of value: UInt64) -> Int {
        var length = 1
        var bound: UInt64 = 10
        // A 64-bit number has at most 20 digits, and a bound with 21 digits does not fit.
        while length < decimalCapacity && value >= bound {
            length += 1
            bound &*= 10
        }
        var rest = value
        for index in (0..<length).reversed() {
            unsafe self[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        return length
    }

    @inlinable
    @inline(__always)
    package mutating func store(twoDigits value: UInt32) {
        unsafe store(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: value / 10))
        unsafe store(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: value % 10))
    }

    /// Stores two lower-case digits for each byte.
    @inlinable
    @inline(__always)
    package mutating func store(hexadecimal value: Span<UInt8>) {
        unsafe storeDigits(of: value)
        unsafe self += 2 * value.count
    }

    @usableFromInline
    package func storeDigits(of value: Span<UInt8>) {
        let digits = unsafe self
        // Without a check per byte, the compiler vectorizes the loop.
        unsafe value.withUnsafeBufferPointer { value in
            for index in value.indices {
                unsafe digits[2 &* index] = hexadecimalDigit(value[index] >> 4)
                unsafe digits[2 &* index &+ 1] = hexadecimalDigit(value[index] & 15)
            }
        }
    }
}

/// The maximum length of a 64-bit number in bytes.
@inlinable
package var decimalCapacity: Int { 20 }
