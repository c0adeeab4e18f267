public import AppReceipt
import StrictJSON

extension PurchaseHistory {
    /// Creates one history from all evidence of a customer, in any order.
    ///
    /// The evidence may be receipts, signed transactions, renewal information, app transactions,
    /// notifications and transaction receipts. Duplicates count once.
    ///
    /// The transaction identifier identifies a purchase; "0" and absent identifiers identify none. The newest
    /// evidence of a purchase takes precedence, then the signed transaction, then the later expiration.
    /// Group, ownership and upgrade, which no app receipt contains, come from the newest signed transaction.
    /// An offer that any evidence shows as used stays used. If evidence of one date conflicts, the verdicts
    /// have ``OfferCaveat/conflictingEvidence``.
    ///
    /// An app receipt lists all purchases, a signed transaction only one. A complete response of Get
    /// Transaction History or Get All Subscription Statuses also lists all. For such a response, pass all its
    /// objects, and name it in `listings`. Apple does not sign the response, so use a response to your own
    /// server's call. Without such evidence, the verdicts have ``OfferCaveat/partialEvidence``. The objects
    /// in a notification are separate evidence: verify and pass them, too.
    ///
    /// - Parameters:
    ///   - objects: The verified objects. Renewal information names no app, so the caller vouches for its
    ///     app.
    ///   - listings: The listings, `APIAnswer.Element.listing`, of responses whose objects were all verified
    ///     and are all among the evidence. A transaction history is complete only under two conditions. The
    ///     evidence contains no page that others follow, and it contains each subscription's first
    ///     transaction.
    ///   - anyRefused: Whether some evidence was refused and left out. The verdicts then have
    ///     ``OfferCaveat/evidenceRefused``.
    /// - Throws: ``HistoryMergeError`` if apps, Apple Accounts, environments or trust anchor kinds differ, with the indices
    ///   of both objects in `objects`. An unknown environment differs from every other.
    public init(
        evidence objects: [VerifiedObject], listings: Set<APIAnswer.Listing> = [], anyRefused: Bool = false
    ) throws(HistoryMergeError) {
        var contents = Set<[UInt8]>()
        let places = objects.indices.filter {
            objects.count == 1 || contents.insert(objects[$0].content).inserted
        }
        try self.init(objects: places.map { ObjectEvidence(objects[$0]) }, listings, at: places)
        self.anyRefused = anyRefused
    }

    init(
        objects evidence: [ObjectEvidence], _ listings: Set<APIAnswer.Listing> = [], at places: [Int]? = nil
    ) throws(HistoryMergeError) {
        // A single receipt is merged only if it may list a purchase twice.
        if evidence.count == 1, evidence[0].form == .receipt, !evidence[0].history.mayRepeatPurchases {
            self = evidence[0].history
            return
        }
        let histories = evidence.map(\.history)
        try Self.requireOneOrigin(histories, at: places)
        var merger = EvidenceMerger(bundleID: try Self.requireOneApp(histories, at: places), listings)
        let account = try Self.requireOneAccount(histories, at: places)
        for object in evidence { merger.add(object) }
        self = merger.history()
        self.account = slice(account)
    }

    /// Whether two transactions may have the same identifier. True if two do, and very rarely if none do.
    ///
    /// Every answer about a single receipt needs this check. It therefore takes only nanoseconds for each
    /// purchase and does not compare all pairs of purchases.
    var mayRepeatPurchases: Bool {
        guard transactions.count > 1 else { return false }
        let bits = Int.bitWidth - (2 * transactions.count).leadingZeroBitCount
        var table = [UInt64](repeating: 0, count: 1 << bits)
        let text = text.span
        for transaction in transactions {
            guard let id = transaction.id?.range, !id.isEmpty else { continue }
            // The key differs for each number of up to 16 digits.
            var key: UInt64 = 0
            for place in id { key = (key &<< 4 | key &>> 60) ^ UInt64(text[place]) }
            if id.count == 1, key == UInt8(ascii: "0") { continue }
            guard key != 0 else { return true }
            var place = Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) &>> UInt64(64 - bits))
            var probes = 0
            while table[place] != 0 {
                guard table[place] != key, probes < 32 else { return true }
                place = (place + 1) & (table.count - 1)
                probes += 1
            }
            table[place] = key
        }
        return false
    }

    /// The identifiers of transactions and of first transactions, which renewal information may refer to.
    package var transactionNames: Set<[UInt8]> {
        var names = Set<[UInt8]>()
        for transaction in transactions {
            for name in [transaction.id, transaction.original].compactMap(\.self) {
                names.insert(Array(text[name.range]))
            }
        }
        return names.subtracting([[], [UInt8(ascii: "0")]])
    }
}

