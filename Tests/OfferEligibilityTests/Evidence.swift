import AppReceipt

@testable import OfferEligibility

/// Pieces of evidence for a test, each with its date of signing.
enum Evidence: Sendable {
    case receipt(String, [Bought])
    case jws(String, Bought)
    case renewal(String, Renewal)
    case appTransaction(String)

    var piece: EvidencePiece {
        switch self {
        case .receipt(let date, let purchases):
            EvidencePiece(history: history(purchases, created: date), form: .receipt)
        case .jws(let date, let bought):
            EvidencePiece(history: history([bought], created: date), form: .signed)
        case .renewal(let date, let renewal):
            EvidencePiece(
                history: history([], created: date), form: .signed, renewal: renewal.signed(at(date)))
        case .appTransaction(let date): EvidencePiece(history: history([], created: date), form: .signed)
        }
    }
}

/// Renewal information for a test: of basic, set to renew, unless more is said.
struct Renewal: Sendable {
    var product: String? = "basic"
    var next: String?
    var original: String? = "1"
    var renews: Bool? = true
    var retry = false
    var grace: String?
    var expired = false
    var offers: [String]?

    func signed(_ date: Timestamp) -> SignedRenewal {
        SignedRenewal(
            entry: .init(
                productID: product, autoRenewProductID: next, originalTransactionID: original,
                willRenew: renews, isInBillingRetry: retry, gracePeriodEnd: grace.map(at)),
            signedDate: date, hasExpired: expired, winBackOffers: offers)
    }
}

func verdicts(
    of products: [String] = ["basic"], _ evidence: [Evidence],
    asOf: EligibilityInstant = .date(at("2026-06-10")),
    catalog: SubscriptionCatalog = catalog, policies: OfferPolicies = OfferPolicies(),
    renewals: RenewalInformation? = nil
) throws -> [ProductVerdict] {
    OfferRules(catalog: catalog, policies: policies).verdicts(
        for: products, in: try PurchaseHistory(pieces: evidence.map(\.piece)), asOf: asOf, renewals: renewals)
}
