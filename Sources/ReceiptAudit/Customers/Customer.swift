import AppReceipt
import GRDB
import OfferEligibility

/// The genuine receipts of one customer, put together as `eligibility --merge` does it.
struct Customer {
    /// What the receipts have in common. One that names no environment goes with no other.
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
    private var receipts: [(id: Int64, kept: KeptReceipt)] = []
    /// What the receipts of the date that came last were signed over.
    private var contents: (date: Timestamp?, digests: Set<[UInt8]>) = (nil, [])
    private var purchases = 0

    /// Purchases in the receipts of one customer; one receipt may hold as many.
    static let limit = 100_000

    var isTooLong: Bool { purchases > Self.limit }

    static let isTooLongBecause = "more than \(limit) purchases"

    init(_ key: Key) { self.key = key }

    /// Takes a receipt, the newest first.
    /// - Returns: whether its purchases are wanted.
    mutating func take(receipt: Int64, createdAt: Timestamp?, content: [UInt8]?) -> Bool {
        count += 1
        if count == 1 { (newestReceipt, evidenceDate) = (receipt, createdAt) }
        if contents.date != createdAt { contents = (createdAt, []) }
        guard !isTooLong, contents.digests.insert(content ?? []).inserted else { return false }
        // A receipt without purchases takes room too.
        purchases += receipts.isEmpty ? 0 : 1
        receipts.append((receipt, KeptReceipt(creationDate: createdAt)))
        return true
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
        // Of receipts of one date the one with the later expiry has the last word.
        var start = receipts.startIndex
        while !evidence.isEmpty, start < receipts.endIndex {
            let end =
                receipts[start...].firstIndex { $0.kept.creationDate != receipts[start].kept.creationDate }
                ?? receipts.endIndex
            var tellings: [[UInt8]: (expires: Timestamp, receipt: Int64)] = [:]
            for (id, receipt) in receipts[start..<end] {
                for purchase in receipt.purchases {
                    let name = Array((purchase.transactionID ?? "").utf8)
                    guard evidence.contains(name) else { continue }
                    let expires = purchase.expiresDate ?? Timestamp(millisecondsSince1970: .min)
                    if let known = tellings[name], known.expires >= expires { continue }
                    tellings[name] = (expires, id)
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
