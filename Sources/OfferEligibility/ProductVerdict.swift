public import AppReceipt

/// The answers about one customer and one product, with reasons.
public struct ProductVerdict: Sendable {
    /// The evaluated product.
    public let productID: String
    let customer: CustomerFacts
    let slot: Int?
    /// The index in the catalog.
    let product: Int?
    let decisions: Decisions

    /// The subscription group. Nil if the product is in no group, or if the only group has no name.
    public var subscriptionGroup: String? { slot.flatMap(customer.nameOfGroup) }

    /// The evaluation date.
    public var asOf: EligibilityInstant { customer.asOf }

    /// The date of the newest evidence. Later events are unknown.
    public var evidenceDate: Timestamp? { customer.history.evidenceDate }

    /// The answer about the product's introductory offer.
    public var introductoryOffer: OfferVerdict {
        verdict(.introductory, catalogued?.hasIntroductoryOffer, decisions.introductory)
    }

    /// The answer about promotional offers of the product.
    public var promotionalOffer: OfferVerdict {
        verdict(.promotional, catalogued?.hasPromotionalOffer, decisions.promotional)
    }

    /// The answer about win-back offers of the product.
    public var winBackOffer: OfferVerdict {
        verdict(.winBack, catalogued?.winBackOffers.map { !$0.isEmpty }, decisions.winBack)
    }

    private func verdict(_ offer: OfferKind, _ configured: Bool?, _ decision: Decision) -> OfferVerdict {
        OfferVerdict(offer: offer, configured: configured, verdict: self, decision: decision)
    }

    var catalogued: SubscriptionProduct? { product.map { customer.catalog.products[$0] } }
    var facts: GroupFacts? { slot.map { customer.groups[$0] } }
    var signed: SignedFacts? { slot.flatMap(customer.signed(ofSlot:)) }
    var unknownHistory: UnknownHistory { slot.map(customer.unknownHistory(ofSlot:)) ?? UnknownHistory() }
    var input: RuleInput? { slot.map(customer.input(ofSlot:)) }

    /// Whether only signed evidence names the group.
    var isBeyondCatalog: Bool { slot.map(customer.origin(ofSlot:)) == .beyondCatalog }

    /// The indices of the group's subscriptions with an unknown owner. If there are none, the indices of the
    /// app's.
    var unknownOwners: [Int] {
        if let own = signed?.unknownOwners, !own.isEmpty { return own }
        return customer.unknownOwners
    }

    /// Whether the evidence does not show what the customer bought in the group.
    var isHistoryUnknown: Bool {
        let rule = decisions.introductory.rule
        return [.unknownOwnership, .noPurchaseEvidence].contains(rule)
            || rule == .uncataloguedHistory && decisions.promotional.rule == .noPurchaseEvidence
    }
}
