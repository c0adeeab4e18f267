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

/// The group and the first transaction of a subscription. Xcode names no first transaction, or "0".
private struct SubscriptionName: Hashable {
    let slot: Int
    let original: [UInt8]
}

/// The facts about one group, except the customer's own purchases.
struct SignedFacts: Sendable {
    /// The indices of family members' purchases.
    var shared: [Int] = []
    /// The indices of the purchases with an unknown owner, and the last end of these.
    var unknownOwners: [Int] = []
    var unknownOwnersEnd: Timestamp?
    /// The indices of superseded evidence.
    var superseded: [Int] = []
    /// The signed renewal information that takes precedence.
    var renewal: SignedRenewal?
    /// The first transactions of the subscriptions that signed renewal information is about, unless it is from before their last
    /// purchase.
    var renewals: Set<[UInt8]> = []
    /// Whether unsigned renewal information is about another subscription, and counts, too.
    var hasUnsignedRenewal = false
    /// Whether signed renewal information of some subscription states a grace period that has not ended, or
    /// billing retry of another owner's subscription.
    var hasUnpaidPeriod = false
    /// Whether a shared subscription is over that was set to renew, or in billing retry.
    var hasSharedRenewal = false
    /// Whether renewal information states an introductory offer of the customer, or an unknown one, for the next period.
    var mayHaveIntroductoryRenewal = false
    /// Whether renewals of the customer may be missing. One of them may have had the introductory offer.
    var mayLackRenewals = false
    /// The last end of a period in signed renewal information, if the evidence has no purchase of that period.
    var unlistedEnd: Timestamp?
    var hasConflictingEvidence = false
    var groupDiffers = false

    /// Returns a copy in which `inOrder` has sorted ``unknownOwners``.
    func listing(_ inOrder: ([Int]) -> [Int]) -> SignedFacts {
        var facts = self
        facts.unknownOwners = inOrder(unknownOwners)
        return facts
    }
}

extension TransactionSorter {
    /// Returns the slot of each subscription's group, or nil if neither evidence nor catalog names one.
    mutating func placesOfSigned() -> [Int?] {
        var places: [Int?] = Array(repeating: nil, count: history.transactions.count)
        for index in places.indices where history.transactions[index].isSubscription {
            let transaction = history.transactions[index]
            let product = text(transaction.product)
            let contested = history.signed?.contestedGroups[index]?.map(text) ?? []
            let group =
                contested.isEmpty
                ? transaction.group.map(text) : names?.choice(of: contested, ofProduct: product)
            places[index] = slot(ofGroup: group, ofProduct: product)
            noteDifference(contested, ofProduct: product)
            guard let names, let group else { continue }
            for group in names.contradiction(named: group, ofProduct: product) {
                signed[slot(of: group), default: SignedFacts()].groupDiffers = true
            }
        }
        for (product, groups) in names?.contested ?? [] { noteDifference(groups, ofProduct: product) }
        for group in names?.differing ?? [] {
            signed[slot(of: group), default: SignedFacts()].groupDiffers = true
        }
        for transaction in history.signed?.conflictingEvidence ?? [] where transaction.isSubscription {
            guard let slot = slot(ofGroup: transaction.group.map(text), ofProduct: text(transaction.product))
            else {
                continue
            }
            signed[slot, default: SignedFacts()].hasConflictingEvidence = true
        }
        return places
    }

    /// Returns the slot of the group that the transaction names, else the slot of its product's group.
    private mutating func slot(ofGroup name: [UInt8]?, ofProduct product: [UInt8]) -> Int? {
        let group =
            if let name {
                names?.group(named: name, ofProduct: product)
            } else {
                names?.group(ofProduct: product)
            }
        return group.map { slot(of: $0) }
    }

    /// Marks groups as differing, because evidence of the same date names all of them.
    private mutating func noteDifference(_ groups: [[UInt8]], ofProduct product: [UInt8]) {
        guard !catalog.isSingleGroup else { return }
        for group in groups {
            guard let slot = slot(ofGroup: group, ofProduct: product) else { continue }
            signed[slot, default: SignedFacts()].groupDiffers = true
        }
    }

