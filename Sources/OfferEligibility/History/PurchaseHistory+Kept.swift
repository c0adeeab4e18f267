package import AppReceipt

/// A purchase of a receipt that was verified before, as an audit keeps it.
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

/// A receipt that was verified before, as an audit keeps it.
package struct KeptReceipt: Sendable {
    package let creationDate: Timestamp?
    package var purchases: [KeptPurchase] = []

    package init(creationDate: Timestamp?) { self.creationDate = creationDate }
}

extension PurchaseHistory {
    /// One history of receipts that whoever kept them had verified, as ``init(evidence:anyRefused:)`` makes it of them.
    package init(
        kept receipts: [KeptReceipt], bundleID: String?, environment: ReceiptEnvironment?, realm: TrustRealm?
    ) {
        var merge: EvidenceMerge?
        if receipts.count != 1 { merge = EvidenceMerge(bundleID: bundleID) }
        for receipt in receipts {
            let history = PurchaseHistory(
                receipt, bundleID: bundleID, environment: environment, realm: realm)
            guard merge != nil else {
                self = history
                return
            }
            merge?.take(EvidencePiece(history: history, form: .receipt))
        }
        self = merge?.history() ?? HistoryBuilder().history
    }

    private init(
        _ receipt: KeptReceipt, bundleID: String?, environment: ReceiptEnvironment?, realm: TrustRealm?
    ) {
        var builder = HistoryBuilder()
        builder.bundle = builder.slice(bundleID)
        builder.environment = environment
        builder.realm = realm
        builder.evidenceDate = receipt.creationDate
        for purchase in receipt.purchases {
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
