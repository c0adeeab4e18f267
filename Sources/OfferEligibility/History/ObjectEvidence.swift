import AppReceipt

/// The evidence in one verified object.
struct ObjectEvidence: Sendable {
    let history: PurchaseHistory
    let form: EvidenceForm
    var renewal: SignedRenewal?
}

extension ObjectEvidence {
    init(_ object: VerifiedObject) {
        var history = PurchaseHistory()
        var renewal: SignedRenewal?
        switch object {
        case .receipt(let receipt):
            self.init(history: PurchaseHistory(receipt), form: .receipt)
            return
        case .transaction(let transaction):
            var facts = history.facts(
                of: transaction, group: transaction.subscriptionGroupIdentifier,
                ownership: transaction.inAppOwnershipType)
            facts.take(
                offer: history.slice(
                    redeemedOffer(transaction.offerIdentifier, ofType: transaction.offerType)),
                identifier: transaction.offerIdentifier, ofType: transaction.offerType,
                discount: transaction.offerDiscountType, isUpgraded: transaction.isUpgraded,
                revocation: transaction.revocationType, share: transaction.revocationPercentage)
            history.transactions = [facts]
        case .transactionReceipt(let receipt):
            let facts = history.facts(
                of: receipt, group: receipt.subscriptionGroupIdentifier,
                ownership: receipt.inAppOwnershipType)
            history.transactions = [facts]
        case .renewalInfo(let information): renewal = SignedRenewal(information)
        case .appTransaction, .notification, .realtimeRequest: break
        }
        history.coverage = history.transactions.isEmpty ? .nothing : .single
        history.bundle = history.slice(object.bundleID)
        history.account = history.slice(object.appTransactionID?.unlessUnnamed)
        (history.environment, history.realm) = (object.object.environment, object.object.realm)
        history.evidenceDate = object.object.verifiedAt
        self.init(
            history: history, form: object.jws == nil ? .transactionReceipt : .signed, renewal: renewal)
    }
}
