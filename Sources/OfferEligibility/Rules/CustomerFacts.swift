import AppReceipt

/// The facts that all products of a call share: the purchases of each group, and uncatalogued purchases.
final class CustomerFacts: Sendable {
    let catalog: SubscriptionCatalog
    let policies: OfferPolicies
    let history: PurchaseHistory
    let asOf: EligibilityInstant
    /// The groups that contain a purchase or an evaluated product. An index of this array is called a slot.
    let groups: [GroupFacts]
    /// The slot of each transaction, or a negative number if it is not the customer's own purchase in a
    /// group.
    let slots: [Int32]
    /// The purchases that may belong to a group of each origin. They are subscriptions that no group lists, purchases that may
    /// be subscriptions, and subscriptions of groups that may be the same at Apple.
    private let uncatalogued: [GroupOrigin: UncataloguedPurchases]
    /// The purchases that leave the introductory offer of a slot's group unknown. A slot is missing if it has
    /// no evaluated products, or if it has no such purchases except uncatalogued ones.
    private let unknownHistories: [Int: UnknownHistory]
    private let names: GroupNames?
    /// Whether an uncatalogued purchase has an unknown type.
    let hasUnknownType: Bool
    /// The indices of the app's subscriptions with an unknown owner.
    let unknownOwners: [Int]
    /// The facts about each group, except the customer's own purchases, by slot. Empty if there are none.
    let signed: [Int: SignedFacts]
    /// The index of the customer's last subscription in any group.
    let lastSubscriptionInApp: Int?

    /// The maximum number of transactions in an answer. Longer lists are sorted once instead of for each
    /// product.
    static let namedTransactions = 100

    /// Creates the facts for products of the groups in `evaluated`, which are slots.
    init(
        _ sorter: consuming TransactionSorter, policies: OfferPolicies, asOf: EligibilityInstant,
        slots evaluated: Set<Int>
    ) {
        let history = sorter.history
        let isLong = history.transactions.count > Self.namedTransactions
        func inOrder(_ places: [Int]) -> [Int] {
            places.count > Self.namedTransactions ? places.sorted(by: history.precedes) : places
        }
        catalog = sorter.catalog
        self.history = history
        groups = isLong ? sorter.groups.map { $0.listing(inOrder) } : sorter.groups
        slots = sorter.slots
        func uncatalogued(_ others: [Int]) -> UncataloguedPurchases {
            UncataloguedPurchases(sorter.uncatalogued + others, of: history, asOf: asOf.timestamp)
        }
        let uncatalogued: [GroupOrigin: UncataloguedPurchases] = [
            .identified: uncatalogued([]), .unidentified: uncatalogued(sorter.beyondCatalog),
            .beyondCatalog: uncatalogued(sorter.unidentified),
        ]
        self.uncatalogued = uncatalogued
        let names = sorter.names
        self.names = names
        hasUnknownType = sorter.uncatalogued.contains { !history.transactions[$0].isSubscription }
        unknownOwners = inOrder(sorter.signed.values.flatMap(\.unknownOwners))
        signed = isLong ? sorter.signed.mapValues { $0.listing(inOrder) } : sorter.signed
        let uncataloguedOwn = sorter.uncatalogued.filter { history.transactions[$0].showsSubscriber }
        lastSubscriptionInApp =
            (groups.compactMap { $0.last?.index } + signed.values.flatMap(\.superseded) + uncataloguedOwn)
            .max(by: history.precedes)
        self.policies = policies
        self.asOf = asOf
        var unknownHistories: [Int: UnknownHistory] = [:]
        let joins = names?.joins ?? []
        var joined =
            joins.isEmpty ? nil : JoinedGroups(joins, of: groups, signed, in: history, asOf: asOf.timestamp)
        for slot in evaluated {
            let facts = groups[slot]
            let joins = names?.joinsOfGroup[facts.group] ?? []
            var unknown = joined?.purchases(joinedWith: slot, by: joins) ?? UnknownHistory()
            unknown.add(facts.unknownOffers)
            if policies.refunds == .block { unknown.add(facts.unknownRefunds) }
            if unknown.count == 0, unknown.joinedGroups.isEmpty { continue }
            let origin = names?.origin(of: facts.group) ?? .identified
            unknown.add(uncatalogued[origin]?.indices ?? [])
            let first = unknown.first.sorted(by: history.precedes).prefix(Self.namedTransactions)
            unknown.first = Array(first)
            unknownHistories[slot] = unknown
        }
        self.unknownHistories = unknownHistories
    }

