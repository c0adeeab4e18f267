import AppReceipt

extension PurchaseHistory {
    /// Creates one history from several histories of one customer.
    ///
    /// The transaction identifier identifies a purchase. A restored subscription has another one; its first transaction,
    /// product and dates identify a period. Facts that do not change after the purchase, such as product, purchase date and trial,
    /// must agree if two histories contain them. A restoration may change the date of a purchase that does not expire. Later facts,
    /// such as a refund, its reversal or an extended expiration, come from the newer history. Two histories of the same date must
    /// agree on these, too.
    ///
    /// Identifiers that are absent or "0", as for every purchase in Xcode, identify no purchase. Such
    /// purchases count as the same if product and purchase date are equal. Within one history, all of them
    /// count.
    ///
    /// Apps, Apple Accounts, environments and trust anchor kinds are not mixed. An unknown environment differs from every
    /// other, even from an unknown one. A saved response has no trust anchor kind and may be merged with any.
    /// The result then has none either.
    ///
    /// - Throws: ``HistoryMergeError`` with the indices of both histories.
    public init(merging histories: [PurchaseHistory]) throws(HistoryMergeError) {
        try Self.requireOneOrigin(histories)
        try self.init(mergingParts: histories, areOfOneAnswer: false)
    }

    /// Creates one history without a check of environments and trust anchor kinds.
    ///
    /// - Parameter areOfOneAnswer: Whether the histories are lists of one response, of which the first is the newest although their
    ///   dates may be equal.
    init(mergingParts histories: [PurchaseHistory], areOfOneAnswer: Bool) throws(HistoryMergeError) {
        self.init()
        var known: [Identity: (source: Int, transaction: Transaction)] = [:]
        var periods: [PeriodIdentity: (source: Int, transaction: Transaction)] = [:]
        let latestFirst = histories.indices.sorted {
            let (left, right) = (histories[$0].evidenceDate, histories[$1].evidenceDate)
            return left == right ? $0 < $1 : Self.isLater(left, right)
        }
        bundle = slice(try Self.requireOneApp(histories))
        account = slice(try Self.requireOneAccount(histories))
        for index in latestFirst {
            let history = histories[index]
            for transaction in history.transactions {
                let identity = Identity(transaction, of: history)
                let period = identity.isUnique ? PeriodIdentity(transaction, in: history.text) : nil
                if let (source, later) = known[identity] ?? period.flatMap({ periods[$0] }), source != index {
                    guard identity.isUnique else { continue }
                    known[identity] = known[identity] ?? (source, later)
                    try Self.requireAgreement(
                        later, of: source, transaction, of: index, histories, areOfOneAnswer: areOfOneAnswer)
                } else {
                    known[identity] = (index, transaction)
                    if let period { periods[period] = (index, transaction) }
                    transactions.append(copy(transaction, of: history))
                }
            }
        }
        environment = histories.first?.environment
        coverage = histories.map(\.coverage).max() ?? .nothing
        realm = histories.contains { $0.realm == nil } ? nil : histories.first?.realm
        evidenceDate = latestFirst.first.flatMap { histories[$0].evidenceDate }
    }

    private static func isLater(_ left: Timestamp?, _ right: Timestamp?) -> Bool {
        guard let left else { return false }
        return right.map { left > $0 } ?? true
    }

    /// Checks that all histories have one known environment, or that there is only one history, and that the
    /// trust anchor kinds agree.
    ///
    /// - Parameter places: The indices of the histories in the error, or nil for those in `histories`.
    /// - Throws: ``HistoryMergeError`` with the indices of both histories.
    static func requireOneOrigin(
        _ histories: [PurchaseHistory], at places: [Int]? = nil
    ) throws(HistoryMergeError) {
        var realm: (index: Int, value: TrustAnchorKind)?
        for (index, history) in histories.enumerated() {
            let known = histories[0].environment
            if index > 0, known == nil || history.environment != known {
                let pair = histories.evidence(
                    (0, known?.rawValue), (index, history.environment?.rawValue), at: places)
                throw .differentEnvironments(first: pair.first, second: pair.second)
            }
            guard let other = history.realm else { continue }
            if let realm, realm.value != other {
                let pair = histories.evidence(
                    (realm.index, realm.value.rawValue), (index, other.rawValue), at: places)
                throw .differentRealms(first: pair.first, second: pair.second)
            }
            realm = realm ?? (index, other)
        }
    }

    /// Returns the app that the histories name, or nil if none does.
    ///
    /// - Throws: ``HistoryMergeError`` if the apps differ.
    static func requireOneApp(
        _ histories: [PurchaseHistory], at places: [Int]? = nil
    ) throws(HistoryMergeError) -> String? {
        try requireOne(\.bundle, of: histories, at: places) { .differentApps(first: $0, second: $1) }
    }

    /// Returns the Apple Account that the histories name, or nil if none does.
    ///
    /// - Throws: ``HistoryMergeError`` if the Apple Accounts differ.
    static func requireOneAccount(
        _ histories: [PurchaseHistory], at places: [Int]? = nil
    ) throws(HistoryMergeError) -> String? {
        try requireOne(\.account, of: histories, at: places) { .differentAccounts(first: $0, second: $1) }
    }

