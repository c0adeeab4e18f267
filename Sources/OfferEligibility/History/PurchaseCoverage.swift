/// How much evidence lists of what a customer bought.
public enum PurchaseCoverage: Int, Sendable, Comparable {
    /// No purchases: app transactions, renewal information.
    case nothing
    /// Single purchases: signed transactions, transaction receipts.
    case single
    /// All subscriptions: an app receipt, a saved verifyReceipt answer, or a complete answer of Get Transaction History or Get
    /// All Subscription Statuses.
    case complete

    /// Whether the left one lists less.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
