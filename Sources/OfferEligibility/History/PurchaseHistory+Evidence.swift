public import AppReceipt

extension PurchaseHistory {
    /// One history of all the evidence of a customer, in any order: receipts, signed transactions and renewal
    /// information, app transactions, notifications, transaction receipts.
    ///
    /// A purchase is the same where its transaction id is; "0" and absent ones name none. The newest evidence has the
    /// last word on it, of equal dates the signed transaction, then the later expiry. What no receipt says (group,
    /// ownership, upgrade) stays as the newest signed transaction has it, and an offer that was once told as used stays
    /// used. Where evidence of one date disagrees, the verdicts carry ``OfferCaveat/toldDifferently``. Evidence that is given
    /// twice counts once.
    ///
    /// A signed transaction shows one purchase, where an app receipt shows them all, and so does a complete answer of Get
    /// Transaction History or Get All Subscription Statuses: hand in all its objects, and say so in `listings`. Apple does
    /// not sign the answer, so take it from your own server's call. Without either, the verdicts carry
    /// ``OfferCaveat/partialEvidence``. What a notification carries is evidence of its own; verify it and hand it in too.
    ///
    /// - Parameters:
    ///   - objects: what was verified. Renewal information names no app: whose it is, the caller says.
    ///   - listings: what the answers say that they list of which every object was verified and is among the evidence:
    ///     `APIAnswer.Element.listing`. A history counts as complete where the evidence holds no page that others
    ///     follow, and the first transaction of each subscription.
    ///   - anyRefused: whether something that was to be evidence was refused and is left out; the verdicts say so with
    ///     ``OfferCaveat/evidenceRefused``.
    /// - Throws: ``HistoryMergeError`` where the pieces are of different apps, environments or realms, naming both by
    ///   their places in `objects`. An unknown environment is like no other.
    public init(
        evidence objects: [VerifiedObject], listings: Set<APIAnswer.Listing> = [], anyRefused: Bool = false
    ) throws(HistoryMergeError) {
        var contents = Set<[UInt8]>()
        let places = objects.indices.filter {
            objects.count == 1 || contents.insert(objects[$0].content).inserted
        }
        do throws(HistoryMergeError) {
            try self.init(pieces: places.map { EvidencePiece(objects[$0]) }, listings)
        } catch {
            throw error.renumbered { places[$0] }
        }
        self.anyRefused = anyRefused
    }

    init(
        pieces: [EvidencePiece], _ listings: Set<APIAnswer.Listing> = []
    ) throws(HistoryMergeError) {
        // One receipt is what it always was, unless it tells of one purchase twice.
        if pieces.count == 1, pieces[0].form == .receipt, !pieces[0].history.mayRepeatPurchases {
            self = pieces[0].history
            return
        }
        let histories = pieces.map(\.history)
        try Self.requireOneOrigin(histories)
        var merge = EvidenceMerge(bundleID: try Self.requireOneApp(histories), listings)
        for piece in pieces { merge.take(piece) }
        self = merge.history()
    }

