/// A range of UTF-8 text in a separate buffer.
package struct TextSlice: Hashable, Sendable {
    package let offset: UInt32
    package let count: UInt32

    package init(offset: Int, count: Int) {
        self.offset = UInt32(truncatingIfNeeded: offset)
        self.count = UInt32(truncatingIfNeeded: count)
    }

    package var range: Range<Int> { Int(offset)..<Int(offset) + Int(count) }
}

extension TextSlice {
    init?(_ slice: PayloadSlice) {
        guard let range = slice.range else { return nil }
        self.init(offset: range.lowerBound, count: range.count)
    }
}
