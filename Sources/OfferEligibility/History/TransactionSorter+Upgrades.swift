import AppReceipt

/// A group and an owner, or one of the owner's subscriptions. A purchase can be the successor only of a purchase of the same group
/// and owner.
private struct Lineage: Hashable {
    private let slot: Int
    private let owner: Transaction.Standing
    private let subscription: [UInt8]?

    /// Creates a lineage.
    ///
    /// - Parameters:
    ///   - standing: The owner. Superseded evidence counts as the customer's own.
    ///   - subscription: The identifier of the subscription, or nil for all of them.
    init(_ slot: Int, _ standing: Transaction.Standing, subscription: [UInt8]? = nil) {
        self.slot = slot
        owner = standing == .superseded ? .own : standing
        self.subscription = subscription
    }
}

extension TransactionSorter {
    /// Ends upgraded periods without a `revocationDate` at the purchase of their successors. Notes all upgraded periods whose
    /// successors may be missing.
    ///
    /// The successor is the next purchase of another product of the group by the same owner, but not a renewal that a switch
    /// replaced, which ends when it begins. Without one, the period ends at its expiration. If it is of another subscription, the real one may be missing. A
    /// receipt from after the `revocationDate` would list the successor.
    mutating func endUpgraded() {
        var transactions = history.transactions
        let isSigned = history.signed != nil
        guard transactions.contains(where: { $0.isUpgraded || isSigned && $0.cancelled != nil }) else {
            return
        }
        let places =
            places
            ?? transactions.map {
                $0.isSubscription ? catalog.place(of: text($0.product).span).map { slot(of: $0.group) } : nil
            }
        let upgraded = transactions.indices.filter {
            transactions[$0].isUpgraded && places[$0] != nil && transactions[$0].wasBought(by: instant)
        }
        var purchases: [Lineage: [Purchase]] = [:]
        var subscriptions: [Lineage: [Purchase]] = [:]
        for index in transactions.indices where transactions[index].standing != .superseded {
            guard let slot = places[index], let date = transactions[index].purchased, date <= instant else {
                continue
            }
            let (owner, subscription) = (
                transactions[index].standing, name(ofSubscription: transactions[index])
            )
            purchases[Lineage(slot, owner), default: []].append((date, index))
            subscriptions[Lineage(slot, owner, subscription: subscription), default: []].append((date, index))
        }
        replacedRenewals = Set(
            subscriptions.values.flatMap { purchases in
                let inOrder = purchases.sorted { $0.date < $1.date }
                return inOrder.map(\.index).filter {
                    isReplacedRenewal($0, inOrder, isOfGroup: { _ in true })
                }
            })
        let successions = purchases.merging(subscriptions) { purchases, _ in purchases }.mapValues {
            let lasting = $0.filter { !replacedRenewals.contains($0.index) }
            return Succession(lasting.map { ($0.date, text(transactions[$0.index].product)) })
        }
        for index in upgraded {
            let transaction = transactions[index]
            // The successor of a replaced renewal was bought before it began, so it did not run.
            if replacedRenewals.contains(index) {
                transactions[index].cancelled = transaction.cancelled ?? transaction.purchased
                continue
            }
            guard let slot = places[index], let purchased = transaction.purchased else { continue }
            func successor(in lineage: Lineage) -> Timestamp? {
                successions[lineage]?.next(after: purchased, ofOtherThan: text(transaction.product))
            }
            let owner = transaction.standing
            transactions[index].cancelled =
                transaction.cancelled ?? successor(in: Lineage(slot, owner))
            let subscription = transaction.original.map { text($0) }
            if successor(in: Lineage(slot, owner, subscription: subscription)) != nil { continue }
            if owner == .familyShared {
                sharedWithoutSuccessor.insert(index)
            } else if owner == .own, mayLackSuccessor(of: transaction) {
                signed[slot, default: SignedFacts()].mayLackRenewals = true
            }
        }
        history.transactions = transactions
    }

    /// Returns whether the successor of an upgraded purchase may be missing: its date is unknown, or later than the newest receipt.
    /// A saved response lists all purchases.
    private func mayLackSuccessor(of purchase: Transaction) -> Bool {
        guard purchase.cancelled != nil else { return true }
        guard let cancelled = purchase.cancellation(by: instant), let signed = history.signed else {
            return false
        }
        return signed.newestReceipt.map { $0 < cancelled } ?? true
    }
}
