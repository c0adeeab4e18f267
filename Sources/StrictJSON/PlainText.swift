/// Eight bytes of JSON text at a time: nearly all of it is plain.
extension UInt64 {
    @inlinable
    package static var ones: UInt64 { 0x0101_0101_0101_0101 }

    /// Not 0 unless all eight bytes are printable ASCII (DEL included) other than the quote and the backslash.
    @inlinable
    @inline(__always)
    package var oddities: UInt64 {
        // With this bit turned the quote is the lowest of what is no control character.
        let quoteOrControl = (self ^ (Self.ones &* 0x02)) &- (Self.ones &* 0x21)
        let backslash = (self ^ (Self.ones &* 0x5C)) &- Self.ones
        return (quoteOrControl | backslash | self) & (Self.ones &* 0x80)
    }

    /// Whether all eight bytes stand in a JSON string as they are: as above, and no DEL.
    @inlinable
    @inline(__always)
    package var isPlainText: Bool {
        let delete = self ^ (Self.ones &* 0x7F)
        return (oddities | (delete &- Self.ones) & (Self.ones &* 0x80)) == 0
    }
}

extension Span<UInt8> {
    /// Whether it has eight bytes or more, and all words of it are as wanted: the last eight bytes are looked at once
    /// more, so that none is on its own.
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

    /// How many bytes, 64 at a time, are none a quote, a backslash, a control character or outside ASCII.
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

/// The same of 64 bytes as ``Swift/UInt64/oddities`` of eight.
extension SIMD8<UInt64> {
    @inline(__always)
    fileprivate var oddities: SIMD8<UInt64> {
        let quoteOrControl = (self ^ (UInt64.ones &* 0x02)) &- (UInt64.ones &* 0x21)
        let backslash = (self ^ (UInt64.ones &* 0x5C)) &- UInt64.ones
        return (quoteOrControl | backslash | self) & (UInt64.ones &* 0x80)
    }
}
