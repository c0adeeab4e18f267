import AppReceipt
import OfferEligibility
import StrictJSON

/// The verified renewal information of the customer's subscriptions.
///
/// Renewal information names no app. It therefore counts only if its transaction is in the receipt or among
/// the signed transactions. It does not count if a period of the subscription was bought after it was signed,
/// unless it states that period: the App Store renews up to a day ahead. If there are several objects for one subscription, the newest counts.
struct PendingRenewals {
    /// The renewal information in the order of the subscriptions in the receipt, then by original transaction
    /// ID.
    let list: [VerifiedRenewalInfo]
    /// The original transaction IDs of renewal information that matches no subscription. An empty string
    /// represents information that names none.
    let unmatched: [String]

    /// The dates of a period.
    private typealias Period = (bought: Timestamp, expires: Timestamp?)

    /// Creates the list.
    /// - Parameter signed: The verified transactions of the receipt's app and environment.
    init(
        _ renewals: [VerifiedRenewalInfo], of payload: ReceiptPayload, signed: [VerifiedTransaction] = []
    ) {
        // The keys are bytes, because Swift treats canonically equivalent strings as equal.
        var byOriginal = Dictionary(grouping: renewals) { Array(($0.originalTransactionID ?? "").utf8) }
        let unnamed = byOriginal.removeValue(forKey: []) == nil ? [] : [""]
        guard !byOriginal.isEmpty else {
            (list, unmatched) = ([], unnamed)
            return
        }
        var subscriptions: [(original: [UInt8], last: Period?)] = []
        var places: [[UInt8]: Int] = [:]
        func note(_ original: [UInt8]?, _ bought: Timestamp?, until expires: Timestamp?) {
            guard let original, byOriginal[original] != nil else { return }
            let place = places[original] ?? subscriptions.count
            if place == subscriptions.count { subscriptions.append((original, nil)) }
            places[original] = place
            guard let bought else { return }
            if let last = subscriptions[place].last,
                (last.bought, last.expires ?? last.bought) >= (bought, expires ?? bought)
            {
                return
            }
            subscriptions[place].last = (bought, expires)
        }
        let bytes = payload.bytes
        for purchase in payload.purchaseFacts where purchase.isSubscription {
            note(
                purchase.original.map { Array(bytes[$0.range]) }, purchase.purchased,
                until: purchase.expires)
        }
        let newer = signed.filter(\.isSubscription).map {
            (Array(($0.originalTransactionID ?? "").utf8), $0.purchaseDate, $0.expiresDate)
        }
        for (original, bought, expires) in newer.sorted(by: { $0.0.lexicographicallyPrecedes($1.0) }) {
            note(original, bought, until: expires)
        }
        let others = byOriginal.keys.filter { places[$0] == nil }.sorted { $0.lexicographicallyPrecedes($1) }
        unmatched = unnamed + others.map { String(decoding: $0, as: UTF8.self) }
        list = subscriptions.compactMap { original, last in
            byOriginal[original]?
                .filter { information in
                    guard let last, information.verifiedAt < last.bought else { return true }
                    return SignedRenewal(information).isAhead(ofPurchaseOn: last.bought, until: last.expires)
                }
                .max { $1.counts(before: $0) }
        }
    }
}

extension VerifiedRenewalInfo {
    /// Returns whether this renewal information takes precedence over other information about the same
    /// subscription.
    ///
    /// The newer information does. For equal dates, information about a subscription that will renew does,
    /// then information with the later end of the grace period. Finally the bytes decide, so the order in a
    /// request has no effect.
    fileprivate func counts(before other: VerifiedRenewalInfo) -> Bool {
        if rank != other.rank { return other.rank.lexicographicallyPrecedes(rank) }
        return signed.json.lexicographicallyPrecedes(other.signed.json)
    }

    private var rank: [Int64] {
        [
            verifiedAt.millisecondsSince1970, autoRenewStatus == 1 ? 1 : 0,
            gracePeriodExpiresDate?.millisecondsSince1970 ?? .min, isInBillingRetryPeriod == true ? 1 : 0,
        ]
    }
}