    private func text(_ slice: TextSlice?) -> [UInt8] { slice.map { Array(history.text[$0.range]) } ?? [] }

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

    /// Adds another owner's purchase, or superseded evidence. Neither counts among the customer's own
    /// purchases.
    mutating func add(_ index: Int, toSlot slot: Int?) {
        switch (history.transactions[index].standing, slot) {
        case (.own, _): break
        case (.familyShared, let slot?):
            signed[slot, default: SignedFacts()].shared.append(index)
            groups[slot].addShared(index, of: history, asOf: instant)
        case (.unknownOwner, let slot?):
            signed[slot, default: SignedFacts()].unknownOwners.append(index)
            let ends = [signed[slot]?.unknownOwnersEnd, history.transactions[index].end(asOf: instant)]
            signed[slot]?.unknownOwnersEnd = ends.compactMap(\.self).max()
            groups[slot].addShared(index, of: history, asOf: instant)
        case (.superseded, let slot?):
            signed[slot, default: SignedFacts()].superseded.append(index)
            groups[slot].addOffer(index, of: history)
        case (.familyShared, nil), (.unknownOwner, nil), (.superseded, nil): uncatalogued.append(index)
        }
    }

    /// Assigns signed renewal information to groups.
    ///
    /// The newest information of each subscription counts. Of several subscriptions, the newest information takes
    /// precedence, and that of one date is combined. Information that was signed before the purchase of the group's last
    /// period (but see ``isCurrent(_:for:)``), or after the evaluation date, is ignored. So is that of other owners' subscriptions, if the customer has a
    /// period in the group. That of a subscription without a transaction, or of one that ended before the group's last
    /// period, only restricts. Grace periods count for each subscription, see ``addUnpaidPeriods(_:_:)``.
    mutating func sortSignedRenewals() {
        guard let renewals = history.signed?.renewals, !renewals.isEmpty else { return }
        let subscriptions = subscriptions(named: renewals.compactMap(\.entry.originalTransactionID))
        var newest: [SubscriptionName: SignedRenewal] = [:]
        var transactions: [SubscriptionName: Int] = [:]
        for renewal in renewals where renewal.signedDate <= instant {
            let named = renewal.entry.originalTransactionID.flatMap { subscriptions[Array($0.utf8)] }
            guard let slot = named.flatMap({ places?[$0] }) ?? slot(of: renewal.entry) else { continue }
            let original = named.map { name(ofSubscription: history.transactions[$0]) }
            let subscription = SubscriptionName(
                slot: slot, original: original ?? Array((renewal.entry.originalTransactionID ?? "").utf8))
            newest[subscription] = renewal.combined(withOlder: newest[subscription])
            transactions[subscription] = [transactions[subscription], named].compactMap(\.self).min()
            if renewal.mayBeIntroductory, named.map({ history.transactions[$0].standing }) != .familyShared {
                signed[slot, default: SignedFacts()].mayHaveIntroductoryRenewal = true
            }
        }
        let last = lastPurchases()
        setRenewals(newest, transactions, last)
        addUnpaidPeriods(newest, last)
        noteUnknownOwners(newest, last)
        noteSharedRenewals(newest, last)
        noteUnlistedPeriods(newest.filter { $1.periodEnd != nil }, last)
    }

