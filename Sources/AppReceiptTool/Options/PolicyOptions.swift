import ArgumentParser
import OfferEligibility

/// The policies that the eligibility rules leave to the business.
struct PolicyOptions: ParsableArguments {
    @Option(help: SharedHelp.refunds)
    var refunds: OfferPolicies.Refunds?

    @Option(help: SharedHelp.staleEvidence)
    var staleEvidence: OfferPolicies.StaleEvidence?

    @Option(help: SharedHelp.partialEvidence)
    var partialEvidence: OfferPolicies.PartialEvidence?

    @Option(help: SharedHelp.promotionalScope)
    var promotionalScope: OfferPolicies.PromotionalScope?

    var policies: OfferPolicies {
        OfferPolicies(
            refunds: refunds ?? .block, staleEvidence: staleEvidence ?? .accept,
            partialEvidence: partialEvidence ?? .accept, promotionalScope: promotionalScope ?? .group)
    }
}
