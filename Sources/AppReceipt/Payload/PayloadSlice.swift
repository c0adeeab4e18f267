/// An optional range of the payload.
package struct PayloadSlice: Sendable {
    private let offset: UInt32
    private let count: UInt32

    package static let absent = PayloadSlice(offset: 0, count: .max)

    package var range: Range<Int>? {
        count == .max ? nil : Int(offset)..<Int(offset) + Int(count)
    }
}

extension PayloadSlice {
    init(_ range: Range<Int>) {
        self.init(
            offset: UInt32(truncatingIfNeeded: range.lowerBound),
            count: UInt32(truncatingIfNeeded: range.count))
    }
}
