import OfferEligibility
import SQLite
import StrictJSON

/// The differences between receipts and Apple's answers about one original transaction id.
///
/// Receipts are app receipts and transaction receipts. Apple's answers are signed transactions. For each purchase, the
/// newest receipt is compared with the newest signed transaction. Dates are equal within a second, because receipts have
/// no fractions.
struct MigrationComparison {
    /// The result for an id.
    enum Result: String {
        /// A complete answer shows the purchases of the receipts, and no others.
        case agrees
        /// A complete answer shows the purchases of the receipts, and more: later transactions, refunds, expirations, or
        /// transactions that no receipt shows.
        case newer
        case contradicts
        /// Apple's answers are missing or incomplete, and do not contradict.
        case notCompared = "not_compared"
        /// No receipt shows a purchase.
        case onlyAtApple = "only_at_apple"
    }

    enum Kind: String {
        case product, purchaseDate = "purchase-date", expiration
        /// Apple's answer shows a refund that an even later receipt does not show, or the other way round.
        case refund
        /// A complete answer lacks a purchase of the receipts.
        case missingAtApple = "missing-at-apple"
        /// The caller states that Apple's server does not know the id.
        case unknownAtApple = "unknown-at-apple"
        case laterTransaction = "later-transaction", laterExpiration = "later-expiration"
        /// A refund, or the reversal of one, after the newest receipt.
        case laterRefund = "later-refund"
        /// A transaction from before the newest receipt.
        case inNoReceipt = "in-no-receipt"

        var isContradiction: Bool {
            switch self {
            case .product, .purchaseDate, .expiration, .refund, .missingAtApple, .unknownAtApple: true
            case .laterTransaction, .laterExpiration, .laterRefund, .inNoReceipt: false
            }
        }
    }

    /// One side of a purchase: the newest record that shows it.
    struct Side {
        let transactionID: [UInt8]?
        let product: [UInt8]?
        let purchased: Int64?
        let expires: Int64?
        let cancelled: Int64?
        /// Whether Apple states an upgrade. It may have no date, unlike the cancellation of the same purchase in a receipt.
        let isUpgraded: Bool
        let created: Int64?
        let source: [UInt8]
        let place: Int64
        let record: [UInt8]?
        /// Whether the record holds a complete answer with the purchase and the first transaction.
        let isInAnswer: Bool

        /// The columns after the key, the purchase and the side.
        static let columns = """
            transaction_id, product_id, purchase_date, expires_date, cancellation_date, is_upgraded, created_at, source, place, record,
            is_in_answer
            """

        init(_ row: Statement, from column: Int) {
            func date(_ column: Int) -> Int64? { row.isNull(column) ? nil : row.integer(column) }
            (transactionID, product) = (row.bytes(column), row.bytes(column + 1))
            (purchased, expires) = (date(column + 2), date(column + 3))
            (cancelled, isUpgraded, created) = (
                date(column + 4), row.integer(column + 5) != 0, date(column + 6)
            )
            (source, place, record) = (
                row.bytes(column + 7) ?? [], row.integer(column + 8), row.bytes(column + 9)
            )
            isInAnswer = row.integer(column + 10) != 0
        }

        func hasFacts(of other: Side) -> Bool {
            product == other.product && purchased == other.purchased && expires == other.expires
                && cancelled == other.cancelled
        }
    }

    /// A value that differs, as JSON, or nil where a purchase as a whole is missing.
    private struct Finding {
        let kind: Kind
        let receipt: (side: Side, value: [UInt8]?)?
        let apple: (side: Side, value: [UInt8]?)?
    }

    private let key: MigrationEntry.Key
    /// The date of the newest receipt that shows the id.
    private let newestReceipt: Int64?
    private let isComplete: Bool
    private(set) var receiptTransactions = 0
    private(set) var appleTransactions = 0
    private var findings: [Finding] = []
    private(set) var findingCount = 0
    private var isContradicted = false
    private var isNewer = false
    /// Whether only other objects than complete answers show a purchase or what is newer.
    private var isPartial = false
    /// Purchases that a receipt shows as cancelled, and Apple as upgraded without a date. If another purchase has the date of the
    /// cancellation, the upgrade was the reason.
    private var unlessUpgrades: [Finding] = []
    /// The purchase dates in Apple's answers.
    private var applePurchases: [Int64] = []
    /// Apple's side of the original transaction, which comes first.
    private var original: Side?

    init(of key: MigrationEntry.Key, newestReceipt: Int64?, isComplete: Bool) {
        (self.key, self.newestReceipt, self.isComplete) = (key, newestReceipt, isComplete)
    }

    // MARK: - Purchases

    /// Returns whether Apple's side contradicts a receipt.
    func isContradicted(by receipt: Side, _ apple: Side?) -> Bool {
        guard let apple else { return false }
        var trial = MigrationComparison(of: key, newestReceipt: newestReceipt, isComplete: isComplete)
        trial.compare(receipt, apple, isRestored: false)
        return trial.isContradicted
    }

