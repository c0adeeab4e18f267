public import AppReceipt

/// Two pieces of evidence that can't both be about one customer.
public enum HistoryMergeError: Error, Hashable, Sendable {
    /// Two receipts contradict each other about one transaction.
    ///
    /// - Parameters:
    ///   - transactionID: the transaction.
    ///   - fact: what they disagree on.
    ///   - first, second: the two receipts.
    case conflict(transactionID: String, fact: Fact, first: Evidence, second: Evidence)

    /// Two receipts are of different apps; the values are their bundle ids.
    case differentApps(first: Evidence, second: Evidence)

    /// Two receipts are of different environments, or one of them does not say of which; the values are
    /// `ReceiptEnvironment`'s.
    case differentEnvironments(first: Evidence, second: Evidence)

    /// Two receipts have different realms to vouch for them; the values are `TrustRealm`'s.
    case differentRealms(first: Evidence, second: Evidence)

    /// A fact of a transaction that is settled when it is bought, or that two receipts of one instant
    /// disagree on.
    public enum Fact: String, Sendable {
        /// The product.
        case productID
        /// The first transaction of the subscription.
        case originalTransactionID
        /// The promotional or win-back offer that was redeemed.
        case promotionalOfferIdentifier
        /// The kind of product.
        case productType
        /// When it was bought.
        case purchaseDate
        /// Whether it was a free trial.
        case isTrialPeriod
        /// Whether it was bought at an introductory price.
        case isInIntroOfferPeriod
        /// When the period ends.
        case expiresDate
        /// When it was cancelled.
        case cancellationDate
    }

    /// One of the pieces that were merged, and what it says of the fact.
    public struct Evidence: Hashable, Sendable {
        /// Its place among those that were given, from 0.
        public let index: Int
        /// When it was made; nil where it names no date.
        public let date: Timestamp?
        /// What it says: text as it stands, a date in RFC 3339, `true` or `false`; nil where it says nothing.
        public let value: String?
    }
}

extension HistoryMergeError {
    /// The same error about pieces at other places.
    func renumbered(_ place: (Int) -> Int) -> HistoryMergeError {
        func move(_ evidence: Evidence) -> Evidence {
            Evidence(index: place(evidence.index), date: evidence.date, value: evidence.value)
        }
        return switch self {
        case .conflict(let transactionID, let fact, let first, let second):
            .conflict(transactionID: transactionID, fact: fact, first: move(first), second: move(second))
        case .differentApps(let first, let second): .differentApps(first: move(first), second: move(second))
        case .differentEnvironments(let first, let second):
            .differentEnvironments(first: move(first), second: move(second))
        case .differentRealms(let first, let second):
            .differentRealms(first: move(first), second: move(second))
        }
    }
}

extension PurchaseHistory {
    /// One history of several pieces of evidence about one customer.
    ///
    /// Purchases are the same where their transaction ids are. What was settled when a purchase was made
    /// (product, purchase date, trial and so on) must agree wherever two pieces state it. What happens to it
    /// later (a refund or its reversal, an extended expiry) is taken from the later piece; two pieces of the
    /// same date must agree on that too.
    ///
    /// Ids that are absent or "0", which Xcode gives to every purchase, name nothing: such purchases are the
    /// same where product and purchase date are, and within one piece they all stand.
    ///
    /// Apps, environments and realms are not mixed, and an unknown environment is like no other, an unknown one
    /// included. A saved answer has no realm and may stand beside any; then the whole has none.
    ///
    /// - Throws: ``HistoryMergeError``, naming both pieces.
    public init(merging histories: [PurchaseHistory]) throws(HistoryMergeError) {
        try Self.requireOneOrigin(histories)
        try self.init(mergingParts: histories)
    }

    /// Merges without a look at where the pieces come from.
    init(mergingParts histories: [PurchaseHistory]) throws(HistoryMergeError) {
        var builder = HistoryBuilder()
        var known: [Identity: (source: Int, transaction: Transaction)] = [:]
        let latestFirst = histories.indices.sorted {
            let (left, right) = (histories[$0].evidenceDate, histories[$1].evidenceDate)
            return left == right ? $0 < $1 : Self.isLater(left, right)
        }
        builder.bundle = builder.slice(try Self.requireOneApp(histories))
        for index in latestFirst {
            let history = histories[index]
            for transaction in history.transactions {
                let identity = Identity(transaction, of: history)
                if let (source, later) = known[identity], source != index {
                    guard identity.isUnique else { continue }
                    try Self.requireAgreement(later, of: source, transaction, of: index, histories)
                } else {
                    known[identity] = (index, transaction)
                    builder.append(transaction, of: history)
                }
            }
        }
        builder.environment = histories.first?.environment
        builder.coverage = histories.map(\.coverage).max() ?? .nothing
        builder.realm = histories.contains { $0.realm == nil } ? nil : histories.first?.realm
        builder.evidenceDate = latestFirst.first.flatMap { histories[$0].evidenceDate }
        self = builder.history
    }

    private static func isLater(_ left: Timestamp?, _ right: Timestamp?) -> Bool {
        guard let left else { return false }
        return right.map { left > $0 } ?? true
    }

