/// An optional range of the payload.
package struct PayloadSlice: Sendable {
    private let offset: UInt32
    private let count: UInt32

    package static let absent = PayloadSlice(offset: 0, count: .max)

    private init(offset: UInt32, count: UInt32) {
        self.offset = offset
        self.count = count
    }

    init(_ range: Range<Int>) {
        offset = UInt32(truncatingIfNeeded: range.lowerBound)
        count = UInt32(truncatingIfNeeded: range.count)
    }

    package var range: Range<Int>? {
        count == .max ? nil : Int(offset)..<Int(offset) + Int(count)
    }
}
