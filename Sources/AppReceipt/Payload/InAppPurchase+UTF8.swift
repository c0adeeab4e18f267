/// A stretch of UTF-8 in a buffer that is kept elsewhere.
package struct TextSlice: Hashable, Sendable {
    package let offset: UInt32
    package let count: UInt32

    package init(offset: Int, count: Int) {
        self.offset = UInt32(truncatingIfNeeded: offset)
        self.count = UInt32(truncatingIfNeeded: count)
    }

    package var range: Range<Int> { Int(offset)..<Int(offset) + Int(count) }
}

/// What the rules of eligibility ask of a purchase: numbers, and text as places in a buffer.
///
/// The text properties of ``InAppPurchase`` make a String each time, which costs more than judging a
/// purchase.
package struct PurchaseFacts: Sendable {
    package var product: TextSlice?
    package var id: TextSlice?
    package var original: TextSlice?
    /// The promotional offer, offer code or win-back offer that was redeemed.
    package var offer: TextSlice?
    /// The subscription group, as a signed transaction names it and no receipt does.
    package var group: TextSlice?
    package var purchased: Timestamp?
    package var expires: Timestamp?
    package var cancelled: Timestamp?
    package var type: InAppProductType?
    package var isTrial: Bool?
    package var isIntro: Bool?
    /// Whether the source itself calls the cancellation an upgrade, as saved answers and signed transactions do and
    /// receipts do not.
    package var isUpgraded = false
    /// Whether it cost nothing, under whatever offer, as a signed transaction tells and no receipt does.
    package var isFree = false
    /// Whether a signed transaction names an offer type that no rule knows: it may be an introductory offer.
    package var hasUnknownOffer = false
    package var standing = Standing.own

    /// Whose purchase it is, and whether it is the last word on it.
    package enum Standing: UInt8, Sendable {
        /// The customer's own.
        case own
        /// A member of the family bought it.
        case familyShared
        /// The App Store names an ownership that no rule knows.
        case unknownOwner
        /// What older evidence told of a purchase that newer evidence tells otherwise.
        case superseded
    }

    package init() {}

    init(_ record: PurchaseRecord) {
        product = TextSlice(record.productID)
        id = TextSlice(record.transactionID)
        original = TextSlice(record.originalTransactionID)
        offer = TextSlice(record.promotionalOfferIdentifier)
        purchased = record.purchaseDate.value
        expires = record.expiresDate.value
        cancelled = record.cancellationDate.value
        type = record.productType.map(InAppProductType.init)
        isTrial = record.isTrialPeriod
        isIntro = record.isInIntroOfferPeriod
    }
}

extension ReceiptPayload {
    /// Attribute 2 as a place in ``bytes``.
    package var bundleIDSlice: TextSlice? { TextSlice(storage.app.bundleID) }

    /// The facts of every purchase, in the receipt's order; their text stands in ``bytes``.
    package var purchaseFacts: [PurchaseFacts] { storage.purchases.map { PurchaseFacts($0) } }
}

extension TextSlice {
    fileprivate init?(_ slice: PayloadSlice) {
        guard let range = slice.range else { return nil }
        self.init(offset: range.lowerBound, count: range.count)
    }
}
