import AppReceipt
import GRDB
import OfferEligibility

/// The genuine evidence of one customer, put together as `eligibility --merge` does it: receipts, and whatever else is
/// signed.
struct Customer {
    /// What all of it has in common. What names no environment goes with nothing else.
    struct Key: Equatable {
        var subject: [UInt8]?
        /// Of the receipts that were joined, where there is no subject.
        var first: Int64?
        var environment: [UInt8]?
        var bundleID: [UInt8]?
        var realm: [UInt8]?
    }

    let key: Key
    /// How often receipts were presented.
    private(set) var count = 0
    private(set) var newestReceipt: Int64 = 0
    private(set) var evidenceDate: Timestamp?
    /// Each once, however often it was presented; the newest first.
    private var receipts: [(id: Int64, kept: KeptEvidence)] = []
    /// What the receipts of the date that came last were signed over.
    private var contents: (date: Timestamp?, digests: Set<[UInt8]>) = (nil, [])
    private var purchases = 0
    /// Whether anything tells what was bought: a notification does not.
    private(set) var tellsOfPurchases = false

    /// Purchases in the receipts of one customer; one receipt may hold as many.
    static let limit = 100_000

    var isTooLong: Bool { purchases > Self.limit }

    static let isTooLongBecause = "more than \(limit) purchases"
    static let tellingOfNone = "nothing tells of purchases"

    /// Why it is not judged; nil where it is.
    var unjudged: String? { isTooLong ? Self.isTooLongBecause : tellsOfPurchases ? nil : Self.tellingOfNone }

    init(_ key: Key) { self.key = key }

    /// Takes a receipt or another signed object, the newest first.
    /// - Parameter content: what was signed.
    /// - Returns: whether its purchases are wanted.
    mutating func take(receipt: Int64, kind: String, createdAt: Timestamp?, content: [UInt8]?) -> Bool {
        count += 1
        if count == 1 { (newestReceipt, evidenceDate) = (receipt, createdAt) }
        if contents.date != createdAt { contents = (createdAt, []) }
        guard !isTooLong, contents.digests.insert(content ?? []).inserted else { return false }
        // A receipt without purchases takes room too.
        purchases += receipts.isEmpty ? 0 : 1
        let form: EvidenceForm =
            switch kind {
            case "receipt": .receipt
            case "transaction-receipt": .transactionReceipt
            default: .signed
            }
        if form != .signed || kind == "transaction" { tellsOfPurchases = true }
        receipts.append((receipt, KeptEvidence(form, date: createdAt)))
        return true
    }

    /// Takes what the renewal information that was taken last says.
    mutating func take(_ renewal: KeptRenewal) {
        if !receipts.isEmpty { receipts[receipts.count - 1].kept.renewal = renewal }
    }

    /// Takes a purchase of the receipt that was taken last.
    mutating func take(_ purchase: KeptPurchase) {
        purchases += 1
        guard !isTooLong else {
            receipts = []
            contents.digests = []
            return
        }
        receipts[receipts.count - 1].kept.purchases.append(purchase)
    }

    /// A part of the key, as the receipts say it.
    func text(_ part: KeyPath<Key, [UInt8]?>) -> String? { key[keyPath: part].map { String(stored: $0) } }

    // MARK: - Answers

    func history() -> PurchaseHistory {
        PurchaseHistory(
            kept: receipts.map(\.kept), bundleID: text(\.bundleID),
            environment: text(\.environment).flatMap(ReceiptEnvironment.init(rawValue:)),
            realm: text(\.realm).flatMap(TrustRealm.init(rawValue:)))
    }

