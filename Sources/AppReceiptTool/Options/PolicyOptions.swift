import ArgumentParser
import OfferEligibility

/// The policies that the eligibility rules leave to the business.
struct PolicyOptions: ParsableArguments {
    @Option(help: "Whether a refund closes the introductory offers of its group; block is the default.")
    var refunds: OfferPolicies.Refunds?

    @Option(
        help: """
            What to make of a last period that may have renewed since the receipt was created; accept is the default.
            """)
    var staleEvidence: OfferPolicies.StaleEvidence?

    @Option(
        help: """
            What to answer where nothing was bought, or bought again, in evidence that does not list all purchases; \
            accept is the default.
            """)
    var partialEvidence: OfferPolicies.PartialEvidence?

    @Option(help: "Whose current and lapsed subscribers get promotional offers; group is the default.")
    var promotionalScope: OfferPolicies.PromotionalScope?

    var policies: OfferPolicies {
        OfferPolicies(
            refunds: refunds ?? .block, staleEvidence: staleEvidence ?? .accept,
            partialEvidence: partialEvidence ?? .accept, promotionalScope: promotionalScope ?? .group)
    }
}
