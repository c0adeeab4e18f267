import AppReceipt

/// Merges several evidence objects into one history. The newest evidence of a transaction takes
/// precedence. Facts in older evidence are kept if a proven answer depends on them.
struct EvidenceMerger {
    /// The facts about one transaction in one evidence object.
    private struct TransactionEvidence {
        var facts: Transaction
        let date: Timestamp
        let isReceipt: Bool
        /// Whether the source is a signed transaction, and not an app receipt or transaction receipt.
        let isSigned: Bool
        /// Whether the source names the group or the ownership, which an app receipt cannot.
        let isOwnershipKnown: Bool
    }

    private var merged = PurchaseHistory()
    private var evidence: [TransactionEvidence] = []
    private var renewals: [SignedRenewal] = []
    private var newestReceipt: Timestamp?
    private var contestedGroups: [Int: [TextSlice]] = [:]
    /// The dates of the earliest evidence that a transaction was upgraded. The key is its index in the history.
    private var upgradeDates: [Int: Timestamp] = [:]
    /// The subscriptions with a family-shared period.
    private var shared: Set<[UInt8]> = []
    /// The listings of responses whose objects are all among the evidence.
    private let listings: Set<APIAnswer.Listing>

    init(bundleID: String?, _ listings: Set<APIAnswer.Listing>) {
        self.listings = listings
        merged.bundle = merged.slice(bundleID)
    }

    /// Adds an evidence object. All must have the same origin.
    mutating func add(_ object: ObjectEvidence) {
        let history = object.history
        let date = history.evidenceDate ?? Timestamp(millisecondsSince1970: .min)
        for transaction in history.transactions {
            let isOwnershipKnown =
                object.form == .signed || transaction.group != nil || transaction.standing != .own
            evidence.append(
                TransactionEvidence(
                    facts: merged.copy(transaction, of: history), date: date,
                    isReceipt: object.form == .receipt,
                    isSigned: object.form == .signed, isOwnershipKnown: isOwnershipKnown))
        }
        if let renewal = object.renewal { renewals.append(renewal) }
        if object.form == .receipt { newestReceipt = max(newestReceipt ?? date, date) }
        merged.environment = history.environment
        merged.realm = history.realm
        merged.coverage = max(merged.coverage, history.coverage)
        merged.evidenceDate = max(merged.evidenceDate ?? date, date)
    }

    /// Returns the history of all added evidence. Call this only once.
    mutating func history() -> PurchaseHistory {
        if !areRenewalsListed {
            merged.coverage = min(merged.coverage, .single)
        } else if isListedWhole {
            merged.coverage = .complete
        }
        evidence.sort(by: takesPrecedence)
        let namings = namings()
        shared = sharedSubscriptions()
        let transactions = transactions()
        let firstSignings = isHistoryListed ? signingsOfFirstTransactions() : [:]
        var listed = Set<Int>()
        var conflictingEvidence: [Transaction] = []
        var evidenceDates: [Int: Timestamp] = [:]
        for indices in transactions {
            let isInReceipt = indices.contains { evidence[$0].isReceipt }
            if isInReceipt || isInHistory(indices, firstSignings) { listed.insert(merged.transactions.count) }
            evidenceDates[merged.transactions.count] = evidence[indices[0]].date
            upgradeDates[merged.transactions.count] =
                indices.filter { evidence[$0].facts.isUpgraded }.map { evidence[$0].date }.min()
            append(indices)
            noteDifferences(indices, &conflictingEvidence)
        }
        merged.signed = SignedEvidence(
            newestReceipt: newestReceipt, evidenceDates: evidenceDates, renewals: renewals, namings: namings,
            contestedGroups: contestedGroups, renewalsAfterGaps: renewalsAfterGaps(listed: listed),
            conflictingEvidence: conflictingEvidence
        )
        return merged
    }

