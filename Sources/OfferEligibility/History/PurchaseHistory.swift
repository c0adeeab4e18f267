public import AppReceipt

/// The purchases of one customer, as far as the evidence shows: the input of the rules.
///
/// The source is a verified receipt, all evidence of a customer (``init(evidence:listings:anyRefused:)``), or
/// a saved verifyReceipt response that the caller vouches for. The order of purchases, and of evidence, never
/// matters.
public struct PurchaseHistory: Sendable {
    /// The UTF-8 text that the transactions refer to. For a single receipt, these are the signed bytes.
    private(set) var text: [UInt8] = []
    var transactions: [Transaction] = []
    var bundle: TextSlice?
    /// `appTransactionId`: the Apple Account, or nil if the evidence does not name it.
    var account: TextSlice?

    /// The environment of the purchases, or nil if the evidence does not name it.
    public internal(set) var environment: ReceiptEnvironment?

    /// The kind of trust anchor that vouches for the purchases. Nil for a saved response, for which only the
    /// caller vouches.
    public internal(set) var realm: TrustAnchorKind?

    /// The date of the evidence: the receipt's creation date, or the latest signing date of several objects.
    /// Later events are unknown. Nil only if the evidence contains no date at all, which is possible for a
    /// saved response.
    public internal(set) var evidenceDate: Timestamp?

    /// Whether some evidence was refused and left out.
    public internal(set) var anyRefused = false

    /// The extent to which the evidence lists the customer's purchases.
    public internal(set) var coverage = PurchaseCoverage.nothing

    /// The facts other than purchases in merged evidence. Nil for a single receipt without duplicates, for
    /// the result of ``init(merging:)``, and for saved responses without groups and family-shared subscriptions.
    var signed: SignedEvidence?

    /// The bundle ID of the app, or nil if the evidence does not contain it.
    public var bundleID: String? { string(bundle) }

    /// The number of purchases, including those that are not subscriptions.
    public var count: Int {
        signed == nil ? transactions.count : transactions.count { $0.standing != .superseded }
    }

    /// Creates a history without purchases.
    init() {}

    /// Creates a history with the purchases of a verified receipt, unchanged.
    ///
    /// If the receipt lists a purchase twice, ``init(evidence:listings:anyRefused:)`` also detects conflicts.
    public init(_ receipt: VerifiedReceipt) {
        let payload = receipt.payload
        (text, transactions) = (payload.bytes, payload.purchaseFacts)
        (bundle, environment, realm) = (payload.bundleIDSlice, payload.environment, receipt.realm)
        (evidenceDate, coverage) = (payload.creationDate, .complete)
    }

    /// Creates a history with the purchases of several receipts of one customer; see ``init(merging:)``.
    ///
    /// - Throws: ``HistoryMergeError`` with the indices of both receipts.
    public init(_ receipts: [VerifiedReceipt]) throws(HistoryMergeError) {
        try self.init(merging: receipts.map { PurchaseHistory($0) })
    }

    func string(_ slice: TextSlice?) -> String? {
        slice.map { String(decoding: text[$0.range], as: UTF8.self) }
    }
}

// Changes of a history that is made of several objects, or not of signed bytes.
extension PurchaseHistory {
    /// Appends text.
    mutating func slice(_ string: String?) -> TextSlice? { string.map { slice($0.utf8) } }

    private mutating func slice(_ string: some Collection<UInt8>) -> TextSlice {
        text.append(contentsOf: string)
        return TextSlice(offset: text.count - string.count, count: string.count)
    }

    /// Returns a transaction of another history after copying its text. Does not append the transaction.
    mutating func copy(_ transaction: Transaction, of history: PurchaseHistory) -> Transaction {
        var copy = transaction
        for field in [\Transaction.product, \.id, \.original, \.offer, \.group] {
            copy[keyPath: field] = transaction[keyPath: field].map { slice(history.text[$0.range]) }
        }
        return copy
    }
}
