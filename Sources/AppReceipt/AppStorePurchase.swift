/// What there is to know of one purchase, whoever tells of it: a receipt (``InAppPurchase``), a signed transaction
/// (``VerifiedTransaction``) or a transaction receipt (``VerifiedTransactionReceipt``). Any of it may be absent.
public protocol AppStorePurchase: Sendable {
    /// How many were bought.
    var quantity: UInt32? { get }
    /// The product, by its identifier.
    var productID: String? { get }
    /// What kind of product it is.
    var productType: InAppProductType? { get }
    /// Of this transaction alone.
    var transactionID: String? { get }
    /// The first transaction of a subscription, or the purchase that was restored.
    var originalTransactionID: String? { get }
    /// When it was bought or renewed.
    var purchaseDate: Timestamp? { get }
    /// When the first transaction was.
    var originalPurchaseDate: Timestamp? { get }
    /// The end of a subscription period.
    var expiresDate: Timestamp? { get }
    /// When the purchase was refunded, revoked, or replaced by an upgrade.
    var cancellationDate: Timestamp? { get }
    /// 1 where the customer named an issue with the app, else 0.
    var cancellationReason: Int64? { get }
    /// Whether it was a free trial.
    var isTrialPeriod: Bool? { get }
    /// Whether it was an introductory offer that is no free trial.
    var isInIntroOfferPeriod: Bool? { get }
    /// The promotional offer that was used.
    var promotionalOfferIdentifier: String? { get }
}

extension InAppPurchase: AppStorePurchase {}
