import AppReceipt

/// One history of what several pieces of evidence tell. The newest word on a transaction stands; what older ones told is
/// kept as far as a proven answer rests on it.
struct EvidenceMerge {
    /// One piece's word on one transaction.
    private struct Telling {
        var facts: Transaction
        let date: Timestamp
        /// A signed transaction; else a receipt's purchase.
        let isSigned: Bool
        /// Whether it names the group or the ownership, which a receipt cannot.
        let isOwnershipKnown: Bool
    }

    private var builder = HistoryBuilder()
    private var tellings: [Telling] = []
    private var renewals: [SignedRenewal] = []
    private var newestReceipt: Timestamp?
    private var contestedGroups: [Int: [TextSlice]] = [:]
    /// The listings of answers of which all objects are taken.
    private let listings: Set<APIAnswer.Listing>

    init(bundleID: String?, _ listings: Set<APIAnswer.Listing>) {
        self.listings = listings
        builder.bundle = builder.slice(bundleID)
    }

    /// Takes a piece of the same origin as the others.
    mutating func take(_ piece: EvidencePiece) {
        let history = piece.history
        let date = history.evidenceDate ?? Timestamp(millisecondsSince1970: .min)
        for transaction in history.transactions {
            let isOwnershipKnown =
                piece.form == .signed || transaction.group != nil || transaction.standing != .own
            tellings.append(
                Telling(
                    facts: builder.copy(transaction, of: history), date: date,
                    isSigned: piece.form == .signed, isOwnershipKnown: isOwnershipKnown))
        }
        if let renewal = piece.renewal { renewals.append(renewal) }
        if piece.form == .receipt { newestReceipt = max(newestReceipt ?? date, date) }
        builder.environment = history.environment
        builder.realm = history.realm
        builder.coverage = max(builder.coverage, history.coverage)
        builder.evidenceDate = max(builder.evidenceDate ?? date, date)
    }

    /// The history of all that was taken; to be asked for once.
    mutating func history() -> PurchaseHistory {
        if !areRenewalsListed {
            builder.coverage = min(builder.coverage, .single)
        } else if isListedWhole {
            builder.coverage = .complete
        }
        tellings.sort(by: isTold)
        let namings = namings()
        var toldDifferently: [Transaction] = []
        for told in transactions() {
            append(told)
            noteDifferences(told, &toldDifferently)
        }
        builder.signed = SignedEvidence(
            newestReceipt: newestReceipt, renewals: renewals, namings: namings,
            contestedGroups: contestedGroups, toldDifferently: toldDifferently)
        return builder.history
    }

    /// Whether an answer lists the customer's whole history, as far as that can be known. A page that others follow shows
    /// that `hasMore` false is that of a later page, and so does a renewal of a subscription that is not seen to begin.
    private var isListedWhole: Bool {
        guard !listings.isEmpty else { return false }
        if listings.contains(.statuses) || isListedEmpty { return true }
        guard listings.contains(.history), !listings.contains(.historyPage) else { return false }
        let ids = Set(tellings.map { Array(bytes($0.facts.id)) })
        return tellings.allSatisfy { telling in
            let first = Array(bytes(telling.facts.original))
            return !telling.facts.isSubscription || first.isEmpty || first == [UInt8(ascii: "0")]
                || ids.contains(first)
        }
    }

    /// Whether an answer lists nothing, as far as the evidence shows no subscription.
    private var isListedEmpty: Bool {
        listings.contains(.empty) && !listings.contains(.historyPage)
            && !tellings.contains { $0.facts.isSubscription || $0.facts.mayBeSubscription }
    }

    /// Whether all renewal information is of a subscription with a transaction. "0" and absent ids name none. Other renewal
    /// information shows that neither a receipt nor an answer lists all.
    private var areRenewalsListed: Bool {
        guard !renewals.isEmpty else { return true }
        let slices = tellings.lazy.flatMap { [$0.facts.id, $0.facts.original] }
        let names = Set(slices.compactMap(\.self).map { Array(bytes($0)) }).subtracting([
            [], [UInt8(ascii: "0")],
        ])
        return renewals.allSatisfy { renewal in
            renewal.entry.originalTransactionID.map { names.contains(Array($0.utf8)) } == true
        }
    }

    /// The places of the tellings of each transaction, the one that counts first.
    private func transactions() -> [[Int]] {
        var transactions: [[Int]] = []
        var known: [[UInt8]: Int] = [:]
        for (index, telling) in tellings.enumerated() {
            let id = bytes(telling.facts.id)
            let isNamed = !id.isEmpty && !id.elementsEqual([UInt8(ascii: "0")])
            if isNamed, let place = known[Array(id)] {
                transactions[place].append(index)
            } else {
                if isNamed { known[Array(id)] = transactions.count }
                transactions.append([index])
            }
        }
        return transactions
    }

    /// The product's group in the newest signed transaction of it that names one; several groups where some of one date do.
    private func namings() -> [SignedEvidence.Naming] {
        var namings: [SignedEvidence.Naming] = []
        var known: [[UInt8]: (place: Int, date: Timestamp)] = [:]
        for telling in tellings where telling.facts.isSubscription {
            guard let product = telling.facts.product, let group = telling.facts.group else { continue }
            let newest = known[Array(bytes(product))]
            if let newest, newest.date == telling.date {
                namings[newest.place].groups.append(group)
            } else if newest == nil {
                known[Array(bytes(product))] = (namings.count, telling.date)
                namings.append(SignedEvidence.Naming(product: product, groups: [group]))
            }
        }
        for index in namings.indices {
            namings[index].groups = namings[index].groups.inOrder(of: builder.text)
        }
        return namings
    }