    /// Returns the minutes in which the first transaction of each subscription was signed.
    private func signingsOfFirstTransactions() -> [[UInt8]: Set<Int64>] {
        var minutes: [[UInt8]: Set<Int64>] = [:]
        for item in evidence
        where item.isSigned && bytes(item.facts.id).elementsEqual(bytes(item.facts.original)) {
            minutes[Array(bytes(item.facts.id)), default: []].insert(item.date.secondsSince1970 / 60)
        }
        return minutes
    }

    /// Returns whether a complete history seems to list a transaction. The App Store signs all transactions of a history at about
    /// the same time, including the first one of the subscription.
    private func isInHistory(_ indices: [Int], _ firstSignings: [[UInt8]: Set<Int64>]) -> Bool {
        guard !firstSignings.isEmpty else { return false }
        return indices.contains {
            let minute = evidence[$0].date.secondsSince1970 / 60
            let minutes = firstSignings[Array(bytes(evidence[$0].facts.original))]
            return evidence[$0].isSigned && minutes?.isDisjoint(with: (minute - 1)...(minute + 1)) == false
        }
    }

    /// Returns the renewals before which others may be missing, and the last known end before each, in seconds since 1970.
    ///
    /// A receipt lists all purchases until its creation, and a complete history all until it was signed. Each other
    /// renewal must begin before the end of the known period before it, or at most a minute later. So a period ends at the next
    /// purchase at the latest.
    private func renewalsAfterGaps(listed: Set<Int>) -> [Int: Int64] {
        var subscriptions: [[UInt8]: [Int]] = [:]
        for (index, transaction) in merged.transactions.enumerated()
        where transaction.isSubscription && transaction.standing != .superseded
            && transaction.purchased != nil && bytes(transaction.original).isUsableIdentifier
        {
            subscriptions[Array(bytes(transaction.original)), default: []].append(index)
        }
        var found: [Int: Int64] = [:]
        for (original, indices) in subscriptions {
            let purchases = indices.sorted { merged.precedes($0, $1) }
            let ends = knownEnds(of: purchases)
            var end: Int64?
            for index in purchases {
                let transaction = merged.transactions[index]
                guard let purchased = transaction.purchased?.secondsSince1970 else { continue }
                let isAfterGap =
                    end.map { $0 + 60 < purchased } ?? !bytes(transaction.id).elementsEqual(original)
                if isAfterGap, !listed.contains(index) { found[index] = end ?? .min }
                let known = ends[index]?.secondsSince1970 ?? purchased
                end = known > purchased ? known : max(end ?? known, purchased)
            }
        }
        return found
    }

    /// Returns until when the periods of a subscription surely ran. Periods without an end, or that did not run, are omitted.
    ///
    /// An upgraded period without a `revocationDate` ends at the next purchase, and not after the evidence of the upgrade. If the next
    /// purchase is of the same product, the upgrade's own is missing, so the period may have ended at once.
    /// - Parameter purchases: The indices of the purchases, by date.
    private func knownEnds(of purchases: [Int]) -> [Int: Timestamp] {
        var ends: [Int: Timestamp] = [:]
        var next: Transaction?
        for place in purchases.indices.reversed() {
            let (index, transaction) = (purchases[place], merged.transactions[purchases[place]])
            if isReplacedRenewal(transaction, after: purchases[..<place].suffix(32)) { continue }
            var dates = [transaction.expires, transaction.cancelled]
            if transaction.isUpgraded, transaction.cancelled == nil {
                let successor = next.map { isAnotherProduct(transaction, $0) ? $0 : transaction }
                dates += [upgradeDates[index], successor?.purchased]
            }
            ends[index] = dates.compactMap(\.self).min()
            next = transaction
        }
        return ends
    }

    /// Returns whether a purchase may be a renewal that a switch replaced, although evidence from before the switch does not show it.
    private func isReplacedRenewal(_ purchase: Transaction, after earlier: ArraySlice<Int>) -> Bool {
        guard let cancelled = purchase.cancelled ?? purchase.purchased else { return false }
        return purchase.isReplacedRenewal(
            cancelled: cancelled, after: earlier.lazy.map { merged.transactions[$0] },
            asOf: Timestamp(millisecondsSince1970: .max),
            isOther: { isAnotherProduct(purchase, $0) }, isSwitch: { isAnotherProduct(purchase, $0) })
    }

