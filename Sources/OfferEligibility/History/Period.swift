import AppReceipt

/// A period of a subscription. It is equal in the receipts of all devices, in which restored transactions have identifiers of
/// their own.
struct Period: Hashable {
    private let original: [UInt8]
    private let product: [UInt8]
    private let (purchased, expires): (Int64, Int64?)

    /// Creates the period of a transaction, or returns nil if it is not a subscription, or if a value but the expiration is missing.
    init?(_ transaction: Transaction, in history: PurchaseHistory) {
        guard transaction.isSubscription, let purchased = transaction.purchased,
            let original = transaction.original.map({ Array(history.text[$0.range]) }),
            let product = transaction.product.map({ Array(history.text[$0.range]) }),
            original != [], original != [UInt8(ascii: "0")]
        else { return nil }
        (self.original, self.product) = (original, product)
        (self.purchased, expires) = (purchased.secondsSince1970, transaction.expires?.secondsSince1970)
    }
}
