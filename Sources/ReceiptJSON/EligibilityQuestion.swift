package import AppReceipt
public import OfferEligibility

/// What a catalogue adds to a verification: the rules, the products, and the instant that is asked about.
public struct EligibilityQuestion: Sendable {
    /// The catalogue, and what the rules leave to the business.
    public let rules: OfferRules
    /// The instant that is asked about.
    public let asOf: EligibilityInstant

    /// Asks each customer about every product of the rules' catalog, in its order; of a scoped one, about the products of
    /// the customer's app.
    public init(rules: OfferRules, asOf: EligibilityInstant) {
        self.rules = rules
        self.asOf = asOf
    }

    /// What the rules say of one purchase or all of them; nil where what was examined tells of none.
    public func verdicts(on examination: SignedExamination?) -> [ProductVerdict]? {
        guard case .success(let object)? = examination?.result else { return nil }
        return object.purchaseHistory.map {
            rules.verdicts(for: rules.products(for: $0), in: $0, asOf: asOf)
        }
    }
}

extension VerifiedObject {
    /// Nil where it tells of no purchase.
    package var purchaseHistory: PurchaseHistory? {
        switch self {
        case .receipt, .transaction, .transactionReceipt: try? PurchaseHistory(evidence: [self])
        case .renewalInfo, .appTransaction, .notification, .realtimeRequest: nil
        }
    }
}