    /// Returns the subscriptions, by their first transaction, with a family-shared period.
    private func sharedSubscriptions() -> Set<[UInt8]> {
        let shared = evidence.filter { $0.facts.standing == .familyShared && $0.facts.isSubscription }
        return Set(shared.map { Array(bytes($0.facts.original)) }.filter(\.isUsableIdentifier))
    }

    /// Whether a response lists all of the customer's subscriptions, as far as this can be known.
    private var isListedWhole: Bool { listings.contains(.statuses) || isListedEmpty || isHistoryListed }

    /// Whether a response lists all transactions, as far as this can be known.
    ///
    /// A page with `hasMore` false may be the last of several. Earlier pages exist if the evidence contains a
    /// page that others follow, or a renewal without the subscription's first transaction.
    private var isHistoryListed: Bool {
        guard listings.contains(.history), !listings.contains(.historyPage) else { return false }
        let ids = Set(evidence.map { Array(bytes($0.facts.id)) })
        return evidence.allSatisfy { item in
            let first = Array(bytes(item.facts.original))
            return !item.facts.isSubscription || !first.isUsableIdentifier || ids.contains(first)
        }
    }

    /// Whether a response lists no purchases, there are no further pages, and the evidence shows no
    /// subscription.
    private var isListedEmpty: Bool {
        listings.contains(.empty) && !listings.contains(.historyPage)
            && !evidence.contains { $0.facts.isSubscription || $0.facts.mayBeSubscription }
    }

    /// Whether all renewal information belongs to subscriptions with a transaction. Information without an
    /// identifier, or with "0" as in Xcode, belongs to a transaction of its product that has no identifier
    /// either.
    ///
    /// Other renewal information shows that neither a receipt nor a response lists all purchases.
    private var areRenewalsListed: Bool {
        guard !renewals.isEmpty else { return true }
        let slices = evidence.lazy.flatMap { [$0.facts.id, $0.facts.original] }
        let names = Set(slices.compactMap(\.self).map { Array(bytes($0)) })
        return renewals.allSatisfy { renewal in
            let original = Array((renewal.entry.originalTransactionID ?? "").utf8)
            return original.isUsableIdentifier
                ? names.contains(original) : hasUnnamedPurchase(renewal.entry.productID)
        }
    }

    /// Returns whether the evidence contains a subscription to the product whose transaction has no usable
    /// identifier.
    private func hasUnnamedPurchase(_ product: String?) -> Bool {
        guard let product else { return false }
        return evidence.contains { item in
            item.facts.isSubscription && !bytes(item.facts.id).isUsableIdentifier
                && bytes(item.facts.product).elementsEqual(product.utf8)
        }
    }

    /// Returns the indices in `evidence` for each transaction. The first index takes precedence.
    ///
    /// A restored transaction has an identifier of its own in the receipts of the other device. The subscription, the
    /// product and the dates identify it.
    private func transactions() -> [[Int]] {
        var transactions: [[Int]] = []
        var known: [[UInt8]: Int] = [:]
        var periods: [PeriodIdentity: Int] = [:]
        for (index, item) in evidence.enumerated() {
            let id = Array(bytes(item.facts.id))
            guard id.isUsableIdentifier else {
                transactions.append([index])
                continue
            }
            let period = PeriodIdentity(item.facts, in: merged.text)
            let place = known[id] ?? period.flatMap { periods[$0] } ?? transactions.count
            if place == transactions.count { transactions.append([]) }
            transactions[place].append(index)
            known[id] = place
            if let period { periods[period] = periods[period] ?? place }
        }
        return transactions
    }

