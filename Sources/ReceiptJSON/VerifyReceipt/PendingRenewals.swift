import AppReceipt
import OfferEligibility

/// Verified renewal information of the customer's subscriptions.
///
/// Information counts where its transaction stands in the receipt or among the signed transactions, since it names no app
/// itself, and where no period of the subscription was bought after it was signed; of several about one subscription the
/// newest does.
struct PendingRenewals {
    /// In the order in which the receipt names their subscriptions, then by original transaction id.
    let list: [VerifiedRenewalInfo]
    /// Original transaction ids of the information that fits no subscription; an empty one where none is named.
    let unmatched: [String]

    /// - Parameter signed: verified transactions of the receipt's app and environment.
    init(
        _ informations: [VerifiedRenewalInfo], of payload: ReceiptPayload, signed: [VerifiedTransaction] = []
    ) {
        // By the bytes of the original transaction id: text is compared by meaning.
        var byOriginal = Dictionary(grouping: informations) { Array(($0.originalTransactionID ?? "").utf8) }
        let unnamed = byOriginal.removeValue(forKey: []) == nil ? [] : [""]
        guard !byOriginal.isEmpty else {
            (list, unmatched) = ([], unnamed)
            return
        }
        var subscriptions: [(original: [UInt8], bought: Timestamp?)] = []
        var places: [[UInt8]: Int] = [:]
        func note(_ original: [UInt8]?, _ bought: Timestamp?) {
            guard let original, byOriginal[original] != nil else { return }
            if let place = places[original] {
                subscriptions[place].bought = [subscriptions[place].bought, bought].compactMap { $0 }.max()
            } else {
                places[original] = subscriptions.count
                subscriptions.append((original, bought))
            }
        }
        let bytes = payload.bytes
        for purchase in payload.purchaseFacts where purchase.isSubscription {
            note(purchase.original.map { Array(bytes[$0.range]) }, purchase.purchased)
        }
        let newer = signed.filter(\.isSubscription).map {
            (Array(($0.originalTransactionID ?? "").utf8), $0.purchaseDate)
        }
        for (original, bought) in newer.sorted(by: { $0.0.lexicographicallyPrecedes($1.0) }) {
            note(original, bought)
        }
        let others = byOriginal.keys.filter { places[$0] == nil }
        unmatched = unnamed + others.map { String(decoding: $0, as: UTF8.self) }.sorted()
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
