package import AppReceipt

/// A purchase of receipts that were verified before, as an audit keeps it.
package struct KeptPurchase: Sendable {
    package var productID: String?
    package var transactionID: String?
    package var originalTransactionID: String?
    package var promotionalOfferIdentifier: String?
    package var purchaseDate: Timestamp?
    package var expiresDate: Timestamp?
    package var cancellationDate: Timestamp?
    /// By its name in the contract.
    package var productType: String?
    package var isTrialPeriod: Bool?
    package var isInIntroOfferPeriod: Bool?

    package init() {}
}

extension PurchaseHistory {
    /// The purchases of one customer, each once, of receipts that whoever kept them had verified.
    /// - Parameter evidenceDate: the creation date of the newest receipt.
    package init(
        kept purchases: some Sequence<KeptPurchase>, bundleID: String?, environment: ReceiptEnvironment?,
        realm: TrustRealm?, evidenceDate: Timestamp?
    ) {
        var builder = HistoryBuilder()
        builder.bundle = builder.slice(bundleID)
        builder.environment = environment
        builder.realm = realm
        builder.evidenceDate = evidenceDate
        for purchase in purchases {
            var transaction = Transaction()
            transaction.product = builder.slice(purchase.productID)
            transaction.id = builder.slice(purchase.transactionID)
            transaction.original = builder.slice(purchase.originalTransactionID)
            transaction.offer = builder.slice(purchase.promotionalOfferIdentifier)
            transaction.purchased = purchase.purchaseDate
            transaction.expires = purchase.expiresDate
            transaction.cancelled = purchase.cancellationDate
            transaction.type = purchase.productType.map(InAppProductType.init(named:))
            transaction.isTrial = purchase.isTrialPeriod
            transaction.isIntro = purchase.isInIntroOfferPeriod
            builder.append(transaction)
        }
        self = builder.history
    }
}

extension InAppProductType {
    fileprivate init(named name: String) {
        self = (0...4).map(InAppProductType.init).first { $0.name == name } ?? .undocumented
    }
}
