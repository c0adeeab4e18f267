import AppReceipt

/// One purchase of a history: numbers, and text as places in ``PurchaseHistory/text``.
struct Transaction: Sendable {
    var product: TextSlice?
    var id: TextSlice?
    var original: TextSlice?
    /// The promotional or win-back offer that was redeemed.
    var offer: TextSlice?
    /// Nil where the source says nothing: such a purchase counts as bought before any day that is asked about.
    var purchased: Timestamp?
    var expires: Timestamp?
    var cancelled: Timestamp?
    var type: ProductType?
    var isTrial: Bool?
    var isIntro: Bool?
    /// The source itself says that the cancellation was an upgrade.
    var isUpgraded = false

    /// Auto-renewable, or where the type is absent, a purchase that expires.
    var isSubscription: Bool {
        if let type { type == .autoRenewableSubscription } else { expires != nil }
    }

    /// A free trial, pay as you go or pay up front. Trials set one of two flags, or both, depending on their year.
    var usedOffer: Bool { isTrial == true || isIntro == true }

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