    /// Returns the first transactions in the order of purchase, at most ``namedTransactions``.
    func first(_ places: [Int]) -> [Int] {
        let places = places.count > Self.namedTransactions ? places : places.sorted(by: history.precedes)
        return Array(places.prefix(Self.namedTransactions))
    }

    func signed(ofSlot slot: Int) -> SignedFacts? { signed.isEmpty ? nil : signed[slot] }

    /// Returns the purchases without a known group that may belong to the group in a slot.
    func uncatalogued(ofSlot slot: Int) -> UncataloguedPurchases? {
        uncatalogued[origin(ofSlot: slot)]
    }

    /// Returns the origin of the name of the group in a slot.
    func origin(ofSlot slot: Int) -> GroupOrigin { names?.origin(of: groups[slot].group) ?? .identified }

    /// Returns whether the group in a slot is the same group at Apple as another one that could change the
    /// introductory offer: by a purchase or a grace period.
    func isJoined(_ slot: Int) -> Bool {
        unknownHistories[slot].map { $0.joined > 0 || $0.joinedGroups.contains(.decisive) } ?? false
    }

    /// Returns the purchases that leave the introductory offer of the group in a slot unknown. These are
    /// uncatalogued purchases, purchases of joined groups, and the group's own purchases under offers of
    /// unknown types.
    func unknownHistory(ofSlot slot: Int) -> UnknownHistory {
        if let history = unknownHistories[slot] { return history }
        let uncatalogued = uncatalogued(ofSlot: slot)?.indices ?? []
        return UnknownHistory(count: uncatalogued.count, first: first(uncatalogued))
    }

    /// Returns the name of the group in a slot, or nil if the only group has no name.
    func nameOfGroup(inSlot slot: Int) -> String? {
        let (group, listed) = (groups[slot].group, catalog.groups.count)
        if catalog.isSingleGroup { return nil }
        return group < listed ? catalog.groups[group] : names?.beyond[group - listed]
    }

