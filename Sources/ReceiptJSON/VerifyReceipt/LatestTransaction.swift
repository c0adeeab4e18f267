import AppReceipt
import OfferEligibility

/// One transaction of `latest_receipt_info`: a purchase of the receipt, a signed transaction, or both of one
/// transaction id.
struct LatestTransaction {
    /// The place among the receipt's purchases; nil where the receipt does not list the transaction.
    let purchase: Int?
    /// The newest signed transaction; nil where none was handed in.
    let signed: VerifiedTransaction?
    /// Whether ``signed`` is as new as the receipt or newer, so that its dates count.
    let isSignedNewer: Bool
    /// Auto-renewable, or of no known type and with an end or a group.
    let isSubscription: Bool
    /// Nil where the transaction names none.
    let original: [UInt8]?
    private let newness: [Int64]
    private let id: [UInt8]

    /// A purchase of the receipt.
    /// - Parameter signed: the newest signed transaction of the same transaction id.
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
        newness = newer?.newness ?? Self.newness(facts.purchased, facts.expires)
        id = []
    }

    /// A signed transaction that the receipt does not list.
    init(_ signed: VerifiedTransaction) {
        purchase = nil
        self.signed = signed
        isSignedNewer = true
        isSubscription = signed.isSubscription
        original = signed.original
        newness = signed.newness
        id = signed.id
    }

    fileprivate static func newness(_ purchased: Timestamp?, _ expires: Timestamp?) -> [Int64] {
        [purchased, expires].map { $0?.millisecondsSince1970 ?? .min }
    }

    /// Newest first; of equal dates the receipt's purchases in its order, then by transaction id.
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

    fileprivate var newness: [Int64] { LatestTransaction.newness(purchaseDate, expiresDate) }

    private var hasEndOrGroup: Bool { expiresDate != nil || subscriptionGroupIdentifier != nil }

    /// As of a receipt's purchase; a type that Apple does not document is as good as none.
    var isSubscription: Bool {
        switch productType {
        case .autoRenewableSubscription: true
        case nil, .undocumented, .unknown: hasEndOrGroup
        default: false
        }
    }

    /// Whether it may be a consumable that the app has finished, which no signed transaction tells.
    var mayBeFinishedConsumable: Bool {
        switch productType {
        case .consumable: true
        case nil, .undocumented, .unknown: !hasEndOrGroup
        default: false
        }
    }

    /// Whether it, of two of one transaction id, is the one that counts: the newer, then the one with the later end,
    /// then by its bytes, so that the order in a request decides nothing.
    func counts(before other: VerifiedTransaction) -> Bool {
        let mine = LatestTransaction.newness(verifiedAt, expiresDate)
        let others = LatestTransaction.newness(other.verifiedAt, other.expiresDate)
        if mine != others { return others.lexicographicallyPrecedes(mine) }
        return signed.json.lexicographicallyPrecedes(other.signed.json)
    }
}
