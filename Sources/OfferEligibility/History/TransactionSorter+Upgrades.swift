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

/// A subscription of an owner.
private struct OwnedSubscription: Hashable {
    let lineage: Lineage
    let original: [UInt8]
}

extension TransactionSorter {
    /// Ends upgraded periods without a `revocationDate` at the purchase of their successors.
    ///
    /// The successor is the next purchase of another product of the group by the same owner, but not a renewal that a switch
    /// replaced. Without one, the period ends at its expiration.
    mutating func endUpgraded() {
        let isStated = history.transactions.contains { $0.isUpgraded && $0.cancelled == nil }
        guard isStated || hasSeveralSubscriptions else { return }
        let places =
            places
            ?? history.transactions.map {
                $0.isSubscription ? catalog.place(of: text($0.product).span).map { slot(of: $0.group) } : nil
            }
        endReplaced(places)
        guard isStated else { return }
        var transactions = history.transactions
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

    /// Whether subscriptions to several products were bought.
    private var hasSeveralSubscriptions: Bool {
        var first: TextSlice?
        for transaction in history.transactions where transaction.isSubscription {
            guard let product = transaction.product else { continue }
            guard let known = first else {
                first = product
                continue
            }
            let texts = history.text.span
            if !equal(texts.extracting(known.range), texts.extracting(product.range)) { return true }
        }
        return false
    }

    /// Ends periods during which another product of the same subscription was bought. A subscription has one period at a time, so
    /// the purchase is an upgrade. Receipts do not state upgrades, and some have no cancellation of the upgraded period.
    ///
    /// A renewal that begins when a period of its product ended may have been charged before the upgrade, and ends no period.
    private mutating func endReplaced(_ places: [Int?]) {
        var subscriptions: [OwnedSubscription: [Purchase]] = [:]
        for (index, transaction) in history.transactions.enumerated() {
            let original = name(ofSubscription: transaction)
            guard let slot = places[index], transaction.standing != .superseded, original.isUsableIdentifier,
                let date = transaction.purchased, transaction.wasBought(by: instant)
            else { continue }
            let subscription = OwnedSubscription(
                lineage: Lineage(slot, transaction.standing), original: original)
            subscriptions[subscription, default: []].append((date, index))
        }
        for purchases in subscriptions.values where purchases.count > 1 {
            let products = purchases.map { text(history.transactions[$0.index].product) }
            guard products.contains(where: { $0 != products[0] }) else { continue }
            var ends: [[UInt8]: Set<Int64>] = [:]
            for (purchase, product) in zip(purchases, products) {
                guard let end = history.transactions[purchase.index].expires else { continue }
                ends[product, default: []].insert(end.secondsSince1970 / 60)
            }
            let upgrades = zip(purchases, products).filter { purchase, product in
                let minute = purchase.date.secondsSince1970 / 60
                return ends[product]?.isDisjoint(with: (minute - 1)...(minute + 1)) != false
            }
            let succession = Succession(upgrades.map { ($0.date, $1) })
            for (purchase, product) in zip(purchases, products) {
                let transaction = history.transactions[purchase.index]
                guard transaction.cancelled == nil, !transaction.isUpgraded, let end = transaction.expires,
                    let next = succession.next(after: purchase.date, ofOtherThan: product),
                    next.secondsSince1970 + 60 < end.secondsSince1970
                else { continue }
                history.transactions[purchase.index].cancelled = next
                history.transactions[purchase.index].isUpgraded = true
            }
        }
    }
}
