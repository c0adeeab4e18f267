public import AppReceipt

/// The evaluation date of a verdict, and its source.
public enum EligibilityInstant: Hashable, Sendable {
    /// The reading of a clock. A reading earlier than the evidence means that the clock is wrong.
    case clock(Timestamp)

    /// A date of the caller's choice, in the past or the future. Later transactions are ignored.
    case date(Timestamp)

    /// The evaluation date as a timestamp.
    public var timestamp: Timestamp {
        switch self {
        case .clock(let timestamp), .date(let timestamp): timestamp
        }
    }
}
