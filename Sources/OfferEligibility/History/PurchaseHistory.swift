public import AppReceipt

/// The purchases of one customer, as far as the evidence shows: the input of the rules.
///
/// The source is a verified receipt, all evidence of a customer (``init(evidence:listings:anyRefused:)``), or
/// a saved verifyReceipt response that the caller vouches for. The order of purchases, and of evidence, never
/// matters.
public struct PurchaseHistory: Sendable {
    /// The UTF-8 text that the transactions refer to. For a single receipt, these are the signed bytes.
    let text: [UInt8]
    let transactions: [Transaction]
    let bundle: TextSlice?

    /// The environment of the purchases, or nil if the evidence does not name it.
    public let environment: ReceiptEnvironment?

    /// The kind of trust anchor that vouches for the purchases. Nil for a saved response, for which only the
    /// caller vouches.
    public let realm: TrustAnchorKind?

    /// The date of the evidence: the receipt's creation date, or the latest signing date of several objects.
    /// Later events are unknown. Nil only if the evidence contains no date at all, which is possible for a
    /// saved response.
    public let evidenceDate: Timestamp?

    /// Whether some evidence was refused and left out.
    public internal(set) var anyRefused = false

    /// The extent to which the evidence lists the customer's purchases.
    public let coverage: PurchaseCoverage

    /// The facts other than purchases in merged evidence. Nil for a single receipt without duplicates, for
    /// the result of ``init(merging:)``, and for saved responses without groups.
    let signed: SignedEvidence?

    /// The bundle ID of the app, or nil if the evidence does not contain it.
    public var bundleID: String? { string(bundle) }

    /// The number of purchases, including those that are not subscriptions.
    public var count: Int {
        signed == nil ? transactions.count : transactions.count { $0.standing != .superseded }
    }

    init(
        text: [UInt8], transactions: [Transaction], bundle: TextSlice?, environment: ReceiptEnvironment?,
        realm: TrustAnchorKind?, evidenceDate: Timestamp?, coverage: PurchaseCoverage,
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

    /// Creates a history with the purchases of a verified receipt, unchanged.
    ///
    /// If the receipt lists a purchase twice, ``init(evidence:listings:anyRefused:)`` also detects conflicts.
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

    /// Creates a history with the purchases of several receipts of one customer; see ``init(merging:)``.
    ///
    /// - Throws: ``HistoryMergeError`` with the indices of both receipts.
    public init(_ receipts: [VerifiedReceipt]) throws(HistoryMergeError) {
        try self.init(merging: receipts.map { PurchaseHistory($0) })
    }

    /// Returns the same history with other transactions, which refer to the same text.
    func with(_ transactions: [Transaction]) -> PurchaseHistory {
        var history = PurchaseHistory(
            text: text, transactions: transactions, bundle: bundle, environment: environment, realm: realm,
            evidenceDate: evidenceDate, coverage: coverage, signed: signed)
        history.anyRefused = anyRefused
        return history
    }

    /// Returns the same history with signed evidence.
    func with(_ signed: SignedEvidence) -> PurchaseHistory {
        PurchaseHistory(
            text: text, transactions: transactions, bundle: bundle, environment: environment, realm: realm,
            evidenceDate: evidenceDate, coverage: coverage, signed: signed)
    }

    func string(_ slice: TextSlice?) -> String? {
        slice.map { String(decoding: text[$0.range], as: UTF8.self) }
    }
}

/// A builder that collects transactions and copies their text.
struct HistoryBuilder {
    private(set) var text: [UInt8] = []
    private var transactions: [Transaction] = []
    var signed: SignedEvidence?
    var bundle: TextSlice?
    var environment: ReceiptEnvironment?
    var realm: TrustAnchorKind?
    var evidenceDate: Timestamp?
    var coverage = PurchaseCoverage.nothing

    mutating func slice(_ string: some Collection<UInt8>) -> TextSlice {
        text.append(contentsOf: string)
        return TextSlice(offset: text.count - string.count, count: string.count)
    }

    mutating func slice(_ string: String?) -> TextSlice? { string.map { slice($0.utf8) } }

    var count: Int { transactions.count }

    mutating func append(_ transaction: Transaction) { transactions.append(transaction) }

    /// Appends a transaction of another history, and copies its text.
    mutating func append(_ transaction: Transaction, of history: PurchaseHistory) {
        append(copy(transaction, of: history))
    }

    /// Returns a transaction of another history after copying its text. Does not append the transaction.
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