    /// Appends the transaction as the newest telling has it, and what others prove beyond that. An unknown ownership takes away
    /// nothing that they prove; the family's does.
    private mutating func append(_ told: [Int]) {
        let facts = appendMerged(told)
        guard facts.standing == .unknownOwner else { return appendSuperseded(told, by: facts) }
        let others = told.filter { tellings[$0].facts.standing != .unknownOwner }
        let owner = others.first { tellings[$0].isOwnershipKnown } ?? others.first
        guard let owner, tellings[owner].facts.standing == .own else { return }
        appendSuperseded(others, by: appendMerged(others, isSuperseded: true))
    }

    /// Appends the transaction as the newest of some tellings has it, with what only others say.
    private mutating func appendMerged(_ told: [Int], isSuperseded: Bool = false) -> Transaction {
        var facts = tellings[told[0]].facts
        for index in told.dropFirst() {
            let other = tellings[index].facts
            facts.product = facts.product ?? other.product
            facts.original = facts.original ?? other.original
            facts.offer = facts.offer ?? other.offer
            if other.isTrial == true { facts.isTrial = true }
            if other.isIntro == true { facts.isIntro = true }
            if other.hasUnknownOffer { facts.hasUnknownOffer = true }
        }
        if let signed = told.first(where: { tellings[$0].isSigned }).map({ tellings[$0].facts }) {
            facts.isUpgraded = signed.isUpgraded
            facts.isFree = signed.isFree
        }
        if let owned = told.first(where: { tellings[$0].isOwnershipKnown }).map({ tellings[$0] }) {
            let groups = groups(of: told, as: owned)
            facts.group = groups.first
            facts.standing = owned.facts.standing
            if groups.count > 1 { contestedGroups[builder.count] = groups }
        }
        if isSuperseded { facts.standing = .superseded }
        builder.append(facts)
        return facts
    }

    /// Appends the tellings that prove more than the last word on the transaction.
    private mutating func appendSuperseded(_ told: [Int], by facts: Transaction) {
        guard facts.standing != .familyShared else { return }
        let owned = told.first { tellings[$0].isOwnershipKnown }.map { tellings[$0].facts }
        for index in told {
            var superseded = tellings[index].facts
            let isOfGroup = owned.map { !isAnotherProduct(superseded, $0) } ?? true
            guard superseded.isSubscription, !isOfGroup || isMore(superseded, than: facts) else { continue }
            superseded.standing = .superseded
            (superseded.isTrial, superseded.isIntro) = (facts.isTrial, facts.isIntro)
            superseded.hasUnknownOffer = facts.hasUnknownOffer
            builder.append(superseded)
        }
    }

    /// The groups that tellings of the date and the product of the newest one name.
    private func groups(of told: [Int], as newest: Telling) -> [TextSlice] {
        let equals = told.lazy.map { tellings[$0] }.filter {
            $0.isOwnershipKnown && $0.date == newest.date
                && bytes($0.facts.product).elementsEqual(bytes(newest.facts.product))
        }
        return Array(equals.compactMap(\.facts.group)).inOrder(of: builder.text)
    }

    /// Whether what was told to be a subscription is none by the last word, or of another product, or a later one.
    private func isMore(_ told: Transaction, than last: Transaction) -> Bool {
        let earliest = Timestamp(millisecondsSince1970: .min)
        return !last.isSubscription || told.purchased ?? earliest < last.purchased ?? earliest
            || isAnotherProduct(told, last)
    }

    private func isAnotherProduct(_ one: Transaction, _ other: Transaction) -> Bool {
        one.product != nil && !bytes(one.product).elementsEqual(bytes(other.product))
    }

    /// Evidence of one date, to the second, that differs in product, purchase or expiry: some receipts drop the
    /// milliseconds of a date, and what a piece leaves out contradicts nothing.
    private func noteDifferences(_ told: [Int], _ toldDifferently: inout [Transaction]) {
        var rest = told[...]
        while let first = rest.first {
            let second = tellings[first].date.secondsSince1970
            let ofOneDate = rest.prefix { tellings[$0].date.secondsSince1970 == second }
            rest = rest.dropFirst(ofOneDate.count)
            let facts = ofOneDate.map { tellings[$0].facts }
            guard
                differ(facts.compactMap(\.product), by: { bytes($0).elementsEqual(bytes($1)) })
                    || differ(facts.compactMap(\.purchased?.secondsSince1970), by: ==)
                    || differ(facts.compactMap(\.expires?.secondsSince1970), by: ==)
            else { continue }
            toldDifferently += facts
        }
    }

    private func differ<Value>(_ values: [Value], by areSame: (Value, Value) -> Bool) -> Bool {
        guard let first = values.first else { return false }
        return !values.allSatisfy { areSame(first, $0) }
    }

    /// The newest first, of equal dates signed transactions, then the later expiry. The rest puts tellings that say
    /// anything else in one order, whatever order the evidence has.
    private func isTold(_ one: Telling, before other: Telling) -> Bool {
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

    private func bytes(_ slice: TextSlice?) -> ArraySlice<UInt8> { builder.text[slice?.range ?? 0..<0] }
}

extension Transaction {
    /// Numbers of which the greater one stands first.
    fileprivate var order: [Int64] {
        func order(_ flag: Bool?) -> Int64 { flag.map { $0 ? 2 : 1 } ?? 0 }
        return [cancelled, purchased].map { $0?.millisecondsSince1970 ?? .min } + [
            isSubscription ? 1 : 0, mayBeSubscription ? 1 : 0, order(isTrial), order(isIntro),
            order(isUpgraded), order(isFree),
            Int64(standing.rawValue),
        ]
    }
}
