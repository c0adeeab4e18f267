/// The facts that the rules use: purchases, uncatalogued purchases and renewal information of one group.
struct RuleInput: Sendable {
    /// Whether a group contains the product.
    var isCatalogued = true
    /// Whether the evaluation date is a clock reading from before the newest evidence.
    var clockIsWrong = false

    /// Whether the customer bought a subscription of the group.
    var hasHistory = false
    /// Whether an uncatalogued purchase may belong to the group.
    var hasUncatalogued = false
    /// Whether such a purchase ends after the group's last period.
    var hasLaterUncatalogued = false
    /// Whether the customer, or an unknown owner, bought a subscription in a group that Apple joins with this
    /// one.
    var hasJoinedHistory = false
    /// Whether a period, a grace period or billing retry runs in a group that Apple joins with this one.
    var isJoinedActive = false
    /// Whether the customer bought a subscription of the app, in any group.
    var hasSubscriptionInApp = false
    /// Whether a subscription of the group has an unknown owner.
    var hasUnknownOwner = false
    /// Whether such a subscription ends after the customer's last period.
    var hasLaterUnknownOwner = false
    /// Whether a subscription of the app, in any group, has an unknown owner.
    var hasUnknownOwnerInApp = false
    /// The extent to which the evidence lists the customer's purchases.
    var coverage = PurchaseCoverage.complete
    /// Whether the evidence may lack renewals in the group.
    var mayLackRenewals = false
    /// Whether the evidence shows a purchase or a refund that it does not contain, see ``SignedFacts/showsMissingEvidence``.
    var showsMissingEvidence = false
    /// Whether renewal information states a later period of which the evidence has no purchase, and whether that
    /// period runs.
    var hasUnlistedPeriod = false
    var isUnlistedRunning = false

    /// Whether a purchase has the trial or the intro flag.
    var usedOffer = false
    /// Whether a purchase is under an offer of an unknown type, or renewal information states an introductory offer.
    var hasUnknownOffer = false
    /// Whether a period is running, for any owner.
    var isRunning = false
    /// Whether a purchase was canceled, but not by a switch.
    var wasRefunded = false
    /// Whether a purchase was canceled for an unknown reason.
    var mayBeRefunded = false
    /// Whether the last period, or a shared one, is over and may have renewed since.
    var renewalPossible = false
    /// Whether a win-back offer has that doubt. It has not if unsigned information decides: that has no date, so it may be newer
    /// than a renewal.
    var mayHaveRenewedSinceInformation = false
    /// Whether a period of a shared subscription may be missing, see ``SignedFacts/mayHaveSharedRenewal``.
    var mayHaveSharedRenewal = false
    /// Whether the last period ended by a cancellation for an unknown reason, after which the customer may be a subscriber.
    var hasUnknownEnd = false

    var isInGracePeriod = false
    var isInBillingRetry = false
    /// Whether the subscription will renew, or nil if no renewal information states it.
    var willRenew: Bool?
    var renewalIsSigned = false
    /// Whether renewal information signed after the lapse lists a win-back offer. Nil if there is no such
    /// list.
    var hasAppleOffers: Bool?
    /// Whether the catalog lists all these offers for other products or dates, and none for this product and date.
    var areAppleOffersOfOthers = false
    /// Whether older evidence of a subscription in the group conflicts with newer evidence.
    var hasSuperseded = false
    /// Whether the customer meets the criteria of a win-back offer, or nil if this is unknown.
    var meetsWinBackCriteria: Bool?

    var policies = OfferPolicies()

    /// Whether facts of groups that Apple joins with this one may decide about win-back offers.
    var hasJoinedFacts: Bool { hasJoinedHistory || isJoinedActive }

    /// Whether the customer subscribed before and no longer does.
    var hasLapsed: Bool { hasHistory && !isRunning && !isInGracePeriod && !isInBillingRetry }

    /// Whether the group's own purchases allow a win-back offer.
    var mayGetWinBackOffer: Bool { hasLapsed && (willRenew == false || hasAppleOffers == true) }

    /// Whether the customer is or was a subscriber of the group, or of the app if the policy says so.
    var isSubscriberInScope: Bool {
        hasHistory || hasSuperseded || (policies.promotionalScope == .app && hasSubscriptionInApp)
    }

    /// Whether a subscription of the group, or of the app if the policy says so, has an unknown owner.
    var hasUnknownOwnerInScope: Bool {
        hasUnknownOwner || (policies.promotionalScope == .app && hasUnknownOwnerInApp)
    }

    /// Whether purchases may be missing.
    var isPartial: Bool { coverage < .complete || mayLackRenewals }

    /// Whether partial evidence leaves answers undetermined: by the policy, or because an unlisted period runs.
    var isTooPartial: Bool {
        isUnlistedRunning || (isPartial || showsMissingEvidence) && policies.partialEvidence == .undetermined
    }

    /// Whether missing purchases leave the months of win-back criteria unknown.
    var areMonthsUnknown: Bool { hasUnlistedPeriod || isTooPartial }

    /// Returns the outcome of a rule that depends on missing purchases.
    func unlessPartial(_ outcome: OfferOutcome) -> OfferOutcome { isTooPartial ? .undetermined : outcome }

    /// Returns the outcome of a rule that depends on renewals since the evidence.
    func unlessStale(_ outcome: OfferOutcome) -> OfferOutcome {
        (renewalPossible || mayHaveSharedRenewal) && policies.staleEvidence == .undetermined
            ? .undetermined : outcome
    }
}
