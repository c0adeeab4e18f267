public import AppReceipt

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension Date {
    /// Creates the same instant. `Date` counts seconds in binary, so the result is not exact. From 1900 to
    /// 2100, it differs by less than a microsecond. For the years 0000 to 9999,
    /// ``AppReceipt/Timestamp/init(_:)`` returns the same milliseconds.
    public init(_ timestamp: Timestamp) {
        self.init(timeIntervalSince1970: Double(timestamp.millisecondsSince1970) / 1000)
    }
}

extension Timestamp {
    /// Creates the same instant, rounded to the nearest millisecond. Dates outside the range of 64-bit
    /// milliseconds become its first or last instant. A date whose value is NaN becomes the first.
    public init(_ date: Date) {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
        self.init(
            millisecondsSince1970: Int64(exactly: milliseconds) ?? (milliseconds > 0 ? .max : .min))
    }
}