    /// Fails unless all are of one environment that is known, or there is one alone, and of one realm.
    static func requireOneOrigin(_ histories: [PurchaseHistory]) throws(HistoryMergeError) {
        var realm: (index: Int, value: TrustRealm)?
        for (index, history) in histories.enumerated() {
            let known = histories[0].environment
            if index > 0, known == nil || history.environment != known {
                let pair = histories.evidence((0, known?.rawValue), (index, history.environment?.rawValue))
                throw .differentEnvironments(first: pair.first, second: pair.second)
            }
            guard let other = history.realm else { continue }
            if let realm, realm.value != other {
                let pair = histories.evidence((realm.index, realm.value.rawValue), (index, other.rawValue))
                throw .differentRealms(first: pair.first, second: pair.second)
            }
            realm = realm ?? (index, other)
        }
    }

    /// The app that the pieces name; nil where none does.
    @discardableResult
    static func requireOneApp(_ histories: [PurchaseHistory]) throws(HistoryMergeError) -> String? {
        var known: (index: Int, bundle: String)?
        for (index, history) in histories.enumerated() {
            guard let bundle = history.bundleID else { continue }
            if let known, !known.bundle.utf8.elementsEqual(bundle.utf8) {
                let pair = histories.evidence((known.index, known.bundle), (index, bundle))
                throw .differentApps(first: pair.first, second: pair.second)
            }
            known = known ?? (index, bundle)
        }
        return known?.bundle
    }

    private static func requireAgreement(
        _ later: Transaction, of laterIndex: Int, _ earlier: Transaction, of earlierIndex: Int,
        _ histories: [PurchaseHistory]
    ) throws(HistoryMergeError) {
        let isSameDate = histories[laterIndex].evidenceDate == histories[earlierIndex].evidenceDate
        let left = histories[laterIndex].facts(of: later, isSameDate: isSameDate)
        let right = histories[earlierIndex].facts(of: earlier, isSameDate: isSameDate)
        for (one, other) in zip(left, right) where one.contradicts(other) {
            let pair = histories.evidence((laterIndex, one.text), (earlierIndex, other.text))
            throw HistoryMergeError.conflict(
                transactionID: histories[laterIndex].string(later.id) ?? "", fact: one.fact,
                first: pair.first, second: pair.second)
        }
    }

    /// The facts that must agree, in one order.
    private func facts(of transaction: Transaction, isSameDate: Bool) -> [StatedFact] {
        [
            StatedFact(.productID, string(transaction.product)),
            StatedFact(.originalTransactionID, string(transaction.original)),
            StatedFact(.promotionalOfferIdentifier, string(transaction.offer)),
            StatedFact(.productType, transaction.type?.name),
            StatedFact(.purchaseDate, transaction.purchased?.rfc3339, date: transaction.purchased),
            StatedFact(.isTrialPeriod, transaction.isTrial.map { "\($0)" }),
            StatedFact(.isInIntroOfferPeriod, transaction.isIntro.map { "\($0)" }),
        ]
            + (isSameDate
                ? [
                    StatedFact(.expiresDate, transaction.expires?.rfc3339, date: transaction.expires),
                    StatedFact(
                        .cancellationDate, transaction.cancelled?.rfc3339, date: transaction.cancelled),
                ] : [])
    }
}

extension [PurchaseHistory] {
    /// What two of them say, in their order.
    fileprivate func evidence(
        _ one: (index: Int, value: String?), _ other: (index: Int, value: String?)
    ) -> (first: HistoryMergeError.Evidence, second: HistoryMergeError.Evidence) {
        let (first, second) = one.index < other.index ? (one, other) : (other, one)
        return (
            .init(index: first.index, date: self[first.index].evidenceDate, value: first.value),
            .init(index: second.index, date: self[second.index].evidenceDate, value: second.value)
        )
    }
}

/// What one piece of evidence states of a transaction.
private struct StatedFact {
    let fact: HistoryMergeError.Fact
    let text: String?
    let date: Timestamp?

    init(_ fact: HistoryMergeError.Fact, _ text: String?, date: Timestamp? = nil) {
        self.fact = fact
        self.text = text
        self.date = date
    }

    /// A fact that one piece leaves out contradicts nothing, and some receipts drop the milliseconds of a
    /// date.
    func contradicts(_ other: StatedFact) -> Bool {
        if let date, let otherDate = other.date {
            return date.secondsSince1970 != otherDate.secondsSince1970
        }
        guard let text, let otherText = other.text else { return false }
        return !text.utf8.elementsEqual(otherText.utf8)
    }
}

/// What makes two records of different receipts records of one purchase.
private struct Identity: Hashable {
    /// The transaction id, or where it names nothing, the product.
    let name: [UInt8]
    /// Nil where the transaction id names the purchase.
    let purchased: Timestamp?
    let isUnique: Bool

    init(_ transaction: Transaction, of history: PurchaseHistory) {
        // Bytes, because strings that Unicode takes for the same are different identifiers.
        let id = transaction.id.map { Array(history.text[$0.range]) } ?? []
        isUnique = !id.isEmpty && id != [UInt8(ascii: "0")]
        name = isUnique ? id : transaction.product.map { Array(history.text[$0.range]) } ?? []
        purchased = isUnique ? nil : transaction.purchased
    }
}
