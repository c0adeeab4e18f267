public import AppReceipt

/// The eligibility question that a catalog adds to a verification: the rules, the products and the evaluation
/// date.
public struct EligibilityQuestion: Sendable {
    /// The rules, with the catalog and the policies.
    public let rules: OfferRules
    /// The evaluation date.
    public let asOf: EligibilityInstant

    /// Creates a question about every product of the rules' catalog, in the catalog's order. With a scoped
    /// catalog, the question is about the products of the customer's app.
    public init(rules: OfferRules, asOf: EligibilityInstant) {
        self.rules = rules
        self.asOf = asOf
    }

    /// The maximum number of verdicts on an object.
    package var mostProducts: Int { rules.catalog.mostProducts }

    /// Returns the verdicts on the purchases of an object, or nil if the object has no purchase history.
    public func verdicts(on object: VerifiedObject?) -> [ProductVerdict]? {
        verdicts(on: object, isLimited: false)
    }

    /// Returns the verdicts on the purchases of an object, or none if the limit of its record is exceeded.
    package func verdicts(on object: VerifiedObject?, isLimited: Bool) -> [ProductVerdict]? {
        object?.purchaseHistory.map {
            isLimited ? [] : rules.verdicts(for: rules.products(for: $0), in: $0, asOf: asOf)
        }
    }
}

extension VerifiedObject {
    /// The history of the object's purchases, or nil if the object contains none.
    package var purchaseHistory: PurchaseHistory? {
        switch self {
        case .receipt, .transaction, .transactionReceipt: try? PurchaseHistory(evidence: [self])
        case .renewalInfo, .appTransaction, .notification, .realtimeRequest: nil
        }
    }
}
