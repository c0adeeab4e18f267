/// The common properties of a purchase from a receipt (``InAppPurchase``), a signed transaction
/// (``VerifiedTransaction``) or a transaction receipt (``VerifiedTransactionReceipt``). Each of them may be
/// absent.
public protocol AppStorePurchase: Sendable {
    /// The number of items bought.
    var quantity: UInt32? { get }
    /// The product identifier.
    var productID: String? { get }
    /// The type of the product.
    var productType: InAppProductType? { get }
    /// The identifier of this transaction.
    var transactionID: String? { get }
    /// The identifier of the subscription's first transaction, or of the restored purchase.
    var originalTransactionID: String? { get }
    /// The date of the purchase or renewal.
    var purchaseDate: Timestamp? { get }
    /// The date of the original transaction.
    var originalPurchaseDate: Timestamp? { get }
    /// The end of a subscription period.
    var expiresDate: Timestamp? { get }
    /// The date of the refund, the revocation, or the upgrade that replaced the purchase.
    var cancellationDate: Timestamp? { get }
    /// The reason for the cancellation: 1 if the customer named an issue with the app, else 0.
    var cancellationReason: Int64? { get }
    /// Whether the purchase was a free trial.
    var isTrialPeriod: Bool? { get }
    /// Whether the purchase was an introductory offer other than a free trial.
    var isInIntroOfferPeriod: Bool? { get }
    /// The identifier of the promotional offer that was used.
    var promotionalOfferIdentifier: String? { get }
}

extension InAppPurchase: AppStorePurchase {}

extension AppStorePurchase {
    /// Visits the rows of a ``PurchaseRecord`` with the values of this purchase, which has another format.
    package func visit(
        _ visitor: inout (some AttributeVisitor & ~Copyable), webOrderLineItemID: String?
    ) {
        AttributeTable.inApp.visit(&visitor) { type in
            switch type {
            case 1701: .integer(quantity.map(Int64.init))
            case 1702: .string(productID)
            case 1703: .string(transactionID)
            case 1704: .date(purchaseDate)
            case 1705: .string(originalTransactionID)
            case 1706: .date(originalPurchaseDate)
            case 1707: .productType(productType)
            case 1708: .date(expiresDate)
            case 1711: .string(webOrderLineItemID)
            case 1712: .date(cancellationDate)
            case 1713: .flag(isTrialPeriod)
            case 1719: .flag(isInIntroOfferPeriod)
            case 1720: .integer(cancellationReason)
            case 1721: .string(promotionalOfferIdentifier)
            default: nil
            }
        }
    }
}
