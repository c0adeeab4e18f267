import AppReceipt
public import OfferEligibility

/// What a catalogue adds to a verification: the rules, the products, and the instant that is asked about.
public struct EligibilityQuestion: Sendable {
    /// The catalogue, and what the rules leave to the business.
    public let rules: OfferRules
    /// The products that are asked about.
    public let products: [String]
    /// The instant that is asked about.
    public let asOf: EligibilityInstant

    /// Asks about every product of the rules' catalogue, in its order.
    public init(rules: OfferRules, asOf: EligibilityInstant) {
        self.rules = rules
        self.asOf = asOf
        products = rules.catalog.products.map(\.id)
    }

    /// What the rules say of one purchase or all of them; nil where what was examined tells of none.
    public func verdicts(on examination: SignedExamination?) -> [ProductVerdict]? {
        guard case .success(let object)? = examination?.result else { return nil }
        let history: PurchaseHistory? =
            switch object {
            case .receipt(let receipt): PurchaseHistory(receipt)
            case .transaction, .transactionReceipt: try? PurchaseHistory(evidence: [object])
            case .renewalInfo, .appTransaction, .notification, .realtimeRequest: nil
            }
        return history.map { rules.verdicts(for: products, in: $0, asOf: asOf) }
    }
}
