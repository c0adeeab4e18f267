import AppReceipt
import GRDB
import OfferEligibility

/// The genuine receipts of one customer, put together purchase by purchase: the newest receipt has the last word, of two
/// of one date the one with the later expiry, and an offer that was once told as used stays used.
struct Customer {
    /// What the receipts have in common. One that names no environment goes with no other.
    struct Key: Equatable {
        var subject: [UInt8]?
        /// Of the receipts that were joined, where there is no subject.
        var first: Int64?
        var environment: [UInt8]?
        var bundleID: [UInt8]?
    }

    private struct Telling {
        var purchase: KeptPurchase
        /// The receipt that has the last word, and when it was created.
        var receipt: Int64
        var createdAt: Int64
        /// What was read last, and when its receipt was created.
        var last: (purchase: KeptPurchase, createdAt: Int64)
    }

    let key: Key
    private let realm: String?
    private(set) var receipts = 0
    private(set) var newestReceipt: Int64 = 0
    private(set) var evidenceDate: Int64?
    private var tellings: [Telling] = []
    private var known: [[UInt8]: Int] = [:]
    private var lastReceipt: Int64 = 0
    /// Products of transactions that receipts of one date tell in different ways.
    private(set) var toldDifferently: Set<String> = []

    /// Purchases of one customer; a receipt may hold as many.
    static let limit = 100_000

    var count: Int { tellings.count }
    var isTooLong: Bool { count > Self.limit }

    init(_ key: Key, realm: String?) { (self.key, self.realm) = (key, realm) }

    /// Takes a receipt, the newest first.
    mutating func take(receipt: Int64, createdAt: Int64?) {
        receipts += 1
        lastReceipt = receipt
        if receipts == 1 { (newestReceipt, evidenceDate) = (receipt, createdAt) }
    }

    /// Takes a purchase of the receipt that was taken last.
    mutating func take(_ purchase: KeptPurchase, of createdAt: Int64) {
        guard !isTooLong else { return }
        let id = Array((purchase.transactionID ?? "").utf8)
        let isNamed = !id.isEmpty && id != [UInt8(ascii: "0")] && key.environment != Array("Xcode".utf8)
        guard isNamed, let index = known[id] else {
            if isNamed { known[id] = tellings.count }
            tellings.append(
                Telling(
                    purchase: purchase, receipt: lastReceipt, createdAt: createdAt,
                    last: (purchase, createdAt)))
            return
        }
        let (told, last) = (tellings[index].purchase, tellings[index].last)
        if last.createdAt / 1000 == createdAt / 1000, last.purchase.differs(from: purchase) {
            toldDifferently.formUnion([last.purchase.productID, purchase.productID].compactMap(\.self))
        }
        tellings[index].last = (purchase, createdAt)
        let never = Timestamp(millisecondsSince1970: .min)
        if tellings[index].createdAt == createdAt, purchase.expiresDate ?? never > told.expiresDate ?? never {
            (tellings[index].purchase, tellings[index].receipt) = (purchase, lastReceipt)
            tellings[index].purchase.fill(from: told)
        } else {
            tellings[index].purchase.fill(from: purchase)
        }
    }

    // MARK: - Answers

    func verdicts(_ question: EligibilityQuestion) -> [ProductVerdict] {
        let history = PurchaseHistory(
            kept: tellings.lazy.map(\.purchase),
            bundleID: key.bundleID.map { String(decoding: $0, as: UTF8.self) },
            environment: key.environment.flatMap {
                ReceiptEnvironment(rawValue: String(decoding: $0, as: UTF8.self))
            },
            realm: realm.flatMap(TrustRealm.init(rawValue:)),
            evidenceDate: evidenceDate.map(Timestamp.init(millisecondsSince1970:)))
        return question.rules.verdicts(for: question.products, in: history, asOf: question.asOf)
    }

    /// The receipts that hold what a verdict's introductory answer rests on, as far as a line takes them; the newest one
    /// where it rests on what there is not.
    func receipts(of verdict: ProductVerdict) -> [Int64] {
        let evidence = Set(verdict.introductoryOffer.transactions)
        let receipts = Set(
            tellings.filter { evidence.contains($0.purchase.transactionID ?? "") }.map(\.receipt))
        return receipts.isEmpty ? [newestReceipt] : Array(receipts.sorted().prefix(100))
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

    /// Product, purchase or expiry, to the second; what one of them leaves out contradicts nothing.
    fileprivate func differs(from other: KeptPurchase) -> Bool {
        func differ<Value: Equatable>(_ one: Value?, _ other: Value?) -> Bool {
            if let one, let other { one != other } else { false }
        }
        return differ(productID.map { Array($0.utf8) }, other.productID.map { Array($0.utf8) })
            || differ(purchaseDate?.secondsSince1970, other.purchaseDate?.secondsSince1970)
            || differ(expiresDate?.secondsSince1970, other.expiresDate?.secondsSince1970)
    }

    /// Takes what is not said here, and that an offer was used.
    fileprivate mutating func fill(from other: KeptPurchase) {
        productID = productID ?? other.productID
        originalTransactionID = originalTransactionID ?? other.originalTransactionID
        promotionalOfferIdentifier = promotionalOfferIdentifier ?? other.promotionalOfferIdentifier
        if other.isTrialPeriod == true { isTrialPeriod = true }
        if other.isInIntroOfferPeriod == true { isInIntroOfferPeriod = true }
    }
}

extension StatementRow {
    func text(_ column: Int) -> String? {
        isNull(column) ? nil : unsafe withBytes(column) { unsafe String(decoding: $0, as: UTF8.self) }
    }

    func bytes(_ column: Int) -> [UInt8]? {
        isNull(column) ? nil : unsafe withBytes(column) { unsafe Array($0) }
    }

    func date(_ column: Int) -> Timestamp? {
        isNull(column) ? nil : Timestamp(millisecondsSince1970: integer(column))
    }

    func flag(_ column: Int) -> Bool? { isNull(column) ? nil : integer(column) != 0 }
}
