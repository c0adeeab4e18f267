import AppReceipt
import OfferEligibility

/// The transactions of `latest_receipt_info`, newest first, without finished consumables.
///
/// A receipt lists a consumable only until the app finishes it, so the list contains every purchase of the
/// receipt. A signed transaction does not state whether the app finished it, and Get Transaction History also
/// returns finished ones. A consumable that the receipt does not list is therefore left out, because a client
/// would deliver it again.
struct LatestTransactions {
    let all: [LatestTransaction]
    /// The transaction IDs of the signed transactions that are left out.
    let leftOut: [String]

    /// Creates the list.
    /// - Parameters:
    ///   - payload: The receipt's payload.
    ///   - transactions: The verified transactions of the receipt's app, environment and customer.
    init(of payload: ReceiptPayload, signed transactions: [VerifiedTransaction]) {
        let newest = NewestTransactions(transactions.filter(\.id.isUsableIdentifier))
        let unnamed = transactions.filter { !$0.id.isUsableIdentifier }
        var all: [LatestTransaction] = []
        var met: Set<Int> = []
        for (index, facts) in payload.purchaseFacts.enumerated() {
            guard let place = newest.place(of: facts, in: payload.bytes) else {
                all.append(LatestTransaction(index, facts, in: payload))
                continue
            }
            let transaction = LatestTransaction(index, facts, in: payload, signed: newest.list[place])
            // If the receipt lists a transaction twice and the signed one replaces it, the list contains it
            // once.
            if met.insert(place).inserted || !transaction.isSignedNewer { all.append(transaction) }
        }
        let others = newest.list.indices.filter { !met.contains($0) }.map { newest.list[$0] } + unnamed
        all += others.filter { !$0.mayBeFinishedConsumable }.map { LatestTransaction($0) }
        leftOut = others.filter(\.mayBeFinishedConsumable).compactMap(\.transactionID)
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        self.all = all.sorted(by: LatestTransaction.areInOrder)
    }

    /// The index of the newest period of each subscription. A renewal that an upgrade replaced before it began is not the newest.
    var newestPeriods: [[UInt8]: Int] {
        var newest: [[UInt8]: Int] = [:]
        for (index, transaction) in all.enumerated() where transaction.isSubscription {
            guard let original = transaction.original else { continue }
            if newest[original].map({ all[$0].isReplaced(by: transaction) }) ?? true {
                newest[original] = index
            }
        }
        return newest
    }

    /// Returns the list with only the newest period of each subscription. Other purchases stay, and transactions that name no
    /// subscription: they are not known to be older parts of one.
    func excludingOld() -> [LatestTransaction] {
        let newest = newestPeriods
        return all.enumerated().filter { index, transaction in
            guard transaction.isSubscription, let original = transaction.original else { return true }
            return newest[original] == index
        }.map(\.element)
    }
}
