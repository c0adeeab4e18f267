/// Eight bytes of JSON text at a time: nearly all of it is plain.
extension UInt64 {
    @inlinable
    package static var ones: UInt64 { 0x0101_0101_0101_0101 }

    /// Not 0 unless all eight bytes are printable ASCII (DEL included) other than the quote and the backslash.
    @inlinable
    @inline(__always)
    package var oddities: UInt64 {
        let quote = self ^ (Self.ones &* 0x22)
        let backslash = self ^ (Self.ones &* 0x5C)
        let hits = (quote &- Self.ones) | (backslash &- Self.ones) | (self &- (Self.ones &* 0x20))
        return (hits | self) & (Self.ones &* 0x80)
    }

    /// Whether all eight bytes stand in a JSON string as they are: as above, and no DEL.
    @inlinable
    @inline(__always)
    package var isPlainText: Bool {
        let delete = self ^ (Self.ones &* 0x7F)
        return (oddities | (delete &- Self.ones) & (Self.ones &* 0x80)) == 0
    }
}
