/// The extent to which evidence lists a customer's purchases.
public enum PurchaseCoverage: Int, Sendable, Comparable {
    /// No purchases: app transactions and renewal information.
    case nothing
    /// Single purchases: signed transactions and transaction receipts.
    case single
    /// All subscriptions: an app receipt, a saved verifyReceipt response, or a complete response of Get
    /// Transaction History or Get All Subscription Statuses.
    case complete

    /// Returns whether the left coverage lists less.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
