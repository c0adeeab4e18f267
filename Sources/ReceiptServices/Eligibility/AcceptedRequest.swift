import AppReceipt
import OfferEligibility

/// An eligibility request whose evidence was verified, without verdicts.
package struct AcceptedRequest: Sendable {
    let request: EligibilityRequest
    let evidence: CustomerEvidence
    let history: PurchaseHistory
    /// The refused evidence that the request allows to be left out.
    let refused: [EligibilityFailure.RefusedMember]
    let rules: OfferRules
    package let products: [String]
}
