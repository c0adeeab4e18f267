import AppReceipt

/// The facts about a lapsed group that the criteria of win-back offers use.
struct WinBackFacts: Sendable {
    private let instant: Timestamp
    /// The calendar months since the end of the last period.
    private let monthsSinceLapse: Int
    /// The fewest and the most calendar months that the customer may have paid for, or nil if this is unknown.
    let paidMonths: ClosedRange<Int>?
    /// The last ends of periods under each offer, by the offer's identifier.
    private let offerEnds: [[[UInt8]: Timestamp]]
    /// The same for purchases that may not be the customer's, or not of the group.
    private let uncertainOfferEnds: [[[UInt8]: Timestamp]]
    /// Whether a purchase is under an offer of an unknown type, so that redemptions are unknown.
    private let hasUnknownOffer: Bool
    /// Whether an unstated upgrade may have replaced the last period, or one under an offer. The lapse or the wait may then be earlier.
    private let mayEndEarlier: Bool

    /// Creates the facts. Returns nil without a period.
    init?(_ customer: CustomerFacts, slot: Int) {
        let (group, history, instant) = (customer.groups[slot], customer.history, customer.asOf.timestamp)
        guard let last = group.last else { return nil }
        self.instant = instant
        monthsSinceLapse = last.end.wholeMonths(until: instant)
        let purchases = customer.transactions(inSlot: slot)
        hasUnknownOffer = !group.unknownOffers.isEmpty
        let refunds = Set(group.refunded + group.unknownRefunds)
        let replaceable = history.periodsWithUnstatedUpgrades(
            among: purchases.filter {
                refunds.contains($0) || !history.transactions[$0].isCancelledWithinADay(asOf: instant)
            }, asOf: instant)
        mayEndEarlier =
            replaceable.contains(last.index) || replaceable.contains { history.transactions[$0].offer != nil }
        func months(without refunded: Set<Int>) -> Int? {
            let paid = purchases.filter { !refunded.contains($0) }.map { history.transactions[$0] }
            guard paid.allSatisfy({ $0.isUnpaid != nil }) else { return nil }
            return max(
                Self.paidMonths(paid, until: instant, on: \.self),
                Self.paidMonths(paid, until: instant, on: \.onPacificClocks))
        }
        // Periods with a partial or possible refund, and periods that may have been replaced, may or may not count until their end.
        let uncertain = replaceable.union(
            group.unknownRefunds + group.refunded.filter { history.transactions[$0].isPartlyRefunded })
        let most = months(without: refunds.subtracting(uncertain))
        let fewest = uncertain.isEmpty ? most : months(without: refunds.union(uncertain))
        paidMonths = if let fewest, let most { min(fewest, most)...most } else { nil }
        offerEnds = [history.offerEnds(of: purchases, asOf: instant)]
        let unknownOwners = customer.signed(ofSlot: slot)?.unknownOwners ?? []
        uncertainOfferEnds = [
            customer.uncatalogued(ofSlot: slot)?.offerEnds ?? [:],
            history.offerEnds(of: unknownOwners, asOf: instant),
        ]
    }

    /// Returns whether the customer meets the criteria of one of the offers. Returns nil if the purchases leave
    /// this unknown.
    func meetsAny(of offers: [WinBackOffer]) -> Bool? {
        let answers = offers.map(meets)
        if answers.contains(true) { return true }
        return answers.contains(nil) ? nil : false
    }

    /// Returns whether the customer meets the criteria of an offer while it is available, or nil if this is unknown. All bounds are
    /// inclusive.
    func meets(_ offer: WinBackOffer) -> Bool? {
        let isAvailable = offer.isAvailable(at: instant)
        if isAvailable == false { return false }
        let meetsCriteria = meetsCriteria(of: offer)
        return meetsCriteria == true && (isAvailable == nil || offer.hasUnknownCriterion)
            ? nil : meetsCriteria
    }

    private func meetsCriteria(of offer: WinBackOffer) -> Bool? {
        guard !hasUnknownOffer else { return nil }
        if mayEndEarlier {
            // The upper bound includes the whole replaced period, so no reading has more months.
            guard let required = offer.paidMonths, let paidMonths, paidMonths.upperBound < required else {
                return nil
            }
            return false
        }
        guard monthsSinceLapse >= offer.minimumMonthsSinceLapse ?? 0,
            monthsSinceLapse <= offer.maximumMonthsSinceLapse ?? .max,
            hasWaited(for: offer, since: offerEnds)
        else { return false }
        let answer: Bool? = mayHaveToWait(for: offer) ? nil : true
        guard let required = offer.paidMonths else { return answer }
        guard let paidMonths else { return nil }
        if required <= paidMonths.lowerBound { return answer }
        return required <= paidMonths.upperBound ? nil : false
    }

    /// Returns whether the wait since the end of the last period under this offer is over. Other offers do
    /// not count.
    private func hasWaited(for offer: WinBackOffer, since ends: [[[UInt8]: Timestamp]]) -> Bool {
        guard let wait = offer.waitMonths, let id = offer.offerID.map({ Array($0.utf8) }) else { return true }
        return ends.allSatisfy { $0[id].map { $0.wholeMonths(until: instant) >= wait } ?? true }
    }

