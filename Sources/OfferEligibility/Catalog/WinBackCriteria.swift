import AppReceipt

extension Inquiry {
    /// Whether the customer meets the criteria of some win-back offer of the product; nil where the catalogue
    /// doesn't hold them, false where no win-back offer is configured. Purchases under an offer of an unknown type leave it open
    /// what was paid and redeemed.
    func meetsWinBackCriteria(of product: Int?, slot: Int) -> Bool? {
        guard let product, let offers = catalog.products[product].winBackOffers else { return nil }
        guard offers.isEmpty || groups[slot].unknownOffers.isEmpty else { return nil }
        return offers.contains { meets($0, slot: slot) }
    }

    /// Whether the customer, who has lapsed, meets the criteria of an offer; both bounds are included.
    func meets(_ offer: WinBackOffer, slot: Int) -> Bool {
        guard let last = groups[slot].last else { return false }
        let lapsed = last.end.wholeMonths(until: asOf.timestamp)
        return lapsed >= offer.minimumMonthsSinceLapse ?? 0
            && lapsed <= offer.maximumMonthsSinceLapse ?? .max
            && hasWaited(offer, slot: slot)
            && (offer.paidMonths.map { paidMonths(inSlot: slot) >= $0 } ?? true)
    }

    /// The wait begins where the last period under this offer ended; other offers don't count.
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

    /// The calendar months that were paid for in the group, in all. Trials are not paid, nor is what was
    /// refunded, and two periods at once count once. A receipt names no price, so free promotional offers
    /// count where no signed transaction says that they were free.
    ///
    /// Months are counted off an unbroken stretch of periods; what is left over at the end of each stretch
    /// is added up, 31 days to a month, so that what one stretch leaves over never makes one.
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
