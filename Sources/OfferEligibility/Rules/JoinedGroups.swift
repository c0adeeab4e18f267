import AppReceipt

/// The decisive purchases, and other traits, of groups that are one group at Apple.
///
/// A join is a list of such groups, and its purchases include those of each group. A list of the other groups'
/// purchases for each group would take quadratic memory. Instead, each join stores its first purchases. They
/// are enough to name, for any one group, the first purchases of the others.
struct JoinedGroups {
    /// The facts about a group other than its decisive purchases.
    struct Traits: OptionSet, Hashable {
        let rawValue: UInt8
        /// The customer is or was a subscriber, or an unknown owner is.
        static let subscriber = Traits(rawValue: 1)
        /// A fact other than a purchase decides about the introductory offer: a grace period, or a running period or an offer
        /// that only renewal information shows.
        static let decisive = Traits(rawValue: 2)
        /// A period, a grace period or billing retry runs.
        static let active = Traits(rawValue: 4)
        /// The last period is over, and may have renewed since.
        static let renewable = Traits(rawValue: 8)
        /// Purchases may be missing.
        static let partial = Traits(rawValue: 16)

        static let each: [Traits] = [.subscriber, .decisive, .active, .renewable, .partial]
    }

    private struct Purchase: Hashable {
        /// The position in the order of purchase.
        let rank: Int
        let slot: Int
    }

    /// The purchases of the groups of one or several joins.
    private struct Purchases {
        let count: Int
        let first: [Purchase]
        /// The number of groups with each trait, in the order of ``Traits/each``.
        let traits: [Int]
    }

    /// The indices of the transactions in the order of purchase.
    private let order: [Int]
    /// The number of decisive purchases of each slot.
    private let counts: [Int]
    private let traits: [Traits]
    /// The slots of each join's groups, and the first purchases of these groups.
    private let joins: [(slots: [Int], first: [Purchase])]
    /// The purchases for each list of joins that was needed.
    private var known: [[Int]: Purchases] = [:]

    /// Creates the joins of the catalog's groups, as lists of groups.
    init(
        _ joins: [[Int]], of groups: [GroupFacts], _ signed: [Int: SignedFacts], in history: PurchaseHistory,
        asOf instant: Timestamp
    ) {
        order = history.transactions.indices.sorted(by: history.precedes)
        var ranks = Array(repeating: 0, count: order.count)
        for (rank, index) in order.enumerated() { ranks[index] = rank }
        let decisive = groups.indices.map { slot in
            Set(groups[slot].decisive + (signed[slot]?.unknownOwners ?? [])).map { ranks[$0] }.sorted()
        }
        counts = decisive.map(\.count)
        traits = groups.indices.map { slot in
            var traits = Traits(groups[slot], signed[slot] ?? SignedFacts())
            if groups[slot].mayHaveRenewed(signed[slot], in: history, asOf: instant)
                || signed[slot]?.mayHaveSharedRenewal == true
            {
                traits.insert(.renewable)
            }
            if let end = signed[slot]?.unlistedEnd, instant < end {
                traits.formUnion([.decisive, .active])
            }
            return traits
        }
        let slots = Dictionary(uniqueKeysWithValues: zip(groups.map(\.group), groups.indices))
        self.joins = joins.map { groups in
            let slots = groups.compactMap { slots[$0] }
            let purchases = slots.flatMap { slot in
                decisive[slot].prefix(CustomerFacts.namedTransactions).map { Purchase(rank: $0, slot: slot) }
            }
            return (slots, Self.first(purchases))
        }
    }

    /// Returns the purchases of the other groups in the joins of a slot's group.
    mutating func purchases(joinedWith slot: Int, by joins: [Int]) -> UnknownHistory {
        if joins.isEmpty { return UnknownHistory() }
        let all = known[joins] ?? purchases(of: joins)
        known[joins] = all
        let others = all.first.lazy.filter { $0.slot != slot }.prefix(CustomerFacts.namedTransactions)
        let count = all.count - counts[slot]
        var found = Traits()
        for (trait, groups) in zip(Traits.each, all.traits)
        where groups > (traits[slot].contains(trait) ? 1 : 0) { found.insert(trait) }
        return UnknownHistory(
            count: count, first: others.map { order[$0.rank] }, joined: count, joinedGroups: found)
    }

    private func purchases(of joins: [Int]) -> Purchases {
        var isCounted = Array(repeating: false, count: counts.count)
        var count = 0
        var traits = Traits.each.map { _ in 0 }
        for join in joins {
            for slot in self.joins[join].slots where !isCounted[slot] {
                isCounted[slot] = true
                count += counts[slot]
                for (index, trait) in Traits.each.enumerated() where self.traits[slot].contains(trait) {
                    traits[index] += 1
                }
            }
        }
        return Purchases(
            count: count, first: Self.first(Set(joins.flatMap { self.joins[$0].first })), traits: traits)
    }

    /// Returns the first 2 n purchases, where n is ``CustomerFacts/namedTransactions``. At most n of them are
    /// in the same slot. The first n of all other slots are therefore among them.
    private static func first(_ purchases: some Sequence<Purchase>) -> [Purchase] {
        Array(purchases.sorted { $0.rank < $1.rank }.prefix(2 * CustomerFacts.namedTransactions))
    }
}

extension JoinedGroups.Traits {
    fileprivate init(_ group: GroupFacts, _ signed: SignedFacts) {
        self = []
        if group.last != nil || !signed.superseded.isEmpty || !signed.unknownOwners.isEmpty {
            insert(.subscriber)
        }
        if signed.mayLackRenewals || signed.showsMissingEvidence { insert(.partial) }
        if group.graceEnd != nil || signed.mayHaveIntroductoryRenewal { insert(.decisive) }
        if !group.running.isEmpty || group.graceEnd != nil || group.isInBillingRetry { insert(.active) }
    }
}