extension PurchaseHistory {
    /// Returns the facts about a purchase after copying their text. Does not append the transaction.
    mutating func facts(
        of purchase: some AppStorePurchase, group: String?, ownership: String?
    ) -> Transaction {
        var facts = Transaction()
        facts.product = slice(purchase.productID)
        facts.id = slice(purchase.transactionID)
        facts.original = slice(purchase.originalTransactionID)
        facts.offer = slice(purchase.promotionalOfferIdentifier)
        facts.purchased = purchase.purchaseDate
        facts.expires = purchase.expiresDate
        facts.cancelled = purchase.cancellationDate
        facts.take(reason: purchase.cancellationReason)
        facts.type = purchase.productType
        facts.isTrial = purchase.isTrialPeriod
        facts.isIntro = purchase.isInIntroOfferPeriod
        facts.settleTrial()
        facts.take(group: slice(group?.unlessUnnamed), ownership: ownership)
        return facts
    }
}

/// Returns the identifier of a promotional offer, offer code or win-back offer. Introductory offers have
/// none.
func redeemedOffer(_ identifier: String?, ofType type: Int64?) -> String? {
    switch type {
    case 2, 3, 4: identifier
    default: nil
    }
}

extension Transaction {
    /// Sets the facts that signed transactions and transaction receipts contain and app receipts do not.
    mutating func take(group: TextSlice?, ownership: String?) {
        self.group = group
        standing = Standing(ownership: ownership)
    }

    /// Sets the facts that only signed transactions contain.
    /// - Parameters:
    ///   - offer: The offer that the identifier names, if the type is that of an offer with a name.
    ///   - share: The refunded share in thousandths of a percent.
    mutating func take(
        offer: TextSlice?, identifier: String?, ofType type: Int64?, discount: String?, isUpgraded: Bool?,
        revocation: String?, share: Int64?
    ) {
        self.offer = offer
        isPartlyRefunded = share.map { $0 < 100_000 } ?? false
        // An identifier or a discount without a type is an unknown offer, too.
        hasUnknownOffer =
            type.map { !(1...4).contains($0) } ?? [identifier, discount].contains { $0?.isEmpty == false }
        hasUnknownRevocation =
            revocation.map { !["", "REFUND_FULL", "REFUND_PRORATED", "FAMILY_REVOKE"].contains($0.ifASCII) }
            ?? false
        self.isUpgraded = isUpgraded ?? false
        isFree =
            switch discount?.ifASCII {
            case "FREE_TRIAL": true
            case "PAY_AS_YOU_GO", "PAY_UP_FRONT", "ONE_TIME": false
            // Transactions with an offer that Apple signed before 2024 do not state the type of the discount.
            case nil: type == nil ? false : nil
            default: nil
            }
    }
}

extension VerifiedObject {
    /// The signed content, which identifies the object. The bytes around the content do not: a JWS has two
    /// valid signatures, and a receipt may have many containers.
    fileprivate var content: [UInt8] {
        switch self {
        case .receipt(let receipt): receipt.payload.bytes
        case .transactionReceipt(let receipt):
            receipt.members.flatMap { [$0, $1] }.flatMap { Array($0.utf8) + [0] }
        case .transaction, .renewalInfo, .appTransaction, .notification, .realtimeRequest:
            jws?.signed.json ?? []
        }
    }

    /// The bundle ID in the object. Nil for renewal information and realtime requests, which name none.
    package var bundleID: String? {
        switch self {
        case .receipt(let receipt): receipt.payload.bundleID
        case .transactionReceipt(let receipt): receipt.bundleID
        case .transaction, .renewalInfo, .appTransaction, .notification, .realtimeRequest: jws?.bundleID
        }
    }
}

extension VerifiedObject {
    /// The Apple Account in the object: `appTransactionId`, which each Apple Account has once per app.
    package var appTransactionID: String? {
        switch self {
        case .transaction(let transaction): transaction.appTransactionID
        case .renewalInfo(let information): information.appTransactionID
        case .appTransaction(let transaction): transaction.appTransactionID
        case .receipt, .transactionReceipt, .notification, .realtimeRequest: nil
        }
    }
}

extension String {
    /// The identifier, or nil if it is empty or "0", which Xcode writes for absent names.
    package var unlessUnnamed: String? { isEmpty || isExactly("0") ? nil : self }
}
