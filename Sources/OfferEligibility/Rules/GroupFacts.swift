import AppReceipt

/// The facts about one group at the evaluation date, from a history and renewal information.
struct GroupFacts: Sendable {
    /// The number of the group, as in ``GroupNames``.
    let group: Int
    /// The customer's own period that ends last, or nil without one.
    private(set) var last: Period?
    /// The indices of the purchases with the trial or the intro flag.
    private(set) var used: [Int] = []
    /// The indices of the purchases under an offer of an unknown type.
    private(set) var unknownOffers: [Int] = []
    /// The indices of the running periods, including those of other owners.
    private(set) var running: [Int] = []
    /// The running period that ends last.
    private(set) var longest: Period?
    /// The indices of the purchases that were canceled, but not by a switch.
    private(set) var refunded: [Int] = []
    /// The indices of those that were canceled for an unknown reason, which may be refunds.
    private(set) var unknownRefunds: [Int] = []

    /// The end of the grace period, if it is after the evaluation date.
    private(set) var graceEnd: Timestamp?
    private(set) var isInBillingRetry = false
    private(set) var willRenew: Bool?

    struct Period: Sendable {
        let index: Int
        let end: Timestamp

        /// The end, or nil if the evidence states no date at all.
        var statedEnd: Timestamp? { end == Transaction.unknownEnd ? nil : end }

        /// Returns whether this period ends after another. If both end at the same time, the later purchase
        /// counts as ending later.
        func ends(after other: Period, in history: PurchaseHistory) -> Bool {
            end > other.end || (end == other.end && !history.precedes(index, other.index))
        }
    }

    /// The purchases that rule out, or could rule out, the introductory offer of their group.
    var decisive: [Int] { used + unknownOffers + running + refunded + unknownRefunds }

    /// Returns whether the last period ended by a refund.
    func endedByRefund(in history: PurchaseHistory) -> Bool {
        guard let last, refunded.contains(last.index) else { return false }
        return history.transactions[last.index].cancelled == last.end
    }

    /// Returns whether the last period, or a shared one, has ended by the evaluation date and may have renewed since.
    func mayHaveRenewed(_ signed: SignedFacts?, in history: PurchaseHistory, asOf instant: Timestamp) -> Bool
    {
        if signed?.hasSharedRenewal == true { return true }
        guard let last, last.end <= instant else { return false }
        guard let evidence = history.signed else {
            // The period may have begun after the creation: the App Store renews up to a day ahead.
            return history.evidenceDate.map { $0 < last.end } ?? false
        }
        if signed?.unlistedEnd != nil { return true }
        if let created = evidence.newestReceipt, created >= last.end { return false }
        let isRefunded = endedByRefund(in: history)
        guard let renewal = signed?.renewal, renewal.signedDate > last.end else { return !isRefunded }
        // After a refund, information must say that the subscription renews.
        let renews = !renewal.didNotRenew && (!isRefunded || renewal.entry.willRenew == true)
        return renews || graceEnd != nil || isInBillingRetry
    }

    mutating func add(_ index: Int, of history: PurchaseHistory, asOf instant: Timestamp) {
        let end = history.transactions[index].end(asOf: instant)
        addOffer(index, of: history)
        if instant < end { addRunning(index, until: end, of: history) }
        let period = Period(index: index, end: end)
        if last.map({ period.ends(after: $0, in: history) }) ?? true { last = period }
    }

    /// Adds the offer of a purchase or of superseded evidence. An offer that any evidence shows as used stays used.
    mutating func addOffer(_ index: Int, of history: PurchaseHistory) {
        if history.transactions[index].usedOffer {
            used.append(index)
        } else if history.transactions[index].hasUnknownOffer {
            unknownOffers.append(index)
        }
    }

    /// Adds a purchase that was canceled, but not by a switch. One under an unknown offer is unknown already.
    mutating func addRefund(_ index: Int, of history: PurchaseHistory) {
        let transaction = history.transactions[index]
        if !transaction.hasUnknownReason, !transaction.hasUnknownRevocation {
            refunded.append(index)
        } else if !transaction.hasUnknownOffer {
            unknownRefunds.append(index)
        }
    }

    private mutating func addRunning(_ index: Int, until end: Timestamp, of history: PurchaseHistory) {
        running.append(index)
        let period = Period(index: index, end: end)
        if longest.map({ period.ends(after: $0, in: history) }) ?? true { longest = period }
    }

    /// Returns a copy whose lists are sorted by `inOrder`.
    func listing(_ inOrder: ([Int]) -> [Int]) -> GroupFacts {
        var facts = self
        (facts.used, facts.running, facts.refunded) = (inOrder(used), inOrder(running), inOrder(refunded))
        (facts.unknownOffers, facts.unknownRefunds) = (inOrder(unknownOffers), inOrder(unknownRefunds))
        return facts
    }

    /// Adds another owner's subscription. It runs for the customer too, but is not the customer's own
    /// purchase.
    mutating func addShared(_ index: Int, of history: PurchaseHistory, asOf instant: Timestamp) {
        let end = history.transactions[index].end(asOf: instant)
        if instant < end { addRunning(index, until: end, of: history) }
    }

    mutating func addGracePeriod(until end: Timestamp?, asOf instant: Timestamp) {
        if let end, instant < end { graceEnd = max(end, graceEnd ?? end) }
    }

    /// Adds an entry of renewal information. If there are several entries for one group, an entry that
    /// renews, or is still in its grace period, takes precedence.
    mutating func add(_ entry: RenewalInformation.Entry, asOf instant: Timestamp) {
        addGracePeriod(until: entry.gracePeriodEnd, asOf: instant)
        isInBillingRetry = isInBillingRetry || entry.isInBillingRetry
        if let renews = entry.willRenew { willRenew = renews || willRenew ?? false }
    }
}