    /// Returns the group of each product, from its newest signed transaction with a group. Returns several
    /// groups if such transactions of the same date differ.
    private func namings() -> [SignedEvidence.Naming] {
        var namings: [SignedEvidence.Naming] = []
        var known: [[UInt8]: (place: Int, date: Timestamp)] = [:]
        for item in evidence where item.facts.isSubscription {
            guard let product = item.facts.product, let group = item.facts.group else { continue }
            let newest = known[Array(bytes(product))]
            if let newest, newest.date == item.date {
                namings[newest.place].groups.append(group)
            } else if newest == nil {
                known[Array(bytes(product))] = (namings.count, item.date)
                namings.append(SignedEvidence.Naming(product: product, groups: [group]))
            }
        }
        for index in namings.indices {
            namings[index].groups = namings[index].groups.inOrder(of: merged.text)
        }
        return namings
    }

    /// Appends a transaction with the facts of the newest evidence, and superseded evidence that proves more.
    ///
    /// An unknown ownership does not invalidate what other evidence proves. A family member's ownership does.
    private mutating func append(_ indices: [Int]) {
        let place = merged.transactions.count
        let facts = appendMerged(indices)
        let groups = contestedGroups[place]
        appendDoubtedType(indices, of: facts)
        guard facts.standing == .unknownOwner else { return appendSuperseded(indices, by: facts, groups) }
        guard indices.contains(where: { evidence[$0].isOwnershipKnown }) else { return }
        let others = indices.filter { evidence[$0].facts.standing != .unknownOwner }
        let owner = others.first { evidence[$0].isOwnershipKnown } ?? others.first
        guard let owner, evidence[owner].facts.standing == .own,
            newestSigned(others).allSatisfy({ evidence[$0].facts.standing == .own })
        else { return }
        appendSuperseded(others, by: appendMerged(others, isSuperseded: true), groups)
    }

    /// Appends a purchase of an unknown type if other evidence of the same date shows that the purchase is, or
    /// may be, a subscription.
    private mutating func appendDoubtedType(_ indices: [Int], of facts: Transaction) {
        guard !facts.mayBeSubscription else { return }
        let newest = evidence[indices[0]]
        let doubted = indices.first { index in
            let other = evidence[index].facts
            return evidence[index].date.secondsSince1970 == newest.date.secondsSince1970
                && evidence[index].isSigned == newest.isSigned
                && (other.mayBeSubscription || other.isSubscription && !facts.isSubscription)
        }
        guard var other = doubted.map({ evidence[$0].facts }) else { return }
        other.type = .undocumented
        other.expires = other.expires ?? other.purchased ?? newest.date
        merged.transactions.append(other)
    }

    /// Returns the newest signed transactions. They have one date, so any of them may be right.
    private func newestSigned(_ indices: [Int]) -> [Int] {
        let signed = indices.filter { evidence[$0].isSigned }
        guard let newest = signed.first.map({ evidence[$0].date.secondsSince1970 }) else { return [] }
        return signed.filter { evidence[$0].date.secondsSince1970 == newest }
    }

    /// Returns the facts in evidence of the same date, kind and expiration. No rule prefers any of it.
    private func equals(of first: TransactionEvidence, in indices: [Int]) -> [Transaction] {
        indices.lazy.map { evidence[$0] }.filter {
            $0.date.secondsSince1970 == first.date.secondsSince1970 && $0.isSigned == first.isSigned
                && !differ(
                    [$0, first].compactMap(\.facts.expires?.secondsSince1970), by: ==)
        }.map(\.facts)
    }

