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

    /// Whether the purchase may be a subscription. If so, it expires or has a group, but its type is unknown
    /// or absent.
    var mayBeSubscription: Bool {
        switch type {
        case .unknown, .undocumented: expires != nil || group != nil
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

    /// Returns the end of the period as known at `instant`: its expiration or its cancellation, whichever is
    /// earlier.
    ///
    /// A subscription without an expiration ends at its purchase, because no evidence shows that it runs.
    func end(asOf instant: Timestamp) -> Timestamp {
        let cancelled = cancellation(by: instant)
        if let expires { return min(expires, cancelled ?? expires) }
        return cancelled ?? purchased ?? Timestamp(millisecondsSince1970: .min)
    }
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
