import AppReceipt
import OfferEligibility

/// The transactions of `latest_receipt_info`, the newest first: all but finished consumables.
///
/// A receipt lists a consumable only until the app finishes it, so all that the receipt lists is listed. A signed
/// transaction does not say whether the app finished it, and Get Transaction History has finished ones too: a
/// consumable that the receipt does not list is left out, or a client would deliver it again.
struct LatestTransactions {
    let list: [LatestTransaction]
    /// Transaction ids of the signed transactions that are left out.
    let leftOut: [String]

    /// - Parameters:
    ///   - payload: the receipt's.
    ///   - signed: verified transactions of the receipt's app, environment and customer; nil where there are none to
    ///     know of, and then there is no list without a subscription, as Apple has it.
    ///   - excludingOld: keeps the newest of each subscription alone, and whatever is no subscription.
    init(of payload: ReceiptPayload, signed: [VerifiedTransaction]?, excludingOld: Bool) {
        var newest: [[UInt8]: VerifiedTransaction] = [:]
        var unnamed: [VerifiedTransaction] = []
        for transaction in signed ?? [] {
            let id = transaction.id
            guard !id.isEmpty, id != [UInt8(ascii: "0")] else {
                unnamed.append(transaction)
                continue
            }
            if let known = newest[id], !transaction.counts(before: known) { continue }
            newest[id] = transaction
        }
        var all: [LatestTransaction] = []
        var met: Set<[UInt8]> = []
        let bytes = payload.bytes
        for (index, facts) in payload.purchaseFacts.enumerated() {
            guard !newest.isEmpty, let id = facts.id.map({ Array(bytes[$0.range]) }), let signed = newest[id]
            else {
                all.append(LatestTransaction(index, facts, in: payload))
                continue
            }
            let transaction = LatestTransaction(index, facts, in: payload, signed: signed)
            // A transaction that the receipt lists twice stands once where the signed one takes its place.
            if met.insert(id).inserted || !transaction.isSignedNewer { all.append(transaction) }
        }
        let others = newest.filter { !met.contains($0.key) }.values + unnamed
        all += others.filter { !$0.mayBeFinishedConsumable }.map { LatestTransaction($0) }
        leftOut = others.filter(\.mayBeFinishedConsumable).compactMap(\.transactionID).sorted()
        guard signed != nil || all.contains(where: \.isSubscription) else {
            list = []
            return
        }
        all.sort(by: LatestTransaction.areInOrder)
        guard excludingOld else {
            list = all
            return
        }
        var seen: Set<[UInt8]> = []
        list = all.filter { transaction in
            // What names no subscription is not known to be an older part of one.
            guard transaction.isSubscription, let original = transaction.original else { return true }
            return seen.insert(original).inserted
        }
    }
}
