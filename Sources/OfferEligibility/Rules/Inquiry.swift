import AppReceipt

/// What one call finds out once for all the products that it is asked about: T of every group, and U.
final class Inquiry: Sendable {
    let catalog: SubscriptionCatalog
    let policies: OfferPolicies
    let history: PurchaseHistory
    let asOf: EligibilityInstant
    /// The groups of which something was bought or asked; a place in it is called a slot.
    let groups: [GroupFacts]
    /// The slot of each transaction; negative where it is in no T.
    let slots: [Int32]
    /// The places of the subscriptions that no group lists, and of what may have been one.
    private let uncatalogued: [Int]
    /// Also includes the places of the subscriptions that may be of several groups of the catalog.
    private let uncataloguedOrBeyond: [Int]
    private let names: GroupNames?
    /// Whether U holds something of an unknown type.
    let hasUnknownType: Bool
    /// The places of the subscriptions of the app with an unknown owner.
    let unknownOwners: [Int]
    /// The place of the last of those in U that are known to be the customer's subscriptions.
    let lastUncatalogued: Int?
    /// By slot; empty where nothing is said beside the customer's own purchases.
    let signed: [Int: SignedFacts]
    private let groupsBeyondCatalog: [String]
    /// Some subscription was bought, whatever its group.
    private let hasSubscriptionInApp: Bool
    private var hasUnknownOwnerInApp: Bool { !unknownOwners.isEmpty }

    /// The number of transactions that an answer names. Lists of more are put in order once, and not for each product.
    static let namedTransactions = 100

    init(_ sorting: consuming Sorting, policies: OfferPolicies, asOf: EligibilityInstant) {
        let history = sorting.history
        let isLong = history.transactions.count > Self.namedTransactions
        func inOrder(_ places: [Int]) -> [Int] {
            places.count > Self.namedTransactions ? places.sorted(by: history.precedes) : places
        }
        catalog = sorting.catalog
        self.history = history
        groups = isLong ? sorting.groups.map { $0.listing(inOrder) } : sorting.groups
        slots = sorting.slots
        uncatalogued = inOrder(sorting.uncatalogued)
        uncataloguedOrBeyond = inOrder(sorting.uncatalogued + sorting.beyondCatalog)
        names = sorting.names
        hasUnknownType = sorting.uncatalogued.contains { !history.transactions[$0].isSubscription }
        unknownOwners = inOrder(sorting.signed.values.flatMap(\.unknownOwners))
        lastUncatalogued = sorting.uncataloguedPurchases.max(by: history.precedes)
        signed = isLong ? sorting.signed.mapValues { $0.listing(inOrder) } : sorting.signed
        groupsBeyondCatalog = sorting.groupsBeyondCatalog
        hasSubscriptionInApp =
            groups.contains { $0.last != nil } || lastUncatalogued != nil
            || signed.values.contains { !$0.superseded.isEmpty }
        self.policies = policies
        self.asOf = asOf
    }

    /// The first of some transactions in the order of purchase.
    func first(_ places: [Int]) -> [Int] {
        let places = places.count > Self.namedTransactions ? places : places.sorted(by: history.precedes)
        return Array(places.prefix(Self.namedTransactions))
    }

    func signed(ofSlot slot: Int) -> SignedFacts? { signed.isEmpty ? nil : signed[slot] }

    /// Returns U for the group in a slot.
    func uncatalogued(ofSlot slot: Int) -> [Int] {
        if names?.isIdentified(groups[slot].group) ?? true { return uncatalogued }
        return uncataloguedOrBeyond.filter { slots[$0] != slot }
    }

    /// Returns U for the group in a slot, and the group's purchases under offers of unknown types.
    func unknownHistory(ofSlot slot: Int) -> [Int] {
        let (uncatalogued, offers) = (uncatalogued(ofSlot: slot), groups[slot].unknownOffers)
        return offers.isEmpty ? uncatalogued : (uncatalogued + offers).sorted(by: history.precedes)
    }

    /// Nil where all are one group without a name.
    func nameOfGroup(inSlot slot: Int) -> String? {
        let (group, listed) = (groups[slot].group, catalog.groups.count)
        if catalog.isSingleGroup { return nil }
        return group < listed ? catalog.groups[group] : groupsBeyondCatalog[group - listed]
    }

    /// What the rules look at, for any product of the group in a slot.
    func situation(ofSlot slot: Int) -> Situation {
        let facts = groups[slot]
        var situation = Situation()
        if case .clock(let now) = asOf, let created = history.evidenceDate {
            situation.clockIsWrong = now < created
        }
        situation.hasHistory = facts.last != nil
        situation.hasUncatalogued = !uncatalogued(ofSlot: slot).isEmpty
        situation.hasSubscriptionInApp = hasSubscriptionInApp
        situation.hasUnknownOwnerInApp = hasUnknownOwnerInApp
        situation.coverage = history.coverage
        situation.usedOffer = !facts.used.isEmpty
        situation.hasUnknownOffer = !facts.unknownOffers.isEmpty
        situation.isRunning = !facts.running.isEmpty
        situation.wasRefunded = !facts.refunded.isEmpty
        situation.renewalPossible = mayHaveRenewed(slot)
        situation.isInGracePeriod = facts.graceEnd != nil
        situation.isInBillingRetry = facts.isInBillingRetry
        situation.willRenew = facts.willRenew
        situation.policies = policies
        if !signed.isEmpty { add(signed[slot] ?? SignedFacts(), to: &situation, lapsed: facts.last?.end) }
        return situation
    }