    /// Whether two transactions may have one id: true where they have, and hardly ever where they have not. Every answer about
    /// one receipt asks it, so it takes some nanoseconds a purchase, and never compares many.
    var mayRepeatPurchases: Bool {
        guard transactions.count > 1 else { return false }
        let bits = Int.bitWidth - (2 * transactions.count).leadingZeroBitCount
        var table = [UInt64](repeating: 0, count: 1 << bits)
        let text = text.span
        for transaction in transactions {
            guard let id = transaction.id?.range, !id.isEmpty else { continue }
            // Another one for each number of up to 16 digits.
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

    /// The names of transactions and of first transactions in the history: what renewal information may speak of.
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

/// How evidence tells of purchases.
package enum EvidenceForm: Sendable {
    /// A PKCS #7 receipt: it lists every subscription that the customer had when it was created.
    case receipt
    /// JWS.
    case signed
    case transactionReceipt
}

/// What one verified object tells by itself.
struct EvidencePiece: Sendable {
    let history: PurchaseHistory
    let form: EvidenceForm
    var renewal: SignedRenewal?
}

extension EvidencePiece {
    init(_ object: VerifiedObject) {
        var builder = HistoryBuilder()
        var renewal: SignedRenewal?
        switch object {
        case .receipt(let receipt):
            self.init(history: PurchaseHistory(receipt), form: .receipt)
            return
        case .transaction(let transaction):
            var facts = builder.facts(of: transaction)
            facts.take(
                group: builder.slice(transaction.subscriptionGroupIdentifier?.unlessUnnamed),
                ownership: transaction.inAppOwnershipType)
            facts.take(
                offer: builder.slice(
                    redeemedOffer(transaction.offerIdentifier, ofType: transaction.offerType)),
                ofType: transaction.offerType, isUpgraded: transaction.isUpgraded,
                discount: transaction.offerDiscountType)
            builder.append(facts)
            builder.coverage = .single
        case .transactionReceipt(let receipt):
            var facts = builder.facts(of: receipt)
            facts.take(
                group: builder.slice(receipt.subscriptionGroupIdentifier?.unlessUnnamed),
                ownership: receipt.inAppOwnershipType)
            builder.append(facts)
            builder.coverage = .single
        case .renewalInfo(let information): renewal = SignedRenewal(information)
        case .appTransaction, .notification, .realtimeRequest: break
        }
        builder.bundle = builder.slice(object.bundleID)
        builder.environment = object.object.environment
        builder.realm = object.object.realm
        builder.evidenceDate = object.object.verifiedAt
        self.init(
            history: builder.history, form: object.jws == nil ? .transactionReceipt : .signed,
            renewal: renewal)
    }
}

extension HistoryBuilder {
    fileprivate mutating func facts(of purchase: some AppStorePurchase) -> Transaction {
        var facts = Transaction()
        facts.product = slice(purchase.productID)
        facts.id = slice(purchase.transactionID)
        facts.original = slice(purchase.originalTransactionID)
        facts.offer = slice(purchase.promotionalOfferIdentifier)
        facts.purchased = purchase.purchaseDate
        facts.expires = purchase.expiresDate
        facts.cancelled = purchase.cancellationDate
        facts.type = purchase.productType
        facts.isTrial = purchase.isTrialPeriod
        facts.isIntro = purchase.isInIntroOfferPeriod
        return facts
    }
}

/// Promotional offers, offer codes and win-back offers have a name; introductory offers have none.
func redeemedOffer(_ identifier: String?, ofType type: Int64?) -> String? {
    switch type {
    case 2, 3, 4: identifier
    default: nil
    }
}

extension Transaction {
    /// Takes the members of signed transactions and transaction receipts that no receipt has.
    mutating func take(group: TextSlice?, ownership: String?) {
        self.group = group
        standing = Standing(ownership: ownership)
    }

    /// Takes the members that signed transactions alone have.
    mutating func take(offer: TextSlice?, ofType type: Int64?, isUpgraded: Bool?, discount: String?) {
        self.offer = offer
        hasUnknownOffer = type.map { !(1...4).contains($0) } ?? false
        self.isUpgraded = isUpgraded ?? false
        isFree = discount == "FREE_TRIAL"
    }
}

extension VerifiedObject {
    /// The signed content, which identifies the object: a JWS has two valid signatures, and a receipt many containers.
    fileprivate var content: [UInt8] {
        switch self {
        case .receipt(let receipt): receipt.payload.bytes
        case .transactionReceipt(let receipt):
            receipt.members.flatMap { [$0, $1] }.flatMap { Array($0.utf8) + [0] }
        case .transaction, .renewalInfo, .appTransaction, .notification, .realtimeRequest:
            jws?.signed.json ?? []
        }
    }

    /// The bundle ID that it names; renewal information and realtime requests name none.
    package var bundleID: String? {
        switch self {
        case .receipt(let receipt): receipt.payload.bundleID
        case .transactionReceipt(let receipt): receipt.bundleID
        case .transaction, .renewalInfo, .appTransaction, .notification, .realtimeRequest: jws?.bundleID
        }
    }
}

extension String {
    /// Xcode writes "0" for what has no name.
    var unlessUnnamed: String? { isEmpty || self == "0" ? nil : self }
}
