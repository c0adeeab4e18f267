/// The decision of a table of rules on an input.
struct Decision: Hashable, Sendable {
    var outcome: OfferOutcome
    var rule: OfferRuleID
    var certainty: OfferCertainty?
    var findings = RuleSet()
}