    /// Appends a transaction with the facts of the newest evidence. Adds facts that only other evidence
    /// contains.
    ///
    /// Equal evidence may differ in cancellation or upgrade. The period then ends at the latest cancellation, or
    /// runs if one states none. But the purchase counts as refunded from the earliest on.
    private mutating func appendMerged(_ indices: [Int], isSuperseded: Bool = false) -> Transaction {
        var facts = evidence[indices[0]].facts
        for index in indices.dropFirst() {
            let other = evidence[index].facts
            facts.product = facts.product ?? other.product
            facts.original = facts.original ?? other.original
            facts.offer = facts.offer ?? other.offer
            // A receipt omits the milliseconds.
            if let date = other.purchased, let known = facts.purchased,
                date.secondsSince1970 == known.secondsSince1970
            {
                facts.purchased = min(date, known)
            }
            if other.isTrial == true { facts.isTrial = true }
            if other.isIntro == true { facts.isIntro = true }
        }
        let equals = equals(of: evidence[indices[0]], in: indices)
        facts.hasUnknownReason = equals.contains(where: \.hasUnknownReason)
        let cancellations = equals.compactMap(\.cancelled)
        let seconds = Set(cancellations.map(\.secondsSince1970))
        let areUpgrades = Set(equals.filter { $0.cancelled != nil }.map(\.isUpgraded))
        if cancellations.count < equals.count && !cancellations.isEmpty || seconds.count > 1
            || areUpgrades.count > 1
        {
            facts.contestedCancellation = cancellations.min()
            facts.cancelled = cancellations.count < equals.count ? nil : cancellations.max()
        }
        let signed = newestSigned(indices).map { evidence[$0].facts }
        if let first = indices.first(where: { evidence[$0].isSigned }) {
            let equals = self.equals(of: evidence[first], in: indices)
            facts.isUpgraded = equals.allSatisfy(\.isUpgraded)
            // An upgrade is not a refund, whatever its dates.
            if facts.isUpgraded { facts.contestedCancellation = nil }
            facts.isFree = equals.contains { $0.isFree == nil } ? nil : equals.contains { $0.isFree == true }
            // A transaction from before 2024 does not say what a receipt says.
            if facts.isFree == nil, indices.contains(where: { evidence[$0].facts.isFree == true }) {
                facts.isFree = true
            }
            facts.isPartlyRefunded = equals.contains(where: \.isPartlyRefunded)
            facts.hasUnknownOffer = signed.contains(where: \.hasUnknownOffer)
            facts.hasUnknownRevocation = signed.contains(where: \.hasUnknownRevocation)
        }
        if isSuperseded, !facts.isSubscription { return facts }
        if let owned = indices.first(where: { evidence[$0].isOwnershipKnown }).map({ evidence[$0] }) {
            let groups = groups(of: indices, as: owned)
            facts.group = groups.first
            facts.standing = Set(signed.map(\.standing)).count > 1 ? .unknownOwner : owned.facts.standing
            if groups.count > 1 { contestedGroups[merged.transactions.count] = groups }
        } else if shared.contains(Array(bytes(facts.original))) {
            // A receipt states no ownership.
            facts.standing = .unknownOwner
        }
        if isSuperseded { facts.standing = .superseded }
        merged.transactions.append(facts)
        return facts
    }

    /// Appends superseded evidence that proves more than the facts with precedence.
    /// - Parameter groups: The contested groups of these facts. Evidence of the same product has their group.
    private mutating func appendSuperseded(_ indices: [Int], by facts: Transaction, _ groups: [TextSlice]?) {
        guard facts.standing != .familyShared else { return }
        let owned = indices.first { evidence[$0].isOwnershipKnown }.map { evidence[$0].facts }
        for index in indices {
            var superseded = evidence[index].facts
            let isOfGroup = owned.map { !isAnotherProduct(superseded, $0) } ?? true
            guard superseded.isSubscription, !isOfGroup || provesMore(superseded, than: facts) else {
                continue
            }
            superseded.standing = .superseded
            (superseded.isTrial, superseded.isIntro) = (facts.isTrial, facts.isIntro)
            superseded.hasUnknownOffer = facts.hasUnknownOffer
            if isOfGroup, !isAnotherProduct(superseded, facts), let group = facts.group {
                superseded.group = group
                contestedGroups[merged.transactions.count] = groups
            }
            merged.transactions.append(superseded)
        }
    }

