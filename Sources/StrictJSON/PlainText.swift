/// Scans eight bytes of JSON text at a time, because nearly all text needs no escapes.
extension UInt64 {
    @inlinable
    package static var ones: UInt64 { 0x0101_0101_0101_0101 }

    /// A number that is 0 if and only if all eight bytes are DEL or printable ASCII, without quotes and
    /// backslashes.
    @inlinable
    @inline(__always)
    package var oddities: UInt64 {
        // With this bit flipped, the quote is the lowest value above the control characters.
        let quoteOrControl = (self ^ (Self.ones &* 0x02)) &- (Self.ones &* 0x21)
        let backslash = (self ^ (Self.ones &* 0x5C)) &- Self.ones
        return (quoteOrControl | backslash | self) & (Self.ones &* 0x80)
    }

    /// Whether each of the eight bytes is printable ASCII, but not a quote or a backslash. Unlike
    /// ``oddities``, it does not allow DEL.
    @inlinable
    @inline(__always)
    package var isPlainText: Bool {
        let delete = self ^ (Self.ones &* 0x7F)
        return (oddities | (delete &- Self.ones) & (Self.ones &* 0x80)) == 0
    }
}

extension Span<UInt8> {
    /// Returns whether the span has at least eight bytes and all its words satisfy `isWanted`. The last word
    /// overlaps the one before it if the count is not a multiple of eight.
    @inlinable
    @inline(__always)
    package func allWords(_ isWanted: (UInt64) -> Bool) -> Bool {
        guard count >= 8 else { return false }
        var index = 0
        while index < count &- 8 {
            guard isWanted(unsafe bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)) else {
                return false
            }
            index &+= 8
        }
        return isWanted(unsafe bytes.unsafeLoadUnaligned(fromByteOffset: count &- 8, as: UInt64.self))
    }

    /// The length of the longest prefix without quotes, backslashes, control characters and bytes outside
    /// ASCII, rounded down to a multiple of 64.
    package var plainStretch: Int {
        unsafe bytes.withUnsafeBytes { bytes in
            var stretch = 0
            while bytes.count - stretch >= 64 {
                let oddities = unsafe bytes.loadUnaligned(
                    fromByteOffset: stretch, as: SIMD8<UInt64>.self
                ).oddities
                let half = oddities.lowHalf | oddities.highHalf
                let quarter = half.lowHalf | half.highHalf
                if quarter.x | quarter.y != 0 { break }
                stretch += 64
            }
            return stretch
        }
    }
}

/// The equivalent of ``Swift/UInt64/oddities`` for 64 bytes.
extension SIMD8<UInt64> {
    @inline(__always)
    fileprivate var oddities: SIMD8<UInt64> {
        let quoteOrControl = (self ^ (UInt64.ones &* 0x02)) &- (UInt64.ones &* 0x21)
        let backslash = (self ^ (UInt64.ones &* 0x5C)) &- UInt64.ones
        return (quoteOrControl | backslash | self) & (UInt64.ones &* 0x80)
    }
}
