import ArgumentParser
import OfferEligibility

/// What the rules of eligibility leave to the business that asks.
struct PolicyOptions: ParsableArguments {
    @Option(help: "Whether a refund closes the introductory offers of its group.")
    var refunds = OfferPolicies.Refunds.block

    @Option(help: "What to make of a last period that may have renewed since the receipt was created.")
    var staleEvidence = OfferPolicies.StaleEvidence.accept

    @Option(help: "Whose current and lapsed subscribers get promotional offers.")
    var promotionalScope = OfferPolicies.PromotionalScope.group

    var policies: OfferPolicies {
        OfferPolicies(refunds: refunds, staleEvidence: staleEvidence, promotionalScope: promotionalScope)
    }
}