    private func add(_ facts: SignedFacts, to situation: inout Situation, lapsed: Timestamp?) {
        situation.hasSuperseded = !facts.superseded.isEmpty
        situation.hasUnknownOwner = !facts.unknownOwners.isEmpty
        guard let renewal = facts.renewal else { return }
        situation.renewalIsSigned = true
        if let lapsed, renewal.signedDate > lapsed {
            situation.hasAppleOffers = renewal.winBackOffers.map { !$0.isEmpty }
        }
    }

    /// Whether the last period, which is over at the instant asked, may have been renewed since.
    private func mayHaveRenewed(_ slot: Int) -> Bool {
        let facts = groups[slot]
        guard let last = facts.last, last.end <= asOf.timestamp else { return false }
        guard let evidence = history.signed else {
            // It was running when the receipt was created.
            guard let created = history.evidenceDate else { return false }
            return history.transactions[last.index].wasBought(by: created) && created < last.end
        }
        // What was refunded is not renewed.
        if facts.endedByRefund(in: history) { return false }
        if let created = evidence.newestReceipt, created >= last.end { return false }
        guard let renewal = signed(ofSlot: slot)?.renewal, renewal.signedDate > last.end else { return true }
        return !renewal.didNotRenew || facts.graceEnd != nil || facts.isInBillingRetry
    }

    /// T of the group in a slot, in the order of purchase.
    func transactions(inSlot slot: Int) -> [Int] {
        slots.indices.filter { slots[$0] == slot }.sorted(by: history.precedes)
    }
}

/// What a history and renewal information say of one group at one instant.
struct GroupFacts: Sendable {
    /// In the catalogue.
    let group: Int
    /// The period of T that ends last; nil where T is empty.
    private(set) var last: Period?
    /// The places of T's transactions with the trial or the intro flag.
    private(set) var used: [Int] = []
    /// The places of those under an offer of a type that no rule knows.
    private(set) var unknownOffers: [Int] = []
    /// The places of those that run, those shared by the family included.
    private(set) var running: [Int] = []
    /// The one of those that runs longest.
    private(set) var longest: Period?
    /// The places of those that were cancelled, and not by a switch.
    var refunded: [Int] = []

    /// The end of the grace period, if it is still to come.
    private(set) var graceEnd: Timestamp?
    private(set) var isInBillingRetry = false
    private(set) var willRenew: Bool?

    struct Period: Sendable {
        let index: Int
        let end: Timestamp

        /// Of periods that end together the one that was bought last counts.
        func ends(after other: Period, in history: PurchaseHistory) -> Bool {
            end > other.end || (end == other.end && !history.precedes(index, other.index))
        }
    }

    init(group: Int) { self.group = group }

    /// Whether the last period ended by a refund.
    func endedByRefund(in history: PurchaseHistory) -> Bool {
        guard let last, refunded.contains(last.index) else { return false }
        return history.transactions[last.index].cancelled == last.end
    }

    mutating func add(_ index: Int, of history: PurchaseHistory, asOf instant: Timestamp) {
        let end = history.transactions[index].end(asOf: instant)
        addOffer(index, of: history)
        if instant < end { addRunning(index, until: end, of: history) }
        let period = Period(index: index, end: end)
        if last.map({ period.ends(after: $0, in: history) }) ?? true { last = period }
    }

    private mutating func addOffer(_ index: Int, of history: PurchaseHistory) {
        if history.transactions[index].usedOffer {
            used.append(index)
        } else if history.transactions[index].hasUnknownOffer {
            unknownOffers.append(index)
        }
    }

    private mutating func addRunning(_ index: Int, until end: Timestamp, of history: PurchaseHistory) {
        running.append(index)
        let period = Period(index: index, end: end)
        if longest.map({ period.ends(after: $0, in: history) }) ?? true { longest = period }
    }

    /// The same with its lists in another order.
    func listing(_ inOrder: ([Int]) -> [Int]) -> GroupFacts {
        var facts = self
        (facts.used, facts.running, facts.refunded) = (inOrder(used), inOrder(running), inOrder(refunded))
        return facts
    }

    /// A subscription that another owner has runs for the customer too, and is no purchase of the customer.
    mutating func addShared(_ index: Int, of history: PurchaseHistory, asOf instant: Timestamp) {
        let end = history.transactions[index].end(asOf: instant)
        if instant < end { addRunning(index, until: end, of: history) }
    }

    /// An offer that was once told as used stays used.
    mutating func addSuperseded(_ index: Int, of history: PurchaseHistory) { addOffer(index, of: history) }

    /// Of several entries for one group the most favourable counts: one that renews, one still in grace.
    mutating func add(_ entry: RenewalInformation.Entry, asOf instant: Timestamp) {
        if let end = entry.gracePeriodEnd, instant < end { graceEnd = max(end, graceEnd ?? end) }
        isInBillingRetry = isInBillingRetry || entry.isInBillingRetry
        if let renews = entry.willRenew { willRenew = renews || willRenew ?? false }
    }
}

extension PurchaseHistory {
    /// The order in which transactions are told, whatever order the evidence has them in: by purchase, then
    /// by expiry, product and id.
    func precedes(_ left: Int, _ right: Int) -> Bool {
        let (one, other) = (transactions[left], transactions[right])
        let earliest = Timestamp(millisecondsSince1970: .min)
        let (start, otherStart) = (one.purchased ?? earliest, other.purchased ?? earliest)
        if start != otherStart { return start < otherStart }
        let (end, otherEnd) = (one.expires ?? earliest, other.expires ?? earliest)
        if end != otherEnd { return end < otherEnd }
        let names = (string(one.product) ?? "", string(one.id) ?? "")
        return names < (string(other.product) ?? "", string(other.id) ?? "")
    }
}