    /// Returns whether the wait is not over if a purchase that may be the customer's, or of the group, counts.
    func mayHaveToWait(for offer: WinBackOffer) -> Bool { !hasWaited(for: offer, since: uncertainOfferEnds) }

    /// Returns the total number of calendar months that the customer paid for.
    ///
    /// The App Store bills on Pacific clocks. Across the beginning of daylight saving time, or the end of a month, a series of
    /// billed months is shorter than as many months in UTC. Apple documents no zone, so the larger number counts.
    ///
    /// Trials and refunded periods do not count, and overlapping periods count once. A receipt contains no
    /// prices. Free promotional offers therefore count, unless a signed transaction shows that they were
    /// free.
    ///
    /// Each uninterrupted series of periods counts with its whole months. The remaining times of all series
    /// are added up and count as one month for each 31 days. The remainder of a single series is therefore
    /// never a month.
    ///
    /// - Parameters:
    ///   - purchases: All purchases that were not refunded, in the order of purchase.
    ///   - clock: What the clocks of the zone show.
    private static func paidMonths(
        _ purchases: [Transaction], until instant: Timestamp, on clock: (Timestamp) -> Timestamp
    ) -> Int {
        var months = 0
        var leftOver: Int64 = 0
        var monthStart: Timestamp?
        var paidUntil: Timestamp?
        for transaction in purchases where transaction.isUnpaid == false {
            guard let start = transaction.purchased.map(clock) else { continue }
            let end = clock(min(transaction.end(asOf: instant), instant))
            if let paidUntil, end <= paidUntil { continue }
            if let from = monthStart, let until = paidUntil, until < start {
                leftOver += until.millisecondsSince1970 - from.millisecondsSince1970
                monthStart = nil
            }
            let from = monthStart ?? start
            guard from < end else { continue }
            let whole = from.wholeMonths(until: end)
            months += whole
            monthStart = from.adding(months: whole)
            paidUntil = end
        }
        if let monthStart, let paidUntil {
            leftOver += paidUntil.millisecondsSince1970 - monthStart.millisecondsSince1970
        }
        return months + Int(leftOver / (31 * 86_400_000))
    }
}

extension PurchaseHistory {
    /// Returns the last end of the customer's periods under each offer, by the offer's identifier.
    func offerEnds(of purchases: [Int], asOf instant: Timestamp) -> [[UInt8]: Timestamp] {
        purchases.reduce(into: [:]) { ends, index in
            let transaction = transactions[index]
            guard let offer = transaction.offer, transaction.standing != .familyShared else { return }
            let (id, end) = (Array(text[offer.range]), transaction.end(asOf: instant))
            ends[id] = max(end, ends[id] ?? end)
        }
    }

    /// Returns the periods during which another product of the subscription was bought, if they were not cancelled. Compares the
    /// previous period and that with the last end. Receipts do not state upgrades, and some have no cancellation either. If the other
    /// product was bought within a day, it may also be a renewal that was charged ahead, and the period its successor.
    ///
    /// - Parameter purchases: The indices in the order of purchase, without renewals that a switch replaced.
    fileprivate func periodsWithUnstatedUpgrades(among purchases: [Int], asOf instant: Timestamp) -> Set<Int>
    {
        typealias Period = (index: Int, product: ArraySlice<UInt8>, start: Int64, end: Int64)
        var found: Set<Int> = []
        // The previous period of each subscription, and that with the last end.
        var known: [ArraySlice<UInt8>: (previous: Period, last: Period)] = [:]
        for index in purchases {
            let transaction = transactions[index]
            let subscription = text[(transaction.original ?? transaction.id)?.range ?? 0..<0]
            let product = text[transaction.product?.range ?? 0..<0]
            guard subscription.isUsableIdentifier, let start = transaction.purchased?.secondsSince1970 else {
                continue
            }
            let periods = known[subscription]
            for period in [periods?.previous, periods?.last].compactMap(\.self)
            where period.product != product && start + 60 < period.end {
                found.insert(period.index)
                if start - period.start <= 86_400, transaction.cancellation(by: instant) == nil {
                    found.insert(index)
                }
            }
            guard transaction.cancellation(by: instant) == nil,
                let end = transaction.expires?.secondsSince1970
            else { continue }
            let period: Period = (index, product, start, end)
            let last = if let known = periods?.last, known.end >= end { known } else { period }
            known[subscription] = (period, last)
        }
        return found
    }
}

extension Transaction {
    /// Returns whether a cancellation took effect within a day of the purchase, as that of a renewal that a switch replaced.
    fileprivate func isCancelledWithinADay(asOf instant: Timestamp) -> Bool {
        guard let cancelled = cancellation(by: instant), let purchased else { return false }
        return cancelled.secondsSince1970 - purchased.secondsSince1970 <= 86_400
    }
}