    /// Sets the signed renewal information that takes precedence in each group.
    /// - Parameters:
    ///   - newest: The newest information of each subscription.
    ///   - transactions: A transaction of each subscription that has one.
    ///   - last: The last purchase of each subscription.
    private mutating func setRenewals(
        _ newest: [SubscriptionName: SignedRenewal], _ transactions: [SubscriptionName: Int],
        _ last: [SubscriptionName: Int]
    ) {
        var deciding: [Int: SignedRenewal] = [:]
        var restricting: [Int: [SignedRenewal]] = [:]
        // Information of one date is combined, so the order must not be that of a hash.
        let inOrder = newest.sorted { $0.key.original.lexicographicallyPrecedes($1.key.original) }
        for (subscription, renewal) in inOrder {
            let (slot, transaction) = (subscription.slot, transactions[subscription])
            let isNamed = subscription.original.isUsableIdentifier
            let own = last[subscription].map { history.transactions[$0] }
            let period = groups[slot].last
            let newest = period.map { history.transactions[$0.index] }
            if (own ?? newest).map({ isCurrent(renewal, for: $0) }) ?? true {
                signed[slot, default: SignedFacts()].renewals.insert(subscription.original)
            }
            let isOther =
                isNamed && newest.map { subscription.original != name(ofSubscription: $0) } ?? false
            if let newest, isOther ? renewal.isBefore(newest) : !isCurrent(renewal, for: newest) { continue }
            if newest != nil, transaction.map({ isOfOtherOwner($0) }) ?? false { continue }
            if isOther, let period, let end = renewal.periodEnd ?? own?.end(asOf: instant),
                end.isWellBefore(period.end)
            {
                restricting[slot, default: []].append(renewal.restriction)
            } else if isNamed, transaction == nil {
                restricting[slot, default: []].append(renewal)
            } else {
                deciding[slot] = renewal.combined(withOlder: deciding[slot])
            }
        }
        for (slot, others) in restricting where deciding[slot] == nil {
            deciding[slot] = others.reduce(nil) { $1.combined(withOlder: $0) }
            restricting[slot] = nil
        }
        for (slot, renewal) in deciding {
            let renewal = renewal.restricted(by: restricting[slot] ?? [])
            signed[slot, default: SignedFacts()].renewal = renewal
            var entry = renewal.entry
            entry.gracePeriodEnd = nil
            groups[slot].add(entry, asOf: instant)
        }
    }

    /// Returns whether information is from after a purchase. A renewal ahead of its time is signed up to a day before its purchase
    /// date, with its end.
    private func isCurrent(_ renewal: SignedRenewal, for purchase: Transaction) -> Bool {
        guard renewal.isBefore(purchase) else { return true }
        guard let end = renewal.periodEnd, let expires = purchase.expires, let date = purchase.purchased
        else {
            return false
        }
        let isAhead = date.secondsSince1970 <= renewal.signedDate.secondsSince1970 + 86_400 + 60
        return isAhead && !end.isWellBefore(expires) && !expires.isWellBefore(end)
    }

    /// Returns whether the groups of two slots are one group at Apple.
    private func isJoined(_ slot: Int, _ other: Int) -> Bool {
        let joins = names?.joinsOfGroup[groups[slot].group] ?? []
        return !joins.isEmpty
            && joins.contains { names?.joinsOfGroup[groups[other].group]?.contains($0) == true }
    }

    /// Returns whether a transaction belongs to another owner, or to an unknown one.
    func isOfOtherOwner(_ index: Int) -> Bool {
        [.familyShared, .unknownOwner].contains(history.transactions[index].standing)
    }

    /// Returns the index of the last purchase of each subscription.
    private func lastPurchases() -> [SubscriptionName: Int] {
        var last: [SubscriptionName: Int] = [:]
        for (index, transaction) in history.transactions.enumerated()
        where transaction.isSubscription && transaction.standing != .superseded
            && transaction.wasBought(by: instant)
        {
            guard let slot = places?[index] else { continue }
            let subscription = SubscriptionName(slot: slot, original: name(ofSubscription: transaction))
            if last[subscription].map({ history.precedes($0, index) }) ?? true { last[subscription] = index }
        }
        return last
    }

