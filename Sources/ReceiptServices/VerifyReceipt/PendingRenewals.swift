import AppReceipt
import OfferEligibility
import StrictJSON

/// The verified renewal information of the customer's subscriptions.
///
/// Renewal information names no app. It therefore counts only if its transaction is in the receipt or among
/// the signed transactions. It does not count if the subscription's newest period was charged after it was
/// signed. What is newer than information that counts, counts, too. If there are several objects for one subscription, the newest counts.
struct PendingRenewals {
    /// The renewal information in the order of the subscriptions in the receipt, then by original transaction
    /// ID.
    let list: [VerifiedRenewalInfo]
    /// The original transaction IDs of renewal information that matches no subscription. An empty string
    /// represents information that names none.
    let unmatched: [String]

    /// Creates the list.
    /// - Parameter transactions: The transactions of the receipt and the signed ones.
    init(_ renewals: [VerifiedRenewalInfo], of transactions: LatestTransactions?) {
        // The keys are bytes, because Swift treats canonically equivalent strings as equal.
        var byOriginal = Dictionary(grouping: renewals) { Array(($0.originalTransactionID ?? "").utf8) }
        let unnamed = byOriginal.removeValue(forKey: []) == nil ? [] : [""]
        let all = transactions?.all ?? []
        let last = (byOriginal.isEmpty ? nil : transactions?.newestPeriods)?.mapValues { all[$0] } ?? [:]
        var order: [[UInt8]: Int] = [:]
        for transaction in all where transaction.isSubscription {
            guard let original = transaction.original, byOriginal[original] != nil else { continue }
            order[original] = min(order[original] ?? .max, transaction.purchase ?? .max)
        }
        let others = byOriginal.keys.filter { last[$0] == nil }.sorted { $0.lexicographicallyPrecedes($1) }
        unmatched = unnamed + others.map { String(decoding: $0, as: UTF8.self) }
        let subscriptions = order.keys.sorted {
            let (one, other) = (order[$0] ?? .max, order[$1] ?? .max)
            return one == other ? $0.lexicographicallyPrecedes($1) : one < other
        }
        list = subscriptions.compactMap { original in
            let renewals = byOriginal[original] ?? []
            let isAnyCurrent = renewals.contains { last[original]?.wasCharged(before: $0) == true }
            return isAnyCurrent ? renewals.max { $1.counts(before: $0) } : nil
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
