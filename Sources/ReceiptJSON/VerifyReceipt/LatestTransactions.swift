import AppReceipt
import OfferEligibility

/// The receipt's subscriptions as `latest_receipt_info` lists them, the newest first.
struct LatestTransactions {
    /// In the receipt's purchases.
    let indices: [Int]

    /// - Parameter excludingOld: keeps the newest of each subscription alone.
    init(of payload: ReceiptPayload, excludingOld: Bool) {
        let purchases = payload.purchaseFacts
        let newestFirst = purchases.indices.filter { purchases[$0].isSubscription }.sorted { first, second in
            let (one, other) = (purchases[first].newness, purchases[second].newness)
            return one == other ? first < second : other.lexicographicallyPrecedes(one)
        }
        guard excludingOld else {
            indices = newestFirst
            return
        }
        let bytes = payload.bytes
        var seen: Set<[UInt8]> = []
        indices = newestFirst.filter { index in
            // What names no subscription is not known to be an older part of one.
            guard let original = purchases[index].original, original.count > 0 else { return true }
            return seen.insert(Array(bytes[original.range])).inserted
        }
    }
}

extension PurchaseFacts {
    fileprivate var newness: [Int64] { [purchased, expires].map { $0?.millisecondsSince1970 ?? .min } }
}
