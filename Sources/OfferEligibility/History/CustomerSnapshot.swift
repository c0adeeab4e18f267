package import AppReceipt
import StrictJSON

/// The genuine evidence of one customer, merged as in `eligibility --merge`: receipts and all other signed
/// objects.
package struct CustomerSnapshot: Sendable {
    /// The number of presented receipts and other signed objects, including duplicates.
    package private(set) var count = 0
    package private(set) var newestReceipt: Int64 = 0
    package private(set) var evidenceDate: Timestamp?
    /// Whether some of the customer's evidence was refused and left out.
    package var anyRefused = false
    /// The receipts and other signed objects without duplicates, the newest first.
    private var receipts: [(id: Int64, account: String?, snapshot: EvidenceSnapshot)] = []
    /// The date of the last added object, and the contents of all objects with that date.
    private var contents: (date: Timestamp?, digests: Set<[UInt8]>) = (nil, [])
    private var purchases = 0
    private var listings: Set<APIAnswer.Listing> = []

    /// The maximum number of purchases in the evidence of one customer. One receipt may contain as many.
    package static let limit = 100_000

    package var isTooLong: Bool { purchases > Self.limit }

    package static let isTooLongBecause = "more than \(limit) purchases"
    package static let ofSeveralAccounts =
        "the evidence is of several Apple Accounts: app_transaction_id differs"
    package static let ofUnlistedApp = "the catalog does not list the app"

    /// Whether the catalog is scoped and does not list the app.
    package var isOfUnlistedApp = false

    /// The reason why the customer is not evaluated, or nil if there is none.
    package var unjudged: String? {
        isTooLong
            ? Self.isTooLongBecause
            : isOfUnlistedApp ? Self.ofUnlistedApp : isOfSeveralAccounts ? Self.ofSeveralAccounts : nil
    }

    private var isOfSeveralAccounts: Bool {
        let accounts = receipts.lazy.compactMap(\.account)
        guard let first = accounts.first else { return false }
        return accounts.contains { !$0.utf8.elementsEqual(first.utf8) }
    }

    package init() {}

    /// Adds a receipt or another signed object. The caller adds the newest first.
    ///
    /// - Parameters:
    ///   - kind: The kind, as in the table `receipts` of an audit.
    ///   - content: The signed content or its digest.
    ///   - listing: The listing of the response that this object completes, or nil. The caller also passes
    ///     nil if other objects of the response may belong to another customer, for example without a
    ///     subject.
    ///   - account: The `appTransactionId`, or nil if the object has none.
    /// - Returns: Whether the caller must add the object's purchases.
    package mutating func take(
        receipt: Int64, kind: String, createdAt: Timestamp?, content: [UInt8]?, listing: APIAnswer.Listing?,
        account: String?
    ) -> Bool {
        count += 1
        if let listing { listings.insert(listing) }
        if count == 1 { (newestReceipt, evidenceDate) = (receipt, createdAt) }
        if contents.date != createdAt { contents = (createdAt, []) }
        guard !isTooLong, contents.digests.insert(content ?? []).inserted else { return false }
        // Each further object counts as a purchase, because it needs memory even without purchases.
        purchases += receipts.isEmpty ? 0 : 1
        let form: EvidenceForm =
            switch kind {
            case "receipt": .receipt
            case "transaction-receipt": .transactionReceipt
            default: .signed
            }
        receipts.append((receipt, account?.unlessUnnamed, EvidenceSnapshot(form, date: createdAt)))
        return true
    }

    /// Adds the listing of a response without objects.
    package mutating func take(_ listing: APIAnswer.Listing) { listings.insert(listing) }

    /// Adds renewal information to the object that was added last.
    package mutating func take(_ renewal: RenewalSnapshot) {
        if !receipts.isEmpty { receipts[receipts.count - 1].snapshot.renewal = renewal }
    }

    /// Adds a purchase of the object that was added last.
    package mutating func take(_ purchase: PurchaseSnapshot) {
        purchases += 1
        guard !isTooLong else {
            receipts = []
            contents.digests = []
            return
        }
        receipts[receipts.count - 1].snapshot.purchases.append(purchase)
    }

    /// A renewal information object that proves no app: its `originalTransactionId`, and the listing that it
    /// completes. The listing has an effect only if the object counts, so the caller passes nil to `take`.
    package typealias Unplaced = (subscription: [UInt8], listing: APIAnswer.Listing?)

    /// Removes renewal information that proves no app, unless a purchase belongs to its subscription.
    ///
    /// - Parameter unplaced: All such renewal information, by the numbers of the receipts.
    /// - Returns: The number of removed objects.
    package mutating func settle(_ unplaced: [Int64: Unplaced]) -> Int {
        guard !unplaced.isEmpty, !isTooLong else { return 0 }
        let wanted = Set(unplaced.values.map(\.subscription)).subtracting([[], [UInt8(ascii: "0")]])
        var found = Set<[UInt8]>()
        for purchase in receipts.lazy.flatMap(\.snapshot.purchases) {
            for name in [purchase.transactionID, purchase.originalTransactionID] {
                if let name = name.map({ Array($0.utf8) }), wanted.contains(name) { found.insert(name) }
            }
        }
        listings.formUnion(unplaced.values.filter { found.contains($0.subscription) }.compactMap(\.listing))
        let left = unplaced.filter { !found.contains($0.value.subscription) }
        guard !left.isEmpty else { return 0 }
        anyRefused = true
        count -= left.count
        receipts.removeAll { left[$0.id] != nil }
        if let newest = receipts.first { (newestReceipt, evidenceDate) = (newest.id, newest.snapshot.date) }
        return left.count
    }

    package func history(bundleID: String?, environment: String?, realm: String?) -> PurchaseHistory {
        var history = PurchaseHistory(
            snapshots: receipts.map(\.snapshot), listings: listings, bundleID: bundleID,
            environment: environment.flatMap { ReceiptEnvironment(rawValue: $0.ifASCII) },
            realm: realm.flatMap { TrustAnchorKind(rawValue: $0.ifASCII) })
        history.anyRefused = anyRefused
        return history
    }

    /// Returns, for each verdict, the receipts that take precedence for the transactions of its introductory
    /// answer, at most 100.
    ///
    /// These are the newest receipt if none contains such a transaction: the answer then depends on missing
    /// purchases.
    package func receipts(of verdicts: [ProductVerdict]) -> [[Int64]] {
        let transactions = verdicts.map { $0.introductoryOffer.transactions.map { Array($0.utf8) } }
        let preferred = preferredReceipts(of: Set(transactions.joined()))
        return transactions.map { names in
            let found = Set(names.compactMap { preferred[$0] })
            return found.isEmpty ? [newestReceipt] : Array(found.sorted().prefix(100))
        }
    }

    /// Returns the receipt that takes precedence for each of these transactions.
    private func preferredReceipts(of transactions: Set<[UInt8]>) -> [[UInt8]: Int64] {
        var found: [[UInt8]: Int64] = [:]
        if transactions.isEmpty { return found }
        // For equal dates, a signed transaction takes precedence, then the later expiration.
        var start = receipts.startIndex
        while found.count < transactions.count, start < receipts.endIndex {
            let end =
                receipts[start...].firstIndex { $0.snapshot.date != receipts[start].snapshot.date }
                ?? receipts.endIndex
            var preferred: [[UInt8]: (isSigned: Bool, expires: Timestamp, receipt: Int64)] = [:]
            for (id, _, receipt) in receipts[start..<end] {
                for purchase in receipt.purchases {
                    let name = Array((purchase.transactionID ?? "").utf8)
                    guard transactions.contains(name), found[name] == nil else { continue }
                    let expires = purchase.expiresDate ?? Timestamp(millisecondsSince1970: .min)
                    let isSigned = receipt.form == .signed
                    if let known = preferred[name],
                        known.isSigned == isSigned ? known.expires >= expires : known.isSigned
                    {
                        continue
                    }
                    preferred[name] = (isSigned, expires, id)
                }
            }
            found.merge(preferred.mapValues(\.receipt)) { known, _ in known }
            start = end
        }
        return found
    }
}
