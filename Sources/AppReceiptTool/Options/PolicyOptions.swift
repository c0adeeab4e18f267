import ArgumentParser
import OfferEligibility

/// What the rules of eligibility leave to the business that asks.
struct PolicyOptions: ParsableArguments {
    @Option(help: "Whether a refund closes the introductory offers of its group.")
    var refunds = Policies.Refunds.block

    @Option(help: "What to make of a last period that may have renewed since the receipt was created.")
    var staleEvidence = Policies.StaleEvidence.accept

    @Option(help: "Whose current and lapsed subscribers get promotional offers.")
    var promotionalScope = Policies.PromotionalScope.group

    var policies: Policies {
        Policies(refunds: refunds, staleEvidence: staleEvidence, promotionalScope: promotionalScope)
    }
}