    private static func requireOne(
        _ name: KeyPath<PurchaseHistory, TextSlice?>, of histories: [PurchaseHistory], at places: [Int]?,
        error: (HistoryMergeError.Evidence, HistoryMergeError.Evidence) -> HistoryMergeError
    ) throws(HistoryMergeError) -> String? {
        var known: (index: Int, value: String)?
        for (index, history) in histories.enumerated() {
            guard let value = history.string(history[keyPath: name]) else { continue }
            if let known, !known.value.utf8.elementsEqual(value.utf8) {
                let pair = histories.evidence((known.index, known.value), (index, value), at: places)
                throw error(pair.first, pair.second)
            }
            known = known ?? (index, value)
        }
        return known?.value
    }

    private static func requireAgreement(
        _ later: Transaction, of laterIndex: Int, _ earlier: Transaction, of earlierIndex: Int,
        _ histories: [PurchaseHistory], areOfOneAnswer: Bool
    ) throws(HistoryMergeError) {
        let isSameDate =
            !areOfOneAnswer && histories[laterIndex].evidenceDate == histories[earlierIndex].evidenceDate
        let left = histories[laterIndex].facts(of: later, isSameDate: isSameDate)
        let right = histories[earlierIndex].facts(of: earlier, isSameDate: isSameDate)
        for (one, other) in zip(left, right) where one.contradicts(other) {
            let pair = histories.evidence((laterIndex, one.text), (earlierIndex, other.text))
            throw HistoryMergeError.conflict(
                transactionID: histories[laterIndex].string(later.id) ?? "", fact: one.fact,
                first: pair.first, second: pair.second)
        }
    }

    /// Returns the facts that must agree, in a fixed order.
    private func facts(of transaction: Transaction, isSameDate: Bool) -> [StatedFact] {
        // After a restoration, a purchase that does not expire may have the date of the restoration.
        let mayBeRestored =
            transaction.expires == nil && transaction.type != .consumable
            && transaction.id.map { Array(text[$0.range]) }
                == transaction.original.map { Array(text[$0.range]) }
        return [
            StatedFact(fact: .productID, text: string(transaction.product)),
            StatedFact(fact: .originalTransactionID, text: string(transaction.original)),
            StatedFact(fact: .promotionalOfferIdentifier, text: string(transaction.offer)),
            StatedFact(fact: .productType, text: transaction.type?.name),
            StatedFact(.purchaseDate, mayBeRestored ? nil : transaction.purchased),
            // A free period under another offer may have the flag too.
            StatedFact(
                fact: .isTrialPeriod,
                text: transaction.isTrial != true && transaction.isFree == true
                    ? nil : transaction.isTrial.map { "\($0)" }),
            // Whether a trial has the other flag too depends on the year.
            StatedFact(
                fact: .isInIntroOfferPeriod,
                text: transaction.isTrial == true && transaction.isIntro != true
                    ? nil : transaction.isIntro.map { "\($0)" }),
        ]
            + (isSameDate
                ? [
                    StatedFact(.expiresDate, transaction.expires),
                    StatedFact(.cancellationDate, transaction.cancelled),
                ] : [])
    }
}

extension [PurchaseHistory] {
    /// Returns the values of two histories, in the order of their indices.
    fileprivate func evidence(
        _ one: (index: Int, value: String?), _ other: (index: Int, value: String?), at places: [Int]? = nil
    ) -> (first: HistoryMergeError.Evidence, second: HistoryMergeError.Evidence) {
        let pair = [one, other].sorted { $0.index < $1.index }.map { index, value in
            HistoryMergeError.Evidence(
                index: places?[index] ?? index, date: self[index].evidenceDate, value: value)
        }
        return (pair[0], pair[1])
    }
}

/// The value of one fact about a transaction in one history.
private struct StatedFact {
    let fact: HistoryMergeError.Fact
    let text: String?
    var date: Timestamp?

    /// Returns whether two values contradict each other. A missing value contradicts nothing. Dates are
    /// compared in seconds, because some receipts omit milliseconds.
    func contradicts(_ other: StatedFact) -> Bool {
        if let date, let otherDate = other.date {
            return date.secondsSince1970 != otherDate.secondsSince1970
        }
        guard let text, let otherText = other.text else { return false }
        return !text.utf8.elementsEqual(otherText.utf8)
    }
}

extension StatedFact {
    init(_ fact: HistoryMergeError.Fact, _ date: Timestamp?) {
        self.init(fact: fact, text: date?.rfc3339, date: date)
    }
}

/// The identity of a purchase. It is equal in different receipts of the same purchase.
private struct Identity: Hashable {
    /// The transaction identifier, or the product if the identifier identifies nothing.
    let name: [UInt8]
    /// The purchase date, or nil if the transaction identifier identifies the purchase.
    let purchased: Timestamp?
    let isUnique: Bool

    init(_ transaction: Transaction, of history: PurchaseHistory) {
        // Strings that Unicode treats as equal are different identifiers, so this compares bytes.
        let id = transaction.id.map { Array(history.text[$0.range]) } ?? []
        isUnique = id.isUsableIdentifier
        name = isUnique ? id : transaction.product.map { Array(history.text[$0.range]) } ?? []
        purchased = isUnique ? nil : transaction.purchased
    }
}
