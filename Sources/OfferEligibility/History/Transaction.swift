package import AppReceipt
import StrictJSON

/// One purchase of a history, with its text in ``PurchaseHistory/text``. A purchase without a date counts as
/// bought before any evaluation date.
typealias Transaction = PurchaseFacts

extension PurchaseFacts {
    /// Whether the purchase is auto-renewable or, if its type is absent, expires.
    package var isSubscription: Bool {
        if let type { type == .autoRenewableSubscription } else { expires != nil }
    }

    /// Whether the purchase may be a subscription. If so, its type is unknown or absent, but it expires, or has a group or an offer.
    var mayBeSubscription: Bool {
        switch type {
        case .unknown, .undocumented:
            expires != nil || group != nil || usedOffer || offer != nil || hasUnknownOffer
        case nil: group != nil && expires == nil
        case .nonConsumable, .consumable, .nonRenewingSubscription, .autoRenewableSubscription,
            .freeSubscription:
            false
        }
    }

    /// Whether the purchase shows that the customer was a subscriber.
    var showsSubscriber: Bool { isSubscription && (standing == .own || standing == .superseded) }

    /// Whether the purchase is a free trial, pay as you go or pay up front. Trials have one of two flags, or
    /// both, depending on their year.
    var usedOffer: Bool { isTrial == true || isIntro == true }

    /// Whether the period is unpaid: a trial, or free under any other offer. Nil if that is unknown. Apple's receipts may list a
    /// trial and the paid period after it as one purchase, which is then longer than the longest trial, a year.
    var isUnpaid: Bool? {
        guard isTrial == true else { return isFree }
        guard let purchased, let expires else { return true }
        return expires.secondsSince1970 - purchased.secondsSince1970 > 367 * 86_400 ? nil : true
    }

    func wasBought(by instant: Timestamp) -> Bool {
        if let purchased { purchased <= instant } else { true }
    }

    /// Returns the cancellation if it took effect by `instant`.
    func cancellation(by instant: Timestamp) -> Timestamp? {
        if let cancelled, cancelled <= instant { cancelled } else { nil }
    }

    /// Returns whether this is a renewal that a switch replaced before it began. A period of its subscription ended when it began, and
    /// it was canceled within a day. In the day before, another product of the subscription was bought, which still ran when the
    /// renewal began. If that was itself upgraded at an unknown date, this may be its successor, unless the ended period was of this
    /// product.
    ///
    /// - Parameters:
    ///   - cancelled: The cancellation, or its earliest possible date.
    ///   - earlier: The purchases of the subscription before this one.
    ///   - isOther: Returns whether a purchase is of another product.
    ///   - isSwitch: Returns whether the customer may have switched to a purchase.
    func isReplacedRenewal(
        cancelled: Timestamp, after earlier: some Sequence<Transaction>, asOf instant: Timestamp,
        isOther: (Transaction) -> Bool, isSwitch: (Transaction) -> Bool
    ) -> Bool {
        let day: Int64 = 86_400
        // The difference of any two dates in seconds is in range.
        guard let start = purchased?.secondsSince1970, cancelled.secondsSince1970 - start <= day
        else { return false }
        let ended = earlier.filter { $0.expires.map { abs($0.secondsSince1970 - start) <= 60 } ?? false }
        guard !ended.isEmpty else { return false }
        let isOfThisProduct = ended.contains { !isOther($0) }
        return earlier.contains { other in
            guard let date = other.purchased, date <= cancelled, start - date.secondsSince1970 <= day,
                other.end(asOf: instant).secondsSince1970 - start > 60
            else { return false }
            return isSwitch(other) && (isOfThisProduct || !other.isUpgraded || other.cancelled != nil)
        }
    }

    /// Returns the end of the period as known at `instant`: its expiration or its cancellation, whichever is
    /// earlier.
    ///
    /// A subscription without an expiration ends at its purchase, because no evidence shows that it runs. Without any date, it ended
    /// before any other.
    func end(asOf instant: Timestamp) -> Timestamp {
        let cancelled = cancellation(by: instant)
        if let expires { return min(expires, cancelled ?? expires) }
        return cancelled ?? purchased ?? Self.unknownEnd
    }

    static let unknownEnd = Timestamp(millisecondsSince1970: .min)
}

extension PurchaseFacts.Standing {
    /// Creates the standing of a purchase. It is the customer's own if the ownership is PURCHASED or absent.
    ///
    /// - Parameter ownership: The `inAppOwnershipType`.
    init(ownership: String?) {
        self =
            switch ownership?.ifASCII {
            case nil, "PURCHASED": .own
            case "FAMILY_SHARED": .familyShared
            default: .unknownOwner
            }
    }
}
