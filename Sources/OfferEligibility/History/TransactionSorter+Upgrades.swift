import AppReceipt

/// A group and an owner. A purchase can be the successor only of a purchase of the same group and owner.
private struct Lineage: Hashable {
    private let slot: Int
    private let owner: Transaction.Standing

    /// Creates a lineage.
    ///
    /// - Parameter standing: The owner. Superseded evidence counts as the customer's own.
    init(_ slot: Int, _ standing: Transaction.Standing) {
        self.slot = slot
        owner = standing == .superseded ? .own : standing
    }
}

extension TransactionSorter {
    /// Ends upgraded periods without a `revocationDate` at the purchase of their successors.
    ///
    /// The successor is the next purchase of another product of the group by the same owner, but not a renewal that a switch
    /// replaced. Without one, the period ends at its expiration.
    mutating func endUpgraded() {
        var transactions = history.transactions
        guard transactions.contains(where: { $0.isUpgraded && $0.cancelled == nil }) else { return }
        let places =
            places
            ?? transactions.map {
                $0.isSubscription ? catalog.place(of: text($0.product).span).map { slot(of: $0.group) } : nil
            }
        let upgraded = transactions.indices.filter {
            transactions[$0].isUpgraded && transactions[$0].cancelled == nil && places[$0] != nil
        }
        var purchases: [Lineage: [Purchase]] = [:]
        for index in transactions.indices where transactions[index].standing != .superseded {
            guard let slot = places[index], let date = transactions[index].purchased, date <= instant else {
                continue
            }
            purchases[Lineage(slot, transactions[index].standing), default: []].append((date, index))
        }
        let successions = purchases.mapValues { purchases in
            let inOrder = purchases.sorted { $0.date < $1.date }
            let lasting = inOrder.filter { !isReplacedRenewal($0.index, inOrder, isOfGroup: { _ in true }) }
            return Succession(lasting.map { ($0.date, text(transactions[$0.index].product)) })
        }
        for index in upgraded {
            guard let slot = places[index], let purchased = transactions[index].purchased else { continue }
            let product = text(transactions[index].product)
            let lineage = Lineage(slot, transactions[index].standing)
            if let next = successions[lineage]?.next(after: purchased, ofOtherThan: product) {
                transactions[index].cancelled = next
            } else if transactions[index].standing == .own, transactions[index].wasBought(by: instant) {
                signed[slot, default: SignedFacts()].mayLackRenewals = true
            }
        }
        history.transactions = transactions
    }
}
