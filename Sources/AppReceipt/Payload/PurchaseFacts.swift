/// The values of a purchase that the eligibility rules use: numbers, and text as ranges of a buffer.
///
/// The text properties of ``InAppPurchase`` create a String on each access, which costs more than evaluating
/// a purchase.
package struct PurchaseFacts: Sendable {
    package var product: TextSlice?
    package var id: TextSlice?
    package var original: TextSlice?
    /// The promotional offer, offer code or win-back offer that was redeemed.
    package var offer: TextSlice?
    /// The subscription group, which signed transactions name and receipts do not.
    package var group: TextSlice?
    package var purchased: Timestamp?
    package var expires: Timestamp?
    package var cancelled: Timestamp?
    /// The earliest cancellation, if evidence of one date differs. The purchase counts as refunded from this date
    /// on, regardless of ``cancelled``.
    package var contestedCancellation: Timestamp?
    package var type: InAppProductType?
    package var isTrial: Bool?
    package var isIntro: Bool?
    /// Whether the source states that the cancellation is an upgrade. Saved verifyReceipt responses and
    /// signed transactions state it, receipts do not.
    package var isUpgraded = false
    /// Whether the purchase was free under any offer, which signed transactions show. Receipts show it only of trials and offers
    /// with an identifier. Nil if the transaction names an unknown discount type.
    package var isFree: Bool? = false
    /// Whether the type of the offer is unknown, which may be introductory. A signed transaction names a type that no rule knows, or
    /// a receipt has the trial flag and an offer with an identifier.
    package var hasUnknownOffer = false
    /// Whether the purchase was cancelled for a reason that no rule knows, as after a switch to a subscription bundle. That is
    /// neither known to be a refund nor known not to be one.
    package var hasUnknownReason = false
    /// Whether a signed transaction states an unknown kind of revocation.
    package var hasUnknownRevocation = false
    /// Whether a signed transaction states that only a part of the price was refunded.
    package var isPartlyRefunded = false
    package var standing = Standing.own

    /// The ownership of the purchase, and whether newer evidence supersedes it.
    package enum Standing: UInt8, Sendable {
        /// The customer's own.
        case own
        /// A family member's own purchase, shared with the customer.
        case familyShared
        case unknownOwner
        /// Older evidence of a purchase that conflicts with newer evidence.
        case superseded
    }

    package init() {}

    /// Settles what the trial flag means. Apple's receipts also set it for free periods under other offers, whose identifier they
    /// state. It is known of offer codes, and not of promotional offers.
    /// - Parameter isOfferCode: Whether the evidence states that the offer is an offer code.
    package mutating func settleTrial(isOfferCode: Bool = false) {
        guard isTrial == true, isIntro != true, isOfferCode || offer.map({ $0.count > 0 }) == true else {
            return
        }
        (isTrial, isFree, hasUnknownOffer) = (false, true, !isOfferCode)
    }

    /// Sets whether a reason for a cancellation is unknown.
    package mutating func take(reason: Int64?) {
        hasUnknownReason = reason.map { !(0...1).contains($0) } ?? false
    }

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
        settleTrial()
        take(reason: record.cancellationReason)
    }
}
