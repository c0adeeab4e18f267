public import AppReceipt

/// What one customer bought, as far as the evidence shows: the input of the rules.
///
/// Made from a verified receipt, from all the evidence of a customer (``init(evidence:listings:anyRefused:)``), or from a saved
/// verifyReceipt answer that the caller vouches for. The order of purchases, and of evidence, never matters.
public struct PurchaseHistory: Sendable {
    /// UTF-8 that the transactions point into; for one receipt the signed bytes themselves.
    let text: [UInt8]
    let transactions: [Transaction]
    let bundle: TextSlice?

    /// Where the purchases were made; nil where the evidence does not say.
    public let environment: ReceiptEnvironment?

    /// Who vouches for the purchases; nil where it is the caller alone, of a saved answer.
    public let realm: TrustRealm?

    /// When the evidence was made: the receipt's creation date, of several pieces the latest date of signing. What came
    /// later is unknown. Nil only where a saved answer names no date at all.
    public let evidenceDate: Timestamp?

    /// Whether something that was to be evidence was refused and is left out.
    public internal(set) var anyRefused = false

    /// How much the evidence lists of what the customer bought.
    public let coverage: PurchaseCoverage

    /// What signed objects tell beside purchases; nil for receipts alone and saved answers without groups.
    let signed: SignedEvidence?

    /// The app; nil where a saved answer does not name it.
    public var bundleID: String? { string(bundle) }

    /// The number of purchases, those that are no subscriptions included.
    public var count: Int {
        signed == nil ? transactions.count : transactions.count { $0.standing != .superseded }
    }

    init(
        text: [UInt8], transactions: [Transaction], bundle: TextSlice?, environment: ReceiptEnvironment?,
        realm: TrustRealm?, evidenceDate: Timestamp?, coverage: PurchaseCoverage,
        signed: SignedEvidence? = nil
    ) {
        self.text = text
        self.transactions = transactions
        self.bundle = bundle
        self.environment = environment
        self.realm = realm
        self.evidenceDate = evidenceDate
        self.coverage = coverage
        self.signed = signed
    }

    /// The purchases of a receipt whose signature was checked, as they stand: where the receipt tells of one of them twice,
    /// ``init(evidence:listings:anyRefused:)`` says so.
    public init(_ receipt: VerifiedReceipt) {
        let payload = receipt.payload
        self.init(
            text: payload.bytes,
            transactions: payload.purchaseFacts,
            bundle: payload.bundleIDSlice,
            environment: payload.environment,
            realm: receipt.realm,
            evidenceDate: payload.creationDate,
            coverage: .complete)
    }

    /// The purchases of several receipts of one customer; see ``init(merging:)``.
    /// - Throws: ``HistoryMergeError``, naming both receipts.
    public init(_ receipts: [VerifiedReceipt]) throws(HistoryMergeError) {
        try self.init(merging: receipts.map { PurchaseHistory($0) })
    }

    /// The same with other transactions, whose text is the same.
    func with(_ transactions: [Transaction]) -> PurchaseHistory {
        var history = PurchaseHistory(
            text: text, transactions: transactions, bundle: bundle, environment: environment, realm: realm,
            evidenceDate: evidenceDate, coverage: coverage, signed: signed)
        history.anyRefused = anyRefused
        return history
    }

    /// The same with what signed objects tell beside purchases.
    func with(_ signed: SignedEvidence) -> PurchaseHistory {
        PurchaseHistory(
            text: text, transactions: transactions, bundle: bundle, environment: environment, realm: realm,
            evidenceDate: evidenceDate, coverage: coverage, signed: signed)
    }

    func string(_ slice: TextSlice?) -> String? {
        slice.map { String(decoding: text[$0.range], as: UTF8.self) }
    }
}

/// Collects transactions whose text comes from elsewhere.
struct HistoryBuilder {
    private(set) var text: [UInt8] = []
    private var transactions: [Transaction] = []
    var signed: SignedEvidence?
    var bundle: TextSlice?
    var environment: ReceiptEnvironment?
    var realm: TrustRealm?
    var evidenceDate: Timestamp?
    var coverage = PurchaseCoverage.nothing

    mutating func slice(_ string: some Collection<UInt8>) -> TextSlice {
        text.append(contentsOf: string)
        return TextSlice(offset: text.count - string.count, count: string.count)
    }

    mutating func slice(_ string: String?) -> TextSlice? { string.map { slice($0.utf8) } }

    /// The number of transactions.
    var count: Int { transactions.count }

    mutating func append(_ transaction: Transaction) { transactions.append(transaction) }

    /// Appends a transaction of another history with its text.
    mutating func append(_ transaction: Transaction, of history: PurchaseHistory) {
        append(copy(transaction, of: history))
    }

    /// A transaction of another history, its text taken over; not appended yet.
    mutating func copy(_ transaction: Transaction, of history: PurchaseHistory) -> Transaction {
        var copy = transaction
        for field in [\Transaction.product, \.id, \.original, \.offer, \.group] {
            copy[keyPath: field] = transaction[keyPath: field].map { slice(history.text[$0.range]) }
        }
        return copy
    }

    var history: PurchaseHistory {
        PurchaseHistory(
            text: text, transactions: transactions, bundle: bundle, environment: environment, realm: realm,
            evidenceDate: evidenceDate, coverage: coverage, signed: signed)
    }
}
