package import AppReceipt

/// One purchase of a history; its text stands in ``PurchaseHistory/text``. One without a purchase date counts
/// as bought before any day that is asked about.
typealias Transaction = PurchaseFacts

extension PurchaseFacts {
    /// Auto-renewable, or where the type is absent, a purchase that expires.
    package var isSubscription: Bool {
        if let type { type == .autoRenewableSubscription } else { expires != nil }
    }

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
