public import AppReceipt

/// A reason why two evidence objects cannot belong to one customer.
public enum HistoryMergeError: Error, Hashable, Sendable {
    /// Two evidence objects contradict each other about one transaction.
    ///
    /// - Parameters:
    ///   - transactionID: The transaction identifier.
    ///   - fact: The fact on which they differ.
    ///   - first, second: The two objects.
    case conflict(transactionID: String, fact: Fact, first: Evidence, second: Evidence)

    /// Two evidence objects are of different apps. The values are their bundle IDs.
    case differentApps(first: Evidence, second: Evidence)

    /// Two evidence objects are of different Apple Accounts. The values are those of `appTransactionId`.
    case differentAccounts(first: Evidence, second: Evidence)

    /// Two evidence objects are of different environments, or one of them does not name its environment. The
    /// values are those of `ReceiptEnvironment`.
    case differentEnvironments(first: Evidence, second: Evidence)

    /// Two evidence objects have different trust anchor kinds. The values are those of `TrustAnchorKind`.
    case differentRealms(first: Evidence, second: Evidence)

    /// A fact that does not change after the purchase, or on which two evidence objects of the same date must
    /// agree.
    public enum Fact: String, Sendable {
        /// The product.
        case productID
        /// The first transaction of the subscription.
        case originalTransactionID
        /// The promotional or win-back offer that was redeemed.
        case promotionalOfferIdentifier
        /// The kind of product.
        case productType
        /// The purchase date.
        case purchaseDate
        /// Whether the purchase was a free trial.
        case isTrialPeriod
        /// Whether the purchase was made at an introductory price.
        case isInIntroOfferPeriod
        /// The end of the period.
        case expiresDate
        /// The cancellation date.
        case cancellationDate
    }

    /// One of the merged evidence objects, and its value of the fact.
    public struct Evidence: Hashable, Sendable {
        /// The index among the merged evidence, from 0.
        public let index: Int
        /// The date of the evidence, or nil if it has none.
        public let date: Timestamp?
        /// The value: unescaped text, a date in RFC 3339, `true` or `false`. Nil if the evidence does not
        /// contain the fact.
        public let value: String?
    }
}
