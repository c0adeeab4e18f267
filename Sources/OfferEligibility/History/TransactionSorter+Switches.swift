import AppReceipt

// A switch is not a refund. The canceled purchase was switched if another product of the same group was
// bought within 60 s (inclusive) of the cancellation. If the catalog ranks both products, the rank of the
// other must be equal or higher.
//
// The App Store charges a renewal up to a day ahead. If the customer switches before it begins, Apple cancels it some hours after
// the switch.
extension TransactionSorter {
    typealias Purchase = (date: Timestamp, index: Int)

    /// The number of purchases to compare with a canceled one before an index is used, and of those before a renewal. Two minutes
    /// rarely contain more, nor does a period.
    private static let fewest = 32

    mutating func separateRefunds(_ cancelled: [Int]) {
        var purchases: [Purchase] = []
        purchases.reserveCapacity(slots.count)
        for index in slots.indices where slots[index] >= 0 {
            if let date = history.transactions[index].purchased { purchases.append((date, index)) }
        }
        purchases.sort { $0.date < $1.date }
        var switchIndex: SwitchIndex?
        for index in cancelled where !isSwitch(index, purchases, &switchIndex) {
            if isReplacedRenewal(index, purchases, isOfGroup: { slots[$0] == slots[index] }) { continue }
            groups[Int(slots[index])].addRefund(index, of: history)
        }
    }

    /// Notes refunds that no evidence states. Without one, the App Store sells a subscription again at most a day before the end of its
    /// last period, except for a switch. A renewal that a switch replaced begins when an earlier period ends. Evidence of the earlier
    /// purchase from after the later one states the refund.
    mutating func noteUnstatedRefunds() {
        guard let evidence = history.signed else { return }
        var last: [[UInt8]: Int] = [:]
        var ends: [[UInt8]: Set<Int64>] = [:]
        let purchases = slots.indices.filter { slots[$0] >= 0 && !replacedRenewals.contains($0) }
        for index in purchases.sorted(by: history.precedes) {
            let transaction = history.transactions[index]
            let name = name(ofSubscription: transaction)
            guard let purchased = transaction.purchased, name.isUsableIdentifier else { continue }
            let start = purchased.secondsSince1970
            if let expires = transaction.expires {
                ends[name, default: []].insert(expires.secondsSince1970 / 60)
            }
            let earlier = last[name]
            if let earlier, case let last = history.transactions[earlier],
                start + 86_400 < last.end(asOf: instant).secondsSince1970
            {
                let minutes = (start / 60 - 1)...(start / 60 + 1)
                if ends[name]?.isDisjoint(with: minutes) == false { continue }
                let isStated =
                    last.cancelled != nil || last.contestedCancellation != nil
                    || (evidence.evidenceDates[earlier] ?? evidence.newestReceipt).map { purchased <= $0 }
                        ?? false
                if !isStated, last.expires != transaction.expires, !isSwitch(from: last, to: transaction) {
                    signed[Int(slots[index]), default: SignedFacts()].showsMissingEvidence = true
                }
            }
            last[name] = index
        }
    }

    /// Returns whether a purchase is a renewal that a switch replaced before it began.
    ///
    /// - Parameter purchases: The purchases to compare, by date.
    func isReplacedRenewal(_ index: Int, _ purchases: [Purchase], isOfGroup: (Int) -> Bool) -> Bool {
        let renewal = history.transactions[index]
        let subscription = name(ofSubscription: renewal)
        guard let start = renewal.purchased,
            let cancelled = renewal.cancelled ?? (renewal.isUpgraded ? start : nil),
            subscription.isUsableIdentifier
        else { return false }
        let end = purchases.partitioningIndex { $0.date >= start }
        let earlier = purchases[..<end].suffix(Self.fewest).map(\.index).filter {
            isOfGroup($0) && name(ofSubscription: history.transactions[$0]) == subscription
        }
        return renewal.isReplacedRenewal(
            cancelled: cancelled, after: earlier.map { history.transactions[$0] }, asOf: instant,
            isOther: { text($0.product) != text(renewal.product) },
            isSwitch: { isSwitch(from: renewal, to: $0) })
    }

    /// Returns whether the cancellation of a purchase is a switch.
    ///
    /// - Parameter switchIndex: An index of the same purchases. The function creates it if there are too
    ///   many to compare.
    private func isSwitch(_ index: Int, _ purchases: [Purchase], _ switchIndex: inout SwitchIndex?) -> Bool {
        let transaction = history.transactions[index]
        if transaction.isUpgraded { return true }
        guard let product = transaction.product, let cancelled = transaction.cancelled else { return false }
        let window = cancelled.millisecondsSince1970 - 60_000...cancelled.millisecondsSince1970 + 60_000
        let start = purchases.partitioningIndex { $0.date.millisecondsSince1970 >= window.lowerBound }
        for position in start..<purchases.count {
            guard purchases[position].date.millisecondsSince1970 <= window.upperBound else { return false }
            let other = purchases[position].index
            if slots[other] == slots[index], isSwitch(from: transaction, to: history.transactions[other]) {
                return true
            }
            guard position - start == Self.fewest else { continue }
            let all = switchIndex ?? SwitchIndex(purchases.map(\.index), of: self)
            switchIndex = all
            return all.hasSwitch(
                to: slots[index], from: Array(history.text[product.range]), rank: rank(of: product),
                in: window)
        }
        return false
    }

