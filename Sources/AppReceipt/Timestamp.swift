/// An instant in milliseconds since 1970-01-01T00:00:00Z, without leap seconds, as receipts carry it.
///
/// The library has its own type because a receipt's dates must be read the same way on every machine:
/// no locale, no time zone database, no floating point. `AppReceiptFoundation` converts `Date` both ways.
public struct Timestamp: Hashable, Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z; negative before it.
    public let millisecondsSince1970: Int64

    /// The instant so many milliseconds after 1970-01-01T00:00:00Z, before it where negative.
    public init(millisecondsSince1970: Int64) {
        self.millisecondsSince1970 = millisecondsSince1970
    }

    /// Whole seconds since 1970-01-01T00:00:00Z, rounded towards the past: the unit of certificate validity.
    public var secondsSince1970: Int64 {
        let (quotient, remainder) = millisecondsSince1970.quotientAndRemainder(dividingBy: 1000)
        return remainder < 0 ? quotient - 1 : quotient
    }
}

extension Timestamp: Comparable {
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.millisecondsSince1970 < right.millisecondsSince1970
    }
}