    /// Returns the groups that evidence with the date and the product of `newest` names.
    private func groups(of indices: [Int], as newest: TransactionEvidence) -> [TextSlice] {
        let equals = indices.lazy.map { evidence[$0] }.filter {
            $0.isOwnershipKnown && $0.date == newest.date
                && bytes($0.facts.product).elementsEqual(bytes(newest.facts.product))
        }
        return Array(equals.compactMap(\.facts.group)).inOrder(of: merged.text)
    }

    /// Returns whether older evidence of a subscription proves more. It does if the newest evidence shows no
    /// subscription, another product or a later purchase.
    private func provesMore(_ older: Transaction, than newest: Transaction) -> Bool {
        let (date, newestDate) = (older.purchased?.secondsSince1970, newest.purchased?.secondsSince1970)
        return !newest.isSubscription || date ?? .min < newestDate ?? .min || isAnotherProduct(older, newest)
    }

    private func isAnotherProduct(_ one: Transaction, _ other: Transaction) -> Bool {
        one.product != nil && !bytes(one.product).elementsEqual(bytes(other.product))
    }

    /// Collects conflicting evidence: evidence of the same second that differs in product, purchase date or
    /// expiration.
    ///
    /// Some receipts omit the milliseconds of a date. A missing fact conflicts with nothing.
    private func noteDifferences(_ indices: [Int], _ conflictingEvidence: inout [Transaction]) {
        var rest = indices[...]
        while let first = rest.first {
            let second = evidence[first].date.secondsSince1970
            let ofOneDate = rest.prefix { evidence[$0].date.secondsSince1970 == second }
            rest = rest.dropFirst(ofOneDate.count)
            let facts = ofOneDate.map { evidence[$0].facts }
            guard
                differ(facts.compactMap(\.product), by: { bytes($0).elementsEqual(bytes($1)) })
                    || differ(facts.compactMap(\.purchased?.secondsSince1970), by: ==)
                    || differ(facts.compactMap(\.expires?.secondsSince1970), by: ==)
            else { continue }
            conflictingEvidence += facts
        }
    }

    private func differ<Value>(_ values: [Value], by areSame: (Value, Value) -> Bool) -> Bool {
        guard let first = values.first else { return false }
        return !values.allSatisfy { areSame(first, $0) }
    }

    /// Returns whether one evidence object takes precedence over another. The newer one does. For equal
    /// dates, a signed transaction does, then the later expiration.
    ///
    /// All other values are compared last, so the result does not depend on the order of the evidence.
    private func takesPrecedence(_ one: TransactionEvidence, over other: TransactionEvidence) -> Bool {
        if one.date != other.date { return one.date > other.date }
        if one.isSigned != other.isSigned { return one.isSigned }
        if one.facts.expires != other.facts.expires {
            guard let expires = one.facts.expires else { return false }
            return other.facts.expires.map { expires > $0 } ?? true
        }
        let (numbers, others) = (one.facts.order, other.facts.order)
        if numbers != others { return others.lexicographicallyPrecedes(numbers) }
        for field in [\Transaction.product, \.id, \.original, \.offer, \.group] {
            let (text, otherText) = (bytes(one.facts[keyPath: field]), bytes(other.facts[keyPath: field]))
            if text.lexicographicallyPrecedes(otherText) { return true }
            if otherText.lexicographicallyPrecedes(text) { return false }
        }
        return false
    }

    private func bytes(_ slice: TextSlice?) -> ArraySlice<UInt8> { merged.text[slice?.range ?? 0..<0] }
}

extension Transaction {
    /// The values that decide between evidence of the same date. Greater values take precedence.
    fileprivate var order: [Int64] {
        func order(_ flag: Bool?) -> Int64 { flag.map { $0 ? 2 : 1 } ?? 0 }
        return [cancelled, purchased].map { $0?.millisecondsSince1970 ?? .min } + [
            isSubscription ? 1 : 0, mayBeSubscription ? 1 : 0, order(isTrial), order(isIntro),
            order(isUpgraded), order(isFree), hasUnknownReason || hasUnknownRevocation ? 1 : 0,
            isPartlyRefunded ? 1 : 0, Int64(standing.rawValue),
        ]
    }
}
