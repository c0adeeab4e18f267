/// An instant in milliseconds since 1970-01-01T00:00:00Z, without leap seconds, as in receipts.
///
/// This type makes dates independent of the machine's locale and time zone database, and of floating-point
/// arithmetic. `AppReceiptFoundation` converts from and to `Date`.
public struct Timestamp: Hashable, Sendable {
    /// The milliseconds since 1970-01-01T00:00:00Z, negative for earlier instants.
    public let millisecondsSince1970: Int64

    /// Creates the instant that is `millisecondsSince1970` milliseconds after 1970-01-01T00:00:00Z.
    public init(millisecondsSince1970: Int64) {
        self.millisecondsSince1970 = millisecondsSince1970
    }

    /// The whole seconds since 1970-01-01T00:00:00Z, rounded down. Certificate validity is in seconds.
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
