import AppReceipt
import OfferEligibility
import StrictJSON

/// One transaction of `latest_receipt_info`: a purchase of the receipt, a signed transaction, or both with
/// the same transaction ID or period.
struct LatestTransaction {
    /// The index among the receipt's purchases, or nil if the receipt does not list the transaction.
    let purchase: Int?
    /// The newest signed transaction, or nil if the request has none.
    let signed: VerifiedTransaction?
    /// Whether ``signed`` is at least as new as the receipt. Its values then take precedence.
    let isSignedNewer: Bool
    /// Whether the purchase is an auto-renewable subscription. A receipt's purchase without a type is one if
    /// it has an expiry date. For signed transactions, see ``VerifiedTransaction/isSubscription``.
    let isSubscription: Bool
    /// The original transaction ID, or nil if the transaction names none.
    let original: [UInt8]?
    /// The purchase date and the end.
    let (purchased, expires): (Timestamp?, Timestamp?)
    private let cancelled: Timestamp?
    private let isUpgraded: Bool
    private let product: [UInt8]?
    /// The date of the newer evidence: the receipt's creation, or the signing date.
    private let evidenceDate: Timestamp
    private let newness: [Int64]
    private let id: [UInt8]

    /// Creates the entry of a purchase of the receipt.
    /// - Parameter signed: The newest signed transaction with the same transaction ID or period.
    init(
        _ purchase: Int, _ facts: PurchaseFacts, in payload: ReceiptPayload,
        signed: VerifiedTransaction? = nil
    ) {
        self.purchase = purchase
        self.signed = signed
        isSignedNewer = signed.map { $0.verifiedAt >= payload.app.creationDate } ?? false
        let newer = isSignedNewer ? signed : nil
        isSubscription = newer?.isSubscription ?? facts.isSubscription
        let bytes = payload.bytes
        original =
            newer.map(\.original) ?? facts.original.flatMap { $0.count > 0 ? Array(bytes[$0.range]) : nil }
        (purchased, expires) =
            newer.map { ($0.purchaseDate, $0.expiresDate) } ?? (facts.purchased, facts.expires)
        // A receipt contains the date of an upgrade. A signed transaction may state only that there was one.
        cancelled =
            newer.map { $0.cancellationDate ?? ($0.isUpgraded == true ? facts.cancelled : nil) }
            ?? facts.cancelled
        isUpgraded = signed?.isUpgraded == true
        product = newer.map(\.product) ?? facts.product.map { Array(bytes[$0.range]) }
        evidenceDate = newer?.verifiedAt ?? payload.app.creationDate
        newness = Self.newness(purchased, expires)
        id = []
    }

    /// Creates the entry of a signed transaction that the receipt does not list.
    init(_ signed: VerifiedTransaction) {
        purchase = nil
        self.signed = signed
        isSignedNewer = true
        isSubscription = signed.isSubscription
        original = signed.original
        (purchased, expires) = (signed.purchaseDate, signed.expiresDate)
        cancelled = signed.cancellationDate
        isUpgraded = signed.isUpgraded == true
        product = signed.product
        evidenceDate = signed.verifiedAt
        newness = Self.newness(purchased, expires)
        id = signed.id
    }

    /// Returns whether an upgrade to the other period replaced this renewal, which had been charged ahead, before it began.
    ///
    /// The other period is of another product, was bought in the day before this one began, and still ran at that time. This one is
    /// stated as upgraded, or was cancelled by then. Without a cancellation, evidence from before the other purchase is enough.
    func isReplaced(by other: LatestTransaction) -> Bool {
        guard let start = purchased, let otherStart = other.purchased,
            let otherEnd = other.cancelled ?? other.expires, product != other.product,
            otherStart < start, start < otherEnd,
            start.secondsSince1970 <= otherStart.secondsSince1970 + 86_400 + 60
        else { return false }
        let isRenewal = signed?.transactionReason?.isExactly("PURCHASE") != true
        return isUpgraded && !other.isUpgraded && isRenewal
            || cancelled.map { $0 <= start } ?? (evidenceDate < otherStart)
    }

    /// Returns whether renewal information is from after the charge of this period, or after its cancellation.
    func wasCharged(before renewal: VerifiedRenewalInfo) -> Bool {
        if let cancelled, cancelled <= renewal.verifiedAt { return true }
        return SignedRenewal(renewal).isCurrent(forPeriodFrom: purchased, until: expires)
    }

    fileprivate static func newness(_ purchased: Timestamp?, _ expires: Timestamp?) -> [Int64] {
        [purchased, expires].map { $0?.millisecondsSince1970 ?? .min }
    }

    /// Returns whether `first` sorts before `second`: newest first. For equal dates, the receipt's purchases
    /// come first in its order, then the others by transaction ID.
    static func areInOrder(_ first: LatestTransaction, _ second: LatestTransaction) -> Bool {
        if first.newness != second.newness { return second.newness.lexicographicallyPrecedes(first.newness) }
        let (one, other) = (first.purchase ?? .max, second.purchase ?? .max)
        return one == other ? first.id.lexicographicallyPrecedes(second.id) : one < other
    }
}

extension VerifiedTransaction {
    var id: [UInt8] { Array((transactionID ?? "").utf8) }

    fileprivate var original: [UInt8]? {
        originalTransactionID.flatMap { $0.isEmpty ? nil : Array($0.utf8) }
    }

    fileprivate var product: [UInt8]? { productID.map { Array($0.utf8) } }

    private var hasEndOrGroup: Bool { expiresDate != nil || subscriptionGroupIdentifier != nil }

    /// Whether it is an auto-renewable subscription. Without a documented type, it is one if it has an expiry
    /// date or a group.
    var isSubscription: Bool {
        productType == .autoRenewableSubscription || isOfUnknownType && hasEndOrGroup
    }

    /// The identity of its period. Nil if it is not a subscription, or names no original transaction.
    var period: PeriodIdentity? {
        isSubscription
            ? PeriodIdentity(original: original, product: product, purchased: purchaseDate) : nil
    }

    /// Whether it may be a consumable that the app has finished. A signed transaction does not state this.
    var mayBeFinishedConsumable: Bool { productType == .consumable || isOfUnknownType && !hasEndOrGroup }

    private var isOfUnknownType: Bool {
        switch productType {
        case nil, .undocumented, .unknown: true
        default: false
        }
    }

    /// Returns whether this transaction takes precedence over another with the same transaction ID. The newer
    /// one does, then one with a later expiry date. Otherwise, the bytes decide, so the order in a request
    /// has no effect.
    func counts(before other: VerifiedTransaction) -> Bool {
        let mine = LatestTransaction.newness(verifiedAt, expiresDate)
        let others = LatestTransaction.newness(other.verifiedAt, other.expiresDate)
        if mine != others { return others.lexicographicallyPrecedes(mine) }
        return signed.json.lexicographicallyPrecedes(other.signed.json)
    }
}
