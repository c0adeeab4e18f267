/// Everything that the rules look at, reduced to what they ask: T, U and the renewal information of one
/// group.
struct Situation: Sendable {
    /// A group lists the product.
    var isCatalogued = true
    /// The question is a clock reading from before the receipt's creation.
    var clockIsWrong = false

    /// T is not empty.
    var hasHistory = false
    /// U is not empty.
    var hasUncatalogued = false
    /// Some subscription of the app, whatever its group, was bought.
    var hasSubscriptionInApp = false
    /// A subscription of the group has an owner that no rule knows.
    var hasUnknownOwner = false
    /// A subscription of the app, whatever its group, has one.
    var hasUnknownOwnerInApp = false
    /// How much the evidence lists of what the customer bought.
    var coverage = PurchaseCoverage.complete

    /// Some t in T has the trial or the intro flag.
    var usedOffer = false
    /// Some t in T is under an offer of a type that no rule knows.
    var hasUnknownOffer = false
    /// Some t in T runs, or a subscription that the family shares.
    var isRunning = false
    /// Some t in T was cancelled, and not by a switch.
    var wasRefunded = false
    /// The last period of T is over, and the evidence does not show that it was not renewed.
    var renewalPossible = false

    var isInGracePeriod = false
    var isInBillingRetry = false
    /// Nil where no renewal information says it.
    var willRenew: Bool?
    /// What is said of renewals is signed.
    var renewalIsSigned = false
    /// Whether the App Store itself names win-back offers since the lapse; nil where it says nothing of them.
    var hasAppleOffers: Bool?
    /// Older evidence told of a subscription of the group that newer evidence tells otherwise.
    var hasSuperseded = false
    /// Whether the customer meets the criteria of some win-back offer; nil where the catalogue doesn't know
    /// them.
    var meetsWinBackCriteria: Bool?

    var policies = OfferPolicies()

    /// Subscribed before, and no longer.
    var hasLapsed: Bool { hasHistory && !isRunning && !isInGracePeriod && !isInBillingRetry }

    /// Subscribed now or before, in the group or the app, as the policy says.
    var isSubscriberInScope: Bool {
        hasHistory || hasSuperseded || (policies.promotionalScope == .app && hasSubscriptionInApp)
    }

    /// A subscription has an owner that no rule knows, in the group or the app, as the policy says.
    var hasUnknownOwnerInScope: Bool {
        hasUnknownOwner || (policies.promotionalScope == .app && hasUnknownOwnerInApp)
    }

    /// The outcome of a rule that rests on what the evidence does not list.
    func unlessPartial(_ outcome: OfferOutcome) -> OfferOutcome {
        coverage < .complete && policies.partialEvidence == .undetermined ? .undetermined : outcome
    }
}

/// What a table of rules said about a situation.
struct Decision: Hashable, Sendable {
    var outcome: OfferOutcome
    var rule: OfferRuleID
    var certainty: OfferCertainty?
    var findings = RuleSet()
}
