public import AppReceipt

/// What one customer bought, as far as the evidence shows: the input of the rules.
///
/// Made from a verified receipt, from several of them, or from a saved verifyReceipt answer that the caller
/// vouches for. The order of purchases never matters.
public struct PurchaseHistory: Sendable {
    /// UTF-8 that the transactions point into; for one receipt the signed bytes themselves.
    let text: [UInt8]
    let transactions: [Transaction]
    let bundle: TextSlice?

    /// Where the purchases were made; nil where the evidence does not say.
    public let environment: ReceiptEnvironment?

    /// Who vouches for the purchases; nil where it is the caller alone, of a saved answer.
    public let realm: TrustRealm?

    /// When the evidence was made: the receipt's creation date, of several the latest. What came later is
    /// unknown. Nil only where a saved answer names no date at all.
    public let evidenceDate: Timestamp?

    /// The app; nil where a saved answer does not name it.
    public var bundleID: String? { string(bundle) }

    /// The number of purchases, those that are no subscriptions included.
    public var count: Int { transactions.count }

    init(
        text: [UInt8], transactions: [Transaction], bundle: TextSlice?, environment: ReceiptEnvironment?,
        realm: TrustRealm?, evidenceDate: Timestamp?
    ) {
        self.text = text
        self.transactions = transactions
        self.bundle = bundle
        self.environment = environment
        self.realm = realm
        self.evidenceDate = evidenceDate
    }

    /// The purchases of a receipt whose signature was checked.
    public init(_ receipt: VerifiedReceipt) {
        let payload = receipt.payload
        self.init(
            text: payload.bytes,
            transactions: payload.purchaseFacts,
            bundle: payload.bundleIDSlice,
            environment: payload.environment,
            realm: receipt.realm,
            evidenceDate: payload.creationDate)
    }

    /// The purchases of several receipts of one customer; see ``init(merging:)``.
    /// - Throws: ``HistoryMergeError``, naming both receipts.
    public init(_ receipts: [VerifiedReceipt]) throws(HistoryMergeError) {
        try self.init(merging: receipts.map { PurchaseHistory($0) })
    }

    func string(_ slice: TextSlice?) -> String? {
        slice.map { String(decoding: text[$0.range], as: UTF8.self) }
    }
}

/// Collects transactions whose text comes from elsewhere.
struct HistoryBuilder {
    private var text: [UInt8] = []
    private var transactions: [Transaction] = []
    var bundle: TextSlice?
    var environment: ReceiptEnvironment?
    var realm: TrustRealm?
    var evidenceDate: Timestamp?

    mutating func slice(_ string: some Collection<UInt8>) -> TextSlice {
        text.append(contentsOf: string)
        return TextSlice(offset: text.count - string.count, count: string.count)
    }

    mutating func slice(_ string: String?) -> TextSlice? { string.map { slice($0.utf8) } }

    mutating func append(_ transaction: Transaction) { transactions.append(transaction) }

    /// Appends a transaction of another history with its text.
    mutating func append(_ transaction: Transaction, of history: PurchaseHistory) {
        var copy = transaction
        for field in [\Transaction.product, \.id, \.original, \.offer] {
            copy[keyPath: field] = transaction[keyPath: field].map { slice(history.text[$0.range]) }
        }
        append(copy)
    }

    var history: PurchaseHistory {
        PurchaseHistory(
            text: text, transactions: transactions, bundle: bundle, environment: environment, realm: realm,
            evidenceDate: evidenceDate)
    }
}