    /// Adds grace periods that have not ended, and billing retry of other owners' subscriptions. A group may have
    /// several subscriptions, such as the customer's own and a shared one. Newer information about one does not end
    /// the grace period of another.
    ///
    /// A later purchase of the same subscription, or the cancellation of its last one, does. If the information names no
    /// subscription, the customer's last purchase in the group does.
    private mutating func addUnpaidPeriods(
        _ newest: [SubscriptionName: SignedRenewal], _ last: [SubscriptionName: Int]
    ) {
        for (subscription, renewal) in newest {
            let index =
                last[subscription]
                ?? (subscription.original.isUsableIdentifier ? nil : groups[subscription.slot].last?.index)
            let transaction = index.map { history.transactions[$0] }
            let changes = [transaction?.purchased, transaction?.cancellation(by: instant)].compactMap(\.self)
            guard changes.allSatisfy({ $0 <= renewal.signedDate }) else { continue }
            let isOthers = index.map { isOfOtherOwner($0) } ?? false
            var entry = RenewalInformation.Entry(productID: nil)
            entry.gracePeriodEnd = renewal.entry.gracePeriodEnd.flatMap { instant < $0 ? $0 : nil }
            entry.isInBillingRetry = isOthers && renewal.entry.isInBillingRetry
            guard entry.gracePeriodEnd != nil || entry.isInBillingRetry else { continue }
            signed[subscription.slot, default: SignedFacts()].hasUnpaidPeriod = true
            groups[subscription.slot].add(entry, asOf: instant)
        }
    }

    /// Notes the ends of the last periods of unknown owners in renewal information. A subscription that may renew may still
    /// run.
    private mutating func noteUnknownOwners(
        _ newest: [SubscriptionName: SignedRenewal], _ last: [SubscriptionName: Int]
    ) {
        let shared = Set(
            history.transactions.filter { $0.standing == .familyShared }.map(name(ofSubscription:)))
        for (subscription, renewal) in newest {
            guard let index = last[subscription], history.transactions[index].standing == .unknownOwner,
                !shared.contains(subscription.original),
                history.transactions[index].cancellation(by: instant).map({ $0 <= renewal.signedDate })
                    ?? true
            else { continue }
            let until = renewal.didNotRenew ? nil : instant
            let ends = [signed[subscription.slot]?.unknownOwnersEnd, renewal.periodEnd, until]
            signed[subscription.slot]?.unknownOwnersEnd = ends.compactMap(\.self).max()
        }
    }

    /// Notes shared subscriptions that were set to renew, or in billing retry, and whose last known period is over. No receipt was
    /// created since.
    private mutating func noteSharedRenewals(
        _ newest: [SubscriptionName: SignedRenewal], _ last: [SubscriptionName: Int]
    ) {
        for (subscription, renewal) in newest where !renewal.didNotRenew || renewal.entry.isInBillingRetry {
            guard let transaction = last[subscription].map({ history.transactions[$0] }),
                transaction.standing == .familyShared, transaction.cancellation(by: instant) == nil,
                let stated = renewal.periodEnd
            else { continue }
            guard isCurrent(renewal, for: transaction) else { continue }
            let end = max(stated, transaction.end(asOf: instant))
            guard end <= instant, (history.signed?.newestReceipt).map({ $0 < end }) ?? true else { continue }
            signed[subscription.slot, default: SignedFacts()].hasSharedRenewal = true
        }
    }

    /// Notes renewals from after the evaluation date, before which others may be missing. A receipt from since then would list
    /// these.
    mutating func noteLaterGaps() {
        let isListed = (history.signed?.newestReceipt).map { instant <= $0 } ?? false
        for (index, end) in history.signed?.renewalsAfterGaps ?? [:]
        where !isListed && end <= instant.secondsSince1970 {
            let transaction = history.transactions[index]
            guard transaction.standing == .own, !transaction.wasBought(by: instant), let slot = places?[index]
            else { continue }
            signed[slot, default: SignedFacts()].mayLackRenewals = true
        }
    }

