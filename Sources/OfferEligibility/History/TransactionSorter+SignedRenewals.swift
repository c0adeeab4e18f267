import AppReceipt

/// The group and the first transaction of a subscription. Xcode names no first transaction, or "0".
private struct SubscriptionName: Hashable {
    let slot: Int
    let original: [UInt8]
}

/// The products of a subscription's purchases, and the minutes of their dates since 1970.
private struct KnownPurchases {
    var products = Set<[UInt8]>()
    var minutes = Set<Int64>()
}

extension TransactionSorter {
    /// Assigns signed renewal information to groups.
    ///
    /// The newest information of each subscription counts. Of several subscriptions, the newest information takes precedence,
    /// and that of one date is combined. Information that was signed before the purchase of the group's last period (but see
    /// ``SignedRenewal/isCurrent(forPeriodFrom:until:)``), or after the evaluation date, is ignored. So is that of other
    /// owners' subscriptions, if the customer has a period in the group. That of a subscription without a transaction, or of
    /// one that ended before the group's last period, only restricts. Grace periods count for each subscription, see
    /// ``addUnpaidPeriods(_:_:)``.
    mutating func sortSignedRenewals() {
        guard let renewals = history.signed?.renewals,
            !renewals.isEmpty || history.transactions.contains(where: { $0.standing == .familyShared })
        else { return }
        let subscriptions = subscriptions(named: renewals.compactMap(\.entry.originalTransactionID))
        var newest: [SubscriptionName: SignedRenewal] = [:]
        // The newest information with the end of a period.
        var stating: [SubscriptionName: SignedRenewal] = [:]
        var transactions: [SubscriptionName: Int] = [:]
        let purchases = renewals.isEmpty ? [:] : knownPurchases()
        for renewal in renewals where renewal.signedDate <= instant {
            let named = renewal.entry.originalTransactionID.flatMap { subscriptions[Array($0.utf8)] }
            guard let slot = named.flatMap({ places?[$0] }) ?? slot(of: renewal.entry) else { continue }
            let original = named.map { name(ofSubscription: history.transactions[$0]) }
            let subscription = SubscriptionName(
                slot: slot, original: original ?? Array((renewal.entry.originalTransactionID ?? "").utf8))
            newest[subscription] = renewal.combined(withOlder: newest[subscription])
            if renewal.periodEnd != nil {
                stating[subscription] = renewal.combined(withOlder: stating[subscription])
            }
            if let known = purchases[subscription.original], shows(renewal, purchasesBeyond: known) {
                signed[slot, default: SignedFacts()].showsMissingEvidence = true
            }
            transactions[subscription] = [transactions[subscription], named].compactMap(\.self).min()
            if renewal.mayBeIntroductory, named.map({ history.transactions[$0].standing }) != .familyShared {
                signed[slot, default: SignedFacts()].mayHaveIntroductoryRenewal = true
            }
        }
        let last = lastPurchases()
        setRenewals(newest, transactions, last)
        addUnpaidPeriods(newest, last)
        let shared = Set(
            history.transactions.filter { $0.standing == .familyShared }.map(name(ofSubscription:)))
        noteUnknownOwners(newest, last.filter { !shared.contains($0.key.original) })
        noteSharedPeriods(newest, last.filter { shared.contains($0.key.original) })
        noteUnlistedPeriods(stating, last)
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
            if (own ?? newest).map({ renewal.isCurrent(for: $0) }) ?? true {
                signed[slot, default: SignedFacts()].renewals.insert(subscription.original)
            }
            let isOther =
                isNamed && newest.map { subscription.original != name(ofSubscription: $0) } ?? false
            if let newest, isOther ? renewal.isBefore(newest) : !renewal.isCurrent(for: newest) { continue }
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

    /// Returns whether the groups of two slots are one group at Apple.
    private func isJoined(_ slot: Int, _ other: Int) -> Bool {
        let joins = names?.joinsOfGroup[groups[slot].group] ?? []
        return !joins.isEmpty
            && joins.contains { names?.joinsOfGroup[groups[other].group]?.contains($0) == true }
    }

    /// Returns the index of the last purchase of each subscription, except replaced renewals.
    private func lastPurchases() -> [SubscriptionName: Int] {
        var last: [SubscriptionName: Int] = [:]
        for (index, transaction) in history.transactions.enumerated()
        where transaction.isSubscription && transaction.standing != .superseded
            && transaction.wasBought(by: instant)
        {
            guard let slot = places?[index], !replacedRenewals.contains(index) else { continue }
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
            guard changes.allSatisfy({ $0 <= renewal.signedDate }),
                transaction.map({ !renewal.isOfPeriodBefore($0.purchased, until: $0.expires) }) ?? true
            else { continue }
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
    /// - Parameter last: The last purchase of each subscription without a shared period.
    private mutating func noteUnknownOwners(
        _ newest: [SubscriptionName: SignedRenewal], _ last: [SubscriptionName: Int]
    ) {
        for (subscription, renewal) in newest {
            guard let index = last[subscription], history.transactions[index].standing == .unknownOwner,
                history.transactions[index].cancellation(by: instant).map({ $0 <= renewal.signedDate })
                    ?? true
            else { continue }
            let until = renewal.didNotRenew ? nil : instant
            let ends = [signed[subscription.slot]?.unknownOwnersEnd, renewal.periodEnd, until]
            signed[subscription.slot]?.unknownOwnersEnd = ends.compactMap(\.self).max()
        }
    }

    /// Notes when shared subscriptions end, and which of them may have been renewed since.
    ///
    /// A subscription may have been renewed if its last known period is over and was not revoked. Information signed after its end
    /// must not say that it did not renew. If a receipt is newer than the end, information newer than the receipt must say that it
    /// renews.
    /// - Parameter last: The last purchase of each subscription with a shared period.
    private mutating func noteSharedPeriods(
        _ newest: [SubscriptionName: SignedRenewal], _ last: [SubscriptionName: Int]
    ) {
        let newestReceipt = history.signed?.newestReceipt
        for (subscription, index) in last where isOfOtherOwner(index) {
            let transaction = history.transactions[index]
            let lacksSuccessor = sharedWithoutSuccessor.contains(index)
            let renewal = newest[subscription].flatMap {
                counts($0, after: transaction, lacksSuccessor: lacksSuccessor) ? $0 : nil
            }
            let knownEnd = transaction.end(asOf: instant)
            let end = max(knownEnd, renewal?.periodEnd ?? knownEnd)
            signed[subscription.slot, default: SignedFacts()].noteSharedEnd(end)
            // The missing successor of an upgraded period is assumed to end no earlier.
            if lacksSuccessor, renewal == nil, let expires = transaction.expires {
                signed[subscription.slot]?.noteSharedEnd(expires)
            }
            let isRevoked = transaction.cancellation(by: instant) != nil && !lacksSuccessor
            guard end <= instant, !isRevoked || renewal != nil else { continue }
            let renews = renewal.map { !$0.didNotRenew || $0.entry.isInBillingRetry } ?? false
            guard renews || renewal.map({ $0.signedDate <= end }) ?? true else { continue }
            if let newestReceipt, newestReceipt >= end {
                guard renews, let renewal, renewal.signedDate > newestReceipt else { continue }
            }
            let isStated = renews && renewal?.periodEnd != nil
            signed[subscription.slot]?.noteSharedRenewal(isStated: isStated)
        }
    }

    /// Returns whether information counts beside the last known purchase of its subscription. After a revocation, it counts only if it
    /// states the end of a later period: the payer may renew without sharing.
    /// - Parameter lacksSuccessor: Whether the purchase was upgraded, and the evidence does not contain its successor.
    private func counts(
        _ renewal: SignedRenewal, after purchase: Transaction, lacksSuccessor: Bool
    ) -> Bool {
        guard !renewal.isBefore(purchase) || renewal.isCurrent(for: purchase) else { return false }
        guard let cancelled = purchase.cancellation(by: instant) else { return true }
        guard cancelled <= renewal.signedDate else { return false }
        if lacksSuccessor { return true }
        return renewal.periodEnd.map { (purchase.expires ?? cancelled).isWellBefore($0) } ?? false
    }

    /// Returns the purchases of each subscription that is not shared.
    private func knownPurchases() -> [[UInt8]: KnownPurchases] {
        var known: [[UInt8]: KnownPurchases] = [:]
        var shared = Set<[UInt8]>()
        for transaction in history.transactions where transaction.isSubscription {
            let subscription = name(ofSubscription: transaction)
            guard subscription.isUsableIdentifier else { continue }
            if transaction.standing == .familyShared { shared.insert(subscription) }
            known[subscription, default: KnownPurchases()].products.insert(text(transaction.product))
            if let purchased = transaction.purchased {
                known[subscription]?.minutes.insert(purchased.secondsSince1970 / 60)
            }
        }
        return known.filter { !shared.contains($0.key) }
    }

    /// Returns whether renewal information shows an unknown purchase of its subscription: one of its product, or the first one of its
    /// latest series of periods. A receipt that is as new would list them.
    private func shows(_ renewal: SignedRenewal, purchasesBeyond known: KnownPurchases) -> Bool {
        if let receipt = history.signed?.newestReceipt, receipt >= renewal.signedDate { return false }
        if let product = renewal.entry.productID, !known.products.contains(Array(product.utf8)) {
            return true
        }
        guard let minute = renewal.seriesStart.map({ $0.secondsSince1970 / 60 }) else { return false }
        return known.minutes.isDisjoint(with: (minute - 1)...(minute + 1))
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
}

extension SignedRenewal {
    /// Returns whether this information was signed before a purchase.
    fileprivate func isBefore(_ transaction: Transaction) -> Bool {
        transaction.purchased.map { signedDate < $0 } ?? false
    }

    fileprivate func isCurrent(for transaction: Transaction) -> Bool {
        isCurrent(forPeriodFrom: transaction.purchased, until: transaction.expires)
    }
}
