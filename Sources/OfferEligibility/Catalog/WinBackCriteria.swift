import AppReceipt

extension CustomerFacts {
    /// Returns whether the customer meets the criteria of a win-back offer of the product.
    ///
    /// Returns nil if the catalog does not contain the criteria, and false if no win-back offer is
    /// configured. Also returns nil after purchases under an offer of an unknown type, because paid months
    /// and redemptions are then unknown.
    func meetsWinBackCriteria(of product: Int?, slot: Int) -> Bool? {
        guard let product, let offers = catalog.products[product].winBackOffers else { return nil }
        guard offers.isEmpty || groups[slot].unknownOffers.isEmpty else { return nil }
        return offers.contains { meets($0, slot: slot) }
    }

    /// Returns whether the customer, who has lapsed, meets the criteria of an offer. Both bounds are
    /// inclusive.
    func meets(_ offer: WinBackOffer, slot: Int) -> Bool {
        guard let last = groups[slot].last else { return false }
        let lapsed = last.end.wholeMonths(until: asOf.timestamp)
        return lapsed >= offer.minimumMonthsSinceLapse ?? 0
            && lapsed <= offer.maximumMonthsSinceLapse ?? .max
            && hasWaited(offer, slot: slot)
            && (offer.paidMonths.map { paidMonths(inSlot: slot) >= $0 } ?? true)
    }

    /// Returns whether the wait since the end of the last period under this offer is over. Other offers do
    /// not count.
    private func hasWaited(_ offer: WinBackOffer, slot: Int) -> Bool {
        guard let wait = offer.waitMonths, let id = offer.offerID else { return true }
        let redemptions = slots.indices.filter {
            guard slots[$0] == slot, let offer = history.transactions[$0].offer else { return false }
            return history.text[offer.range].elementsEqual(id.utf8)
        }
        guard let end = redemptions.map({ history.transactions[$0].end(asOf: asOf.timestamp) }).max() else {
            return true
        }
        return end.wholeMonths(until: asOf.timestamp) >= wait
    }

    /// Returns the total number of calendar months in the group that the customer paid for.
    ///
    /// Trials and refunded periods do not count, and overlapping periods count once. A receipt contains no
    /// prices. Free promotional offers therefore count, unless a signed transaction shows that they were
    /// free.
    ///
    /// Each uninterrupted series of periods counts with its whole months. The remaining times of all series
    /// are added up and count as one month for each 31 days. The remainder of a single series is therefore
    /// never a month.
    func paidMonths(inSlot slot: Int) -> Int {
        let refunded = Set(groups[slot].refunded)
        var months = 0
        var leftOver: Int64 = 0
        var monthStart: Timestamp?
        var paidUntil: Timestamp?
        for index in transactions(inSlot: slot) where !refunded.contains(index) {
            let transaction = history.transactions[index]
            guard let start = transaction.purchased, !transaction.isUnpaid else { continue }
            let end = min(transaction.end(asOf: asOf.timestamp), asOf.timestamp)
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
