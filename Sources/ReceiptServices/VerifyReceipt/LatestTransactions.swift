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

    /// Returns the list without the transactions of each subscription except the newest. Other purchases stay. A replaced period is
    /// the newest only if all are.
    func excludingOld() -> [LatestTransaction] {
        var newest: [[UInt8]: Int] = [:]
        for (index, transaction) in all.enumerated() where transaction.isSubscription {
            guard let original = transaction.original else { continue }
            let known = newest[original].map { all[$0] }
            if known == nil || known?.isReplaced == true && !transaction.isReplaced {
                newest[original] = index
            }
        }
        return all.indices.filter { index in
            // A transaction that names no subscription is not known to be an older part of one.
            guard all[index].isSubscription, let original = all[index].original else { return true }
            return newest[original] == index
        }.map { all[$0] }
    }
}
