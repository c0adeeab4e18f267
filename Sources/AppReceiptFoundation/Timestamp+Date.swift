public import AppReceipt

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension Date {
    /// The same instant. A `Date` counts in binary fractions of a second, so that it is exact to less than a
    /// microsecond; ``AppReceipt/Timestamp/init(_:)`` gives the same milliseconds back.
    public init(_ timestamp: Timestamp) {
        self.init(timeIntervalSince1970: Double(timestamp.millisecondsSince1970) / 1000)
    }
}

extension Timestamp {
    /// The same instant, rounded to the nearest millisecond. Dates that 64 bits of milliseconds cannot count become the
    /// first or the last that they can; one that is no number becomes the first.
    public init(_ date: Date) {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
        self.init(
            millisecondsSince1970: Int64(exactly: milliseconds) ?? (milliseconds > 0 ? .max : .min))
    }
}