    /// The receipts that have the last word on what a verdict's introductory answer rests on, as far as a line takes them;
    /// the newest one where it rests on what there is not.
    func receipts(of verdict: ProductVerdict) -> [Int64] {
        var evidence = Set(verdict.introductoryOffer.transactions.map { Array($0.utf8) })
        var found = Set<Int64>()
        // Of evidence of one date a signed transaction has the last word, then the later expiry.
        var start = receipts.startIndex
        while !evidence.isEmpty, start < receipts.endIndex {
            let end =
                receipts[start...].firstIndex { $0.kept.date != receipts[start].kept.date }
                ?? receipts.endIndex
            var tellings: [[UInt8]: (isSigned: Bool, expires: Timestamp, receipt: Int64)] = [:]
            for (id, receipt) in receipts[start..<end] {
                for purchase in receipt.purchases {
                    let name = Array((purchase.transactionID ?? "").utf8)
                    guard evidence.contains(name) else { continue }
                    let expires = purchase.expiresDate ?? Timestamp(millisecondsSince1970: .min)
                    let isSigned = receipt.form == .signed
                    if let known = tellings[name],
                        known.isSigned == isSigned ? known.expires >= expires : known.isSigned
                    {
                        continue
                    }
                    tellings[name] = (isSigned, expires, id)
                }
            }
            evidence.subtract(tellings.keys)
            found.formUnion(tellings.values.map(\.receipt))
            start = end
        }
        return found.isEmpty ? [newestReceipt] : Array(found.sorted().prefix(100))
    }
}

extension KeptPurchase {
    /// The columns that ``init(_:from:)`` reads.
    static let columns = [
        "product_id", "transaction_id", "original_transaction_id", "promotional_offer_identifier",
        "purchase_date",
        "expires_date", "cancellation_date", "product_type", "is_trial_period", "is_in_intro_offer_period",
        "subscription_group_identifier", "ownership_type", "is_upgraded", "offer_type", "offer_identifier",
        "offer_discount_type",
    ]

    init(_ row: StatementRow, from column: Int) {
        self.init()
        productID = row.text(column)
        transactionID = row.text(column + 1)
        originalTransactionID = row.text(column + 2)
        promotionalOfferIdentifier = row.text(column + 3)
        purchaseDate = row.date(column + 4)
        expiresDate = row.date(column + 5)
        cancellationDate = row.date(column + 6)
        productType = row.text(column + 7)
        isTrialPeriod = row.flag(column + 8)
        isInIntroOfferPeriod = row.flag(column + 9)
        subscriptionGroupIdentifier = row.text(column + 10)
        ownershipType = row.text(column + 11)
        isUpgraded = row.flag(column + 12)
        offerType = row.isNull(column + 13) ? nil : row.integer(column + 13)
        offerIdentifier = row.text(column + 14)
        offerDiscountType = row.text(column + 15)
    }
}

extension KeptRenewal {
    /// The columns that ``init(_:)`` reads.
    static let columns = [
        "original_transaction_id", "product_id", "auto_renew_product_id", "auto_renew_status",
        "expiration_intent",
        "is_in_billing_retry_period", "grace_period_expires_date", "eligible_win_back_offer_ids",
    ]

    init(_ row: StatementRow) {
        self.init()
        originalTransactionID = row.text(0)
        productID = row.text(1)
        autoRenewProductID = row.text(2)
        autoRenewStatus = row.isNull(3) ? nil : row.integer(3)
        expirationIntent = row.isNull(4) ? nil : row.integer(4)
        isInBillingRetryPeriod = row.flag(5)
        gracePeriodExpiresDate = row.date(6)
        eligibleWinBackOfferIDs = row.text(7).flatMap { try? JSON.decode([String].self, $0) }
    }
}

extension StatementRow {
    func text(_ column: Int) -> String? {
        isNull(column) ? nil : unsafe withBytes(column) { unsafe String(stored: $0) }
    }

    func bytes(_ column: Int) -> [UInt8]? {
        isNull(column) ? nil : unsafe withBytes(column) { unsafe Array($0) }
    }

    func date(_ column: Int) -> Timestamp? {
        isNull(column) ? nil : Timestamp(millisecondsSince1970: integer(column))
    }

    func flag(_ column: Int) -> Bool? { isNull(column) ? nil : integer(column) != 0 }
}

extension String {
    /// The text that ``RowCells`` wrote.
    fileprivate init(stored bytes: some Collection<UInt8>) {
        self = String(decoding: bytes, as: UTF8.self)
        guard bytes.contains(0xE2), unicodeScalars.contains("\u{2400}") else { return }
        var text = UnicodeScalarView()
        var isEscaped = false
        for scalar in unicodeScalars {
            if !isEscaped, scalar == "\u{2400}" {
                isEscaped = true
            } else {
                text.append(isEscaped && scalar == "0" ? "\0" : scalar)
                isEscaped = false
            }
        }
        self = String(text)
    }
}