    /// Returns the facts that the rules use, for any product of the group in a slot.
    func input(ofSlot slot: Int) -> RuleInput {
        let facts = groups[slot]
        var input = RuleInput()
        if case .clock(let now) = asOf, let created = history.evidenceDate {
            input.clockIsWrong = now < created
        }
        input.hasHistory = facts.last != nil
        let joined = unknownHistories[slot]?.joinedGroups ?? []
        let isStale = joined.contains(.renewable) && policies.staleEvidence == .undetermined
        let isPartial = joined.contains(.partial) && policies.partialEvidence == .undetermined
        let uncatalogued = uncatalogued(ofSlot: slot)
        let isUncatalogued = uncatalogued?.indices.isEmpty == false
        input.hasUncatalogued = isJoined(slot) || isStale || isPartial || isUncatalogued
        input.hasLaterUncatalogued = facts.last.map { uncatalogued?.ends(after: $0.end) == true } ?? false
        input.hasJoinedHistory = joined.contains(.subscriber)
        input.isJoinedActive = joined.contains(.active)
        input.hasSubscriptionInApp = lastSubscriptionInApp != nil
        input.hasUnknownOwnerInApp = !unknownOwners.isEmpty
        input.coverage = history.coverage
        input.usedOffer = !facts.used.isEmpty
        input.hasUnknownOffer = !facts.unknownOffers.isEmpty
        input.isRunning = !facts.running.isEmpty
        input.wasRefunded = !facts.refunded.isEmpty
        input.mayBeRefunded = !facts.unknownRefunds.isEmpty
        input.hasUnknownEnd = facts.last.map { facts.unknownRefunds.contains($0.index) } ?? false
        input.renewalPossible = facts.mayHaveRenewed(signed(ofSlot: slot), in: history, asOf: asOf.timestamp)
        input.isInGracePeriod = facts.graceEnd != nil
        input.isInBillingRetry = facts.isInBillingRetry
        input.willRenew = facts.willRenew
        input.policies = policies
        guard let signed = signed(ofSlot: slot) else { return input }
        input.mayHaveRenewedSinceInformation =
            input.renewalPossible && (signed.renewal != nil || signed.hasSharedRenewal)
        input.mayHaveSharedRenewal = signed.mayHaveSharedRenewal
        input.hasSuperseded = !signed.superseded.isEmpty
        input.hasUnknownOwner = !signed.unknownOwners.isEmpty
        func hasUnknownOwner(after date: Timestamp?) -> Bool {
            if let date, let end = signed.unknownOwnersEnd { end > date } else { false }
        }
        input.hasLaterUnknownOwner = hasUnknownOwner(after: facts.last?.end)
        input.mayLackRenewals = signed.mayLackRenewals
        input.showsMissingEvidence = signed.showsMissingEvidence
        input.hasUnknownOffer = input.hasUnknownOffer || signed.mayHaveIntroductoryRenewal
        input.hasUnlistedPeriod = signed.unlistedEnd != nil
        input.isUnlistedRunning = signed.unlistedEnd.map { asOf.timestamp < $0 } ?? false
        input.renewalIsSigned =
            (signed.renewal != nil || signed.hasUnpaidPeriod) && !signed.hasUnsignedRenewal
        if let renewal = signed.renewal, let last = facts.last,
            renewal.signedDate > max(last.end, signed.unlistedEnd ?? last.end)
        {
            input.hasAppleOffers = renewal.winBackOffers.map { !$0.isEmpty }
            // Before the end of a shared period, Apple's list grants nothing. It may still deny.
            if input.hasAppleOffers == true, let end = signed.sharedEnd, renewal.signedDate <= end {
                input.hasAppleOffers = nil
            }
            // Apple knows the purchases that ended before it signed the list.
            if input.hasAppleOffers == true {
                input.hasLaterUncatalogued = uncatalogued?.ends(after: renewal.signedDate) == true
                input.hasLaterUnknownOwner = hasUnknownOwner(after: renewal.signedDate)
            }
        }
        return input
    }

    /// Returns the indices of the customer's own purchases in the group of a slot, in the order of purchase.
    func transactions(inSlot slot: Int) -> [Int] {
        slots.indices.filter { slots[$0] == slot }.sorted(by: history.precedes)
    }
}

extension PurchaseHistory {
    /// Returns whether one transaction precedes another: by purchase date, then by expiration, product,
    /// identifiers and cancellation.
    ///
    /// This order does not depend on the order of the evidence.
    func precedes(_ left: Int, _ right: Int) -> Bool {
        let (one, other) = (transactions[left], transactions[right])
        let earliest = Timestamp(millisecondsSince1970: .min)
        let (start, otherStart) = (one.purchased ?? earliest, other.purchased ?? earliest)
        if start != otherStart { return start < otherStart }
        let (end, otherEnd) = (one.expires ?? earliest, other.expires ?? earliest)
        if end != otherEnd { return end < otherEnd }
        // Text would be compared in quadratic time, and by its appearance.
        for field in [\Transaction.product, \.id, \.original] {
            let (name, otherName) = (bytes(one[keyPath: field]), bytes(other[keyPath: field]))
            if name.lexicographicallyPrecedes(otherName) { return true }
            if otherName.lexicographicallyPrecedes(name) { return false }
        }
        return (one.cancelled ?? earliest) < (other.cancelled ?? earliest)
    }

    private func bytes(_ slice: TextSlice?) -> ArraySlice<UInt8> { text[slice?.range ?? 0..<0] }
}
