import AppReceipt
import OfferEligibility

/// What verified renewal information says of the receipt's subscriptions.
///
/// Information counts where its transaction stands in the receipt, since it names no app itself, and where no period of the
/// subscription was bought after it was signed; of several about one subscription the newest does.
struct PendingRenewals {
    /// In the order in which the receipt names their subscriptions.
    let list: [VerifiedRenewalInfo]

    init(_ informations: [VerifiedRenewalInfo], of payload: ReceiptPayload) {
        // By the bytes of the original transaction id: text is compared by meaning.
        var byOriginal = Dictionary(grouping: informations) { Array(($0.originalTransactionID ?? "").utf8) }
        byOriginal[[]] = nil
        guard !byOriginal.isEmpty else {
            list = []
            return
        }
        var subscriptions: [(original: [UInt8], bought: Timestamp?)] = []
        var places: [[UInt8]: Int] = [:]
        let bytes = payload.bytes
        for purchase in payload.purchaseFacts where purchase.isSubscription {
            guard let original = purchase.original.map({ Array(bytes[$0.range]) }),
                byOriginal[original] != nil
            else { continue }
            if let place = places[original] {
                subscriptions[place].bought = [subscriptions[place].bought, purchase.purchased]
                    .compactMap { $0 }.max()
            } else {
                places[original] = subscriptions.count
                subscriptions.append((original, purchase.purchased))
            }
        }
        list = subscriptions.compactMap { original, bought in
            byOriginal[original]?
                .filter { information in bought.map { information.verifiedAt >= $0 } ?? true }
                .max { $1.counts(before: $0) }
        }
    }
}

extension VerifiedRenewalInfo {
    /// What eligibility's rules do not ask decides by its bytes: the order in a request decides nothing.
    fileprivate func counts(before other: VerifiedRenewalInfo) -> Bool {
        let (mine, others) = (SignedRenewal(self), SignedRenewal(other))
        if mine.counts(before: others) { return true }
        if others.counts(before: mine) { return false }
        return signed.json.lexicographicallyPrecedes(other.signed.json)
    }
}