    private func isSwitch(from old: Transaction, to new: Transaction) -> Bool {
        guard let old = old.product, let new = new.product else { return false }
        let texts = history.text.span
        if equal(texts.extracting(old.range), texts.extracting(new.range)) { return false }
        guard let oldRank = rank(of: old), let newRank = rank(of: new) else { return true }
        return newRank <= oldRank
    }

    fileprivate func rank(of product: TextSlice) -> Int? {
        catalog.place(of: history.text.span.extracting(product.range))?.product.flatMap {
            catalog.products[$0].rank
        }
    }
}

/// An index that finds a switch in a few steps, even if many purchases are close together.
///
/// Time is divided into stretches as long as the window of a switch. A window overlaps the end of one stretch
/// and the beginning of the next. The index stores the best purchases of both.
private struct SwitchIndex {
    private struct Purchase {
        let slot: Int32
        let date: Int64
        let product: Int
        /// The rank of the product, or the minimum if it has none. Any other product can be switched to an
        /// unranked one.
        let rank: Int
    }

    /// The indices of the purchase with the highest rank, and of the best purchase of another product.
    private struct Best {
        var first: Int?
        var second: Int?
    }

    /// The purchases, sorted by group, then by date.
    private let purchases: [Purchase]
    private var numbers: [[UInt8]: Int] = [:]
    /// The best purchases of each purchase's stretch. `upTo` has the best ones up to the purchase, and `from`
    /// has the best ones from the purchase on.
    private var upTo: [Best] = []
    private var from: [Best] = []

    /// Creates an index.
    ///
    /// - Parameter indices: The indices of purchases in groups, with dates.
    init(_ indices: [Int], of sorter: TransactionSorter) {
        var purchases: [Purchase] = []
        for index in indices {
            let transaction = sorter.history.transactions[index]
            guard let product = transaction.product, let date = transaction.purchased else { continue }
            let name = Array(sorter.history.text[product.range])
            let number = numbers[name] ?? numbers.count
            numbers[name] = number
            purchases.append(
                Purchase(
                    slot: sorter.slots[index], date: date.millisecondsSince1970, product: number,
                    rank: sorter.rank(of: product) ?? .min))
        }
        purchases.sort { ($0.slot, $0.date) < ($1.slot, $1.date) }
        self.purchases = purchases
        upTo = bests(purchases.indices)
        from = bests(purchases.indices.reversed()).reversed()
    }

    private func bests(_ places: some Sequence<Int>) -> [Best] {
        var (best, last) = (Best(), Int?.none)
        return places.map { place in
            if let last, !isOfOneStretch(place, last) { best = Best() }
            last = place
            add(place, to: &best)
            return best
        }
    }

    private func isOfOneStretch(_ one: Int, _ other: Int) -> Bool {
        purchases[one].slot == purchases[other].slot
            && Self.stretch(purchases[one].date) == Self.stretch(purchases[other].date)
    }

    /// Returns the number of the stretch. A window of 120,000 ms, including both ends, overlaps at most two
    /// stretches.
    private static func stretch(_ date: Int64) -> Int64 {
        let (quotient, remainder) = date.quotientAndRemainder(dividingBy: 120_001)
        return remainder < 0 ? quotient - 1 : quotient
    }

    private func add(_ place: Int, to best: inout Best) {
        let purchase = purchases[place]
        guard let first = best.first else {
            best.first = place
            return
        }
        // The same product has the same rank.
        guard purchase.product != purchases[first].product else { return }
        if purchase.rank < purchases[first].rank {
            best = Best(first: place, second: first)
        } else if best.second.map({ purchase.rank < purchases[$0].rank }) ?? true {
            best.second = place
        }
    }

    /// Returns whether a window of 120,000 ms contains a purchase of another product of the group, with an
    /// equal or higher rank.
    func hasSwitch(to slot: Int32, from product: [UInt8], rank: Int?, in window: ClosedRange<Int64>) -> Bool {
        let start = purchases.partitioningIndex { ($0.slot, $0.date) >= (slot, window.lowerBound) }
        let end = purchases.partitioningIndex { ($0.slot, $0.date) > (slot, window.upperBound) }
        guard start < end else { return false }
        let number = numbers[product]
        func containsSwitch(_ best: Best) -> Bool {
            [best.first, best.second].contains { place in
                place.map { purchases[$0].product != number && purchases[$0].rank <= rank ?? .max } ?? false
            }
        }
        // The window contains the purchases from `start` to the end of its first stretch. It also contains
        // those from the beginning of its last stretch up to `end`.
        return Self.stretch(purchases[start].date) == Self.stretch(window.lowerBound)
            && containsSwitch(from[start])
            || Self.stretch(purchases[end - 1].date) == Self.stretch(window.upperBound)
                && containsSwitch(upTo[end - 1])
    }
}
