package import AppReceipt

/// One purchase of a history; its text stands in ``PurchaseHistory/text``. One without a purchase date counts
/// as bought before any day that is asked about.
typealias Transaction = PurchaseFacts

extension PurchaseFacts {
    /// Auto-renewable, or where the type is absent, a purchase that expires.
    package var isSubscription: Bool {
        if let type { type == .autoRenewableSubscription } else { expires != nil }
    }

    /// Whether it may have been a subscription of any group: it expires or has a group, and its type is none that the rules know.
    var mayBeSubscription: Bool {
        switch type {
        case .unknown, .undocumented: expires != nil || group != nil
        case nil: group != nil && expires == nil
        case .nonConsumable, .consumable, .nonRenewingSubscription, .autoRenewableSubscription,
            .freeSubscription:
            false
        }
    }

    /// Whether it shows that the customer was a subscriber.
    var showsSubscriber: Bool { isSubscription && (standing == .own || standing == .superseded) }

    /// A free trial, pay as you go or pay up front. Trials set one of two flags, or both, depending on their
    /// year.
    var usedOffer: Bool { isTrial == true || isIntro == true }

    /// A trial, or free under any other offer: no paid period.
    var isUnpaid: Bool { isTrial == true || isFree }

    func wasBought(by instant: Timestamp) -> Bool {
        if let purchased { purchased <= instant } else { true }
    }

    /// The cancellation as it was known at `instant`: one counts from its own instant on.
    func cancellation(by instant: Timestamp) -> Timestamp? {
        if let cancelled, cancelled <= instant { cancelled } else { nil }
    }

    /// When the period ends or ended as known at `instant`: at its expiry or its cancellation, whichever is
    /// first. A subscription without an expiry is over when it is bought: nothing shows that it runs.
    func end(asOf instant: Timestamp) -> Timestamp {
        let cancelled = cancellation(by: instant)
        if let expires { return min(expires, cancelled ?? expires) }
        return cancelled ?? purchased ?? Timestamp(millisecondsSince1970: .min)
    }
}

extension PurchaseFacts.Standing {
    /// - Parameter ownership: `inAppOwnershipType`. The customer's own is what says PURCHASED, or nothing.
    init(ownership: String?) {
        self =
            switch ownership {
            case nil, "PURCHASED": .own
            case "FAMILY_SHARED": .familyShared
            default: .unknownOwner
            }
    }
}
