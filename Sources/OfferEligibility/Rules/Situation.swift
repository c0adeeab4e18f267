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

    /// Some t in T has the trial or the intro flag.
    var usedOffer = false
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
}

/// What a table of rules said about a situation.
struct Decision: Hashable, Sendable {
    var outcome: OfferOutcome
    var rule: OfferRuleID
    var certainty: OfferCertainty?
    var findings = RuleSet()
}
