/// What there is to know of one purchase, whoever tells of it: a receipt (``InAppPurchase``), a signed transaction
/// (``VerifiedTransaction``) or an old transaction receipt (``VerifiedTransactionReceipt``). Any of it may be absent.
public protocol AppStorePurchase: Sendable {
    var quantity: UInt32? { get }
    var productID: String? { get }
    var productType: InAppProductType? { get }
    var transactionID: String? { get }
    /// The first transaction of a subscription, or the purchase that was restored.
    var originalTransactionID: String? { get }
    var purchaseDate: Timestamp? { get }
    var originalPurchaseDate: Timestamp? { get }
    /// The end of a subscription period.
    var expiresDate: Timestamp? { get }
    /// When the purchase was refunded, revoked, or replaced by an upgrade.
    var cancellationDate: Timestamp? { get }
    /// 1 where the customer named an issue with the app, else 0.
    var cancellationReason: Int64? { get }
    var isTrialPeriod: Bool? { get }
    var isInIntroOfferPeriod: Bool? { get }
    var promotionalOfferIdentifier: String? { get }
}

extension InAppPurchase: AppStorePurchase {}
