package import ArgumentParser
package import OfferEligibility

/// The policies that the eligibility rules leave to the business.
package struct PolicyOptions: ParsableArguments {
    @Option(help: SharedHelp.refunds)
    package var refunds: OfferPolicies.Refunds?

    @Option(help: SharedHelp.staleEvidence)
    package var staleEvidence: OfferPolicies.StaleEvidence?

    @Option(help: SharedHelp.partialEvidence)
    package var partialEvidence: OfferPolicies.PartialEvidence?

    @Option(help: SharedHelp.promotionalScope)
    package var promotionalScope: OfferPolicies.PromotionalScope?

    package init() {}

    package var policies: OfferPolicies {
        OfferPolicies(
            refunds: refunds ?? .block, staleEvidence: staleEvidence ?? .accept,
            partialEvidence: partialEvidence ?? .accept, promotionalScope: promotionalScope ?? .group)
    }
}