    /// Notes periods that renewal information states, and of which the evidence has no purchase.
    ///
    /// Such a period ends more than a minute after the subscription's last one, or for another owner, after the evaluation
    /// date. No known purchase expires within a minute of its end, except cancelled ones of other subscriptions, and purchases of
    /// groups that are not joined with its group. Information from before the last purchase of its subscription does not
    /// count. If the information names no subscription, that is the group's last purchase.
    private mutating func noteUnlistedPeriods(
        _ newest: [SubscriptionName: SignedRenewal], _ last: [SubscriptionName: Int]
    ) {
        guard !newest.isEmpty else { return }
        var expirations: [Int: [Int64]] = [:]
        var ofSubscription: [[UInt8]: [(slot: Int, date: Int64)]] = [:]
        for (index, transaction) in history.transactions.enumerated()
        where transaction.isSubscription && transaction.standing != .superseded
            && transaction.wasBought(by: instant)
        {
            guard let slot = places?[index], let date = transaction.expires?.secondsSince1970 else {
                continue
            }
            if transaction.cancelled == nil { expirations[slot, default: []].append(date) }
            ofSubscription[name(ofSubscription: transaction), default: []].append((slot, date))
        }
        expirations = expirations.mapValues { $0.sorted() }
        for (subscription, renewal) in newest {
            let slot = subscription.slot
            let lastEnd = groups[slot].last?.end ?? instant
            let index =
                last[subscription]
                ?? (subscription.original.isUsableIdentifier ? nil : groups[slot].last?.index)
            let transaction = index.map { history.transactions[$0] }
            if let purchased = transaction?.purchased, renewal.signedDate < purchased { continue }
            let isOthers = index.map { isOfOtherOwner($0) } ?? false
            let knownEnd = isOthers ? instant : transaction?.end(asOf: instant) ?? lastEnd
            guard let end = renewal.periodEnd, knownEnd.isWellBefore(end) else { continue }
            let nearest = (end.secondsSince1970 - 60)...(end.secondsSince1970 + 60)
            let known = expirations[slot] ?? []
            let next = known.partitioningIndex { $0 >= nearest.lowerBound }
            let isListed =
                known.dropFirst(next).first.map(nearest.contains) ?? false
                || (ofSubscription[subscription.original] ?? []).contains {
                    nearest.contains($0.date) && ($0.slot == slot || isJoined($0.slot, slot))
                }
            if isListed { continue }
            var facts = signed[slot] ?? SignedFacts()
            facts.mayLackRenewals = true
            if isOthers || lastEnd.isWellBefore(end) {
                facts.unlistedEnd = max(end, facts.unlistedEnd ?? end)
            }
            signed[slot] = facts
        }
    }

    /// Returns the identifier of a subscription: that of its first transaction, or of this one if it names none.
    func name(ofSubscription transaction: Transaction) -> [UInt8] {
        text(transaction.original ?? transaction.id)
    }

    /// Returns a transaction's index for each identifier: the identifier is the transaction's own or that of
    /// the subscription's first transaction. The newest evidence takes precedence.
    func subscriptions(named ids: [String]) -> [[UInt8]: Int] {
        let wanted = Set(ids.map { Array($0.utf8) }).subtracting([[], [UInt8(ascii: "0")]])
        var found: [[UInt8]: Int] = [:]
        for field in [\Transaction.id, \.original] {
            for (index, transaction) in history.transactions.enumerated()
            where transaction.isSubscription && transaction.standing != .superseded {
                let id = text(transaction[keyPath: field])
                if wanted.contains(id), found[id] == nil { found[id] = index }
            }
        }
        return found
    }
}

extension SignedRenewal {
    /// Returns whether this information was signed before a purchase.
    fileprivate func isBefore(_ transaction: Transaction) -> Bool {
        transaction.purchased.map { signedDate < $0 } ?? false
    }
}

extension Timestamp {
    /// Returns whether this date is more than a minute before another.
    fileprivate func isWellBefore(_ other: Timestamp) -> Bool {
        secondsSince1970 < other.secondsSince1970 - 60
    }
}
