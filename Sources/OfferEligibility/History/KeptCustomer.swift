package import AppReceipt

/// The genuine evidence of one customer, put together as `eligibility --merge` does it: receipts, and whatever else is
/// signed.
package struct KeptCustomer: Sendable {
    /// How often receipts were presented.
    package private(set) var count = 0
    package private(set) var newestReceipt: Int64 = 0
    package private(set) var evidenceDate: Timestamp?
    /// Whether some of the customer's evidence was refused and left out.
    package var anyRefused = false
    /// Each once, however often it was presented; the newest first.
    private var receipts: [(id: Int64, kept: KeptEvidence)] = []
    /// What the receipts of the date that came last were signed over.
    private var contents: (date: Timestamp?, digests: Set<[UInt8]>) = (nil, [])
    private var purchases = 0
    private var listings: Set<APIAnswer.Listing> = []

    /// Purchases in the receipts of one customer; one receipt may hold as many.
    package static let limit = 100_000

    package var isTooLong: Bool { purchases > Self.limit }

    package static let isTooLongBecause = "more than \(limit) purchases"
    package static let ofUnlistedApp = "the catalog does not list the app"

    /// Whether the catalog is scoped and does not list the app.
    package var isOfUnlistedApp = false

    /// Why it is not judged; nil where it is.
    package var unjudged: String? {
        isTooLong ? Self.isTooLongBecause : isOfUnlistedApp ? Self.ofUnlistedApp : nil
    }

    package init() {}

    /// Takes a receipt or another signed object, the newest first.
    /// - Parameters:
    ///   - kind: as an audit's table `receipts` names it.
    ///   - content: what was signed.
    ///   - listing: what the answer lists that it completes; nil also where other objects of that answer may be another
    ///     customer's, as without a subject.
    /// - Returns: whether its purchases are wanted.
    package mutating func take(
        receipt: Int64, kind: String, createdAt: Timestamp?, content: [UInt8]?, listing: APIAnswer.Listing?
    ) -> Bool {
        count += 1
        if let listing { listings.insert(listing) }
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
        receipts.append((receipt, KeptEvidence(form, date: createdAt)))
        return true
    }

    /// Takes what an answer without objects lists.
    package mutating func take(_ listing: APIAnswer.Listing) { listings.insert(listing) }

    /// Takes what the renewal information that was taken last says.
    package mutating func take(_ renewal: KeptRenewal) {
        if !receipts.isEmpty { receipts[receipts.count - 1].kept.renewal = renewal }
    }

    /// Takes a purchase of the receipt that was taken last.
    package mutating func take(_ purchase: KeptPurchase) {
        purchases += 1
        guard !isTooLong else {
            receipts = []
            contents.digests = []
            return
        }
        receipts[receipts.count - 1].kept.purchases.append(purchase)
    }

    /// Renewal information that proves no app.
    package struct Unplaced {
        let subscription: [UInt8]
        let listing: APIAnswer.Listing?

        /// - Parameters:
        ///   - subscription: `originalTransactionId`.
        ///   - listing: the list that the object completes. It counts only if the object counts, so `take` gets nil for it.
        package init(subscription: String?, listing: APIAnswer.Listing?) {
            (self.subscription, self.listing) = (Array((subscription ?? "").utf8), listing)
        }
    }

    /// Leaves out renewal information that proves no app, unless a purchase is of its subscription.
    /// - Parameter unplaced: all that was taken, by the numbers of the receipts.
    /// - Returns: how many pieces are left out.
    package mutating func settle(_ unplaced: [Int64: Unplaced]) -> Int {
        guard !unplaced.isEmpty, !isTooLong else { return 0 }
        let wanted = Set(unplaced.values.map(\.subscription)).subtracting([[], [UInt8(ascii: "0")]])
        var found = Set<[UInt8]>()
        for purchase in receipts.lazy.flatMap(\.kept.purchases) {
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
        if let newest = receipts.first { (newestReceipt, evidenceDate) = (newest.id, newest.kept.date) }
        return left.count
    }

    // MARK: - Answers

    package func history(bundleID: String?, environment: String?, realm: String?) -> PurchaseHistory {
        var history = PurchaseHistory(
            kept: receipts.map(\.kept), listings: listings, bundleID: bundleID,
            environment: environment.flatMap(ReceiptEnvironment.init(rawValue:)),
            realm: realm.flatMap(TrustRealm.init(rawValue:)))
        history.anyRefused = anyRefused
        return history
    }

    /// The receipts that have the last word on what a verdict's introductory answer rests on, as far as a line takes them;
    /// the newest one where it rests on what there is not.
    package func receipts(of verdict: ProductVerdict) -> [Int64] {
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