    /// Compares the sides of a purchase.
    /// - Parameter isInAnswer: Whether a complete answer shows the purchase.
    mutating func take(receipt: Side?, apple: Side?, isInAnswer: Bool) {
        if receipt != nil { receiptTransactions += 1 }
        if let apple {
            appleTransactions += 1
            if let purchased = apple.purchased { applePurchases.append(purchased) }
        }
        if let apple, apple.transactionID == key.id { original = apple }
        switch (receipt, apple) {
        case (let receipt?, let apple?):
            if !isInAnswer { isPartial = true }
            compare(receipt, apple, isRestored: false)
        case (let receipt?, nil):
            // The receipt's id of a restored purchase differs from that of its original transaction.
            if let original, receipt.expires == nil, receipt.transactionID != key.id {
                compare(receipt, original, isRestored: true)
            } else if isComplete {
                add(Finding(kind: .missingAtApple, receipt: (receipt, nil), apple: nil))
            }
        case (nil, let apple?):
            guard let newestReceipt else { return }
            let isLater = (apple.purchased ?? .min) > newestReceipt
            add(Finding(kind: isLater ? .laterTransaction : .inNoReceipt, receipt: nil, apple: (apple, nil)))
        case (nil, nil): break
        }
    }

    /// Adds the differences between the sides. The dates of a restored purchase are its own.
    private mutating func compare(_ receipt: Side, _ apple: Side, isRestored: Bool) {
        func text(_ value: [UInt8]?) -> [UInt8] {
            JSONWriter.text { $0.string(value.map { String(decoding: $0, as: UTF8.self) }) }
        }
        func date(_ value: Int64?) -> [UInt8] {
            JSONWriter.text { $0.string(value.map(ReportText.date)) }
        }
        func isEqual(_ one: Int64?, _ other: Int64?) -> Bool {
            guard let one, let other else { return one == nil && other == nil }
            return (one &- other).magnitude < 1000
        }
        func add(_ kind: Kind, _ receiptValue: [UInt8], _ appleValue: [UInt8]) {
            self.add(Finding(kind: kind, receipt: (receipt, receiptValue), apple: (apple, appleValue)))
        }
        let isAppleNewer = (apple.created ?? .min) > (receipt.created ?? .max)
        if receipt.product != apple.product { add(.product, text(receipt.product), text(apple.product)) }
        if !isRestored, !isEqual(receipt.purchased, apple.purchased) {
            add(.purchaseDate, date(receipt.purchased), date(apple.purchased))
        }
        if !isRestored, !isEqual(receipt.expires, apple.expires) {
            let isLater = isAppleNewer && (apple.expires ?? .min) > (receipt.expires ?? .max)
            add(isLater ? .laterExpiration : .expiration, date(receipt.expires), date(apple.expires))
        }
        guard !isEqual(receipt.cancelled, apple.cancelled) else { return }
        // A refund from before the receipt should be in it. A reversal has no date.
        let isLater = isAppleNewer && (apple.cancelled ?? .max) > (receipt.created ?? .max)
        let isReversal = isAppleNewer && apple.cancelled == nil
        let finding = Finding(
            kind: isLater || isReversal ? .laterRefund : .refund,
            receipt: (receipt, date(receipt.cancelled)), apple: (apple, date(apple.cancelled)))
        if apple.isUpgraded, apple.cancelled == nil {
            unlessUpgrades.append(finding)
        } else if !apple.isUpgraded || !isLater || receipt.cancelled != nil {
            self.add(finding)
        }
    }

    private mutating func add(_ finding: Finding) {
        findingCount += 1
        if finding.kind.isContradiction { isContradicted = true } else { isNewer = true }
        if finding.apple?.side.isInAnswer == false { isPartial = true }
        if findings.count < migrationListLimit { findings.append(finding) }
    }

    /// Ends the comparison.
    mutating func finish(isUnknown: Bool) {
        if isUnknown { add(Finding(kind: .unknownAtApple, receipt: nil, apple: nil)) }
        guard isComplete, !unlessUpgrades.isEmpty else { return }
        applePurchases.sort()
        for finding in unlessUpgrades {
            guard let cancelled = finding.receipt?.side.cancelled else { continue }
            let (earliest, latest) = (cancelled &- 60_000, cancelled &+ 60_000)
            let isOwnDate = finding.apple?.side.purchased.map { earliest <= $0 && $0 <= latest } ?? false
            let count =
                applePurchases.partitioningIndex { $0 > latest }
                - applePurchases.partitioningIndex { $0 >= earliest }
            if count <= (isOwnDate ? 1 : 0) { add(finding) }
        }
    }

    var result: Result {
        if isContradicted { return .contradicts }
        if receiptTransactions == 0 { return .onlyAtApple }
        if !isComplete || isPartial { return .notCompared }
        return isNewer ? .newer : .agrees
    }

    /// The reason why an id is not compared, or nil.
    var reason: String? {
        guard result == .notCompared else { return nil }
        return appleTransactions == 0 ? "no answer" : "incomplete answer"
    }

    /// The findings as a JSON array.
    var json: [UInt8] {
        JSONWriter.text { json in
            json.array(findings) { json, finding in
                json.object { json in
                    json.string("kind", finding.kind.rawValue)
                    let id = (finding.receipt ?? finding.apple)?.side.transactionID
                    json.string("transaction_id", id.map { String(decoding: $0, as: UTF8.self) })
                    for (name, side) in [("receipt", finding.receipt), ("apple", finding.apple)] {
                        json.key(text: name)
                        guard let (side, value) = side else {
                            json.null()
                            continue
                        }
                        json.object { json in
                            json.string("source", String(decoding: side.source, as: UTF8.self))
                            json.number("place", side.place)
                            json.string("record", side.record.map { String(decoding: $0, as: UTF8.self) })
                            json.key("value")
                            if let value { json.raw(value) } else { json.null() }
                        }
                    }
                }
            }
        }
    }
}
