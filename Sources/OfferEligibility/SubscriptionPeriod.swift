public import AppReceipt

/// A period of a subscription, for display.
public struct SubscriptionPeriod: Hashable, Sendable {
    /// The kind of payment for a period.
    public enum Kind: String, Sendable {
        /// A free trial, or a period that was free under another offer.
        case trial
        /// A period at an introductory price.
        case intro
        /// A period at the full price, as far as the evidence shows.
        case paid
        /// A period that was canceled, but not by a switch within the group.
        case refunded
        /// A period that a family member bought and shares.
        case shared
        /// A period with an unknown ownership.
        case unknown
    }

    /// The transaction identifier, or nil if the evidence does not contain it.
    public let transactionID: String?
    /// The product identifier, or nil if the evidence does not contain it.
    public let productID: String?
    /// The purchase date, or nil if the evidence does not contain it.
    public let start: Timestamp?
    /// The expiration or the cancellation, whichever is earlier.
    public let end: Timestamp
    /// The kind of payment for the period.
    public let kind: Kind
}
