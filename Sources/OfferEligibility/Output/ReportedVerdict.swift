public import AppReceipt

/// A verdict as it is reported: the contract's object, which can be stored, sent and read back.
///
/// A ``ProductVerdict`` follows from rules and evidence and cannot be decoded; what was decoded is somebody's word.
public struct ReportedVerdict: Codable, Hashable, Sendable {
    /// The product that was asked about.
    public var productID: String
    /// The subscription group; nil where no group lists the product.
    public var subscriptionGroup: String?
    /// The instant that was asked about.
    public var asOf: Timestamp
    /// When the evidence was made; nothing later is known.
    public var evidenceDate: Timestamp?
    /// May the customer get the introductory offer?
    public var introductoryOffer: Offer
    /// May the customer get a promotional offer?
    public var promotionalOffer: Offer
    /// May the customer get a win-back offer?
    public var winBackOffer: Offer
    /// Where the subscription of the product's group stands.
    public var subscription: SubscriptionState

    /// The answer about one offer; see ``OfferVerdict``.
    public struct Offer: Codable, Hashable, Sendable {
        /// The answer.
        public var outcome: OfferOutcome
        /// The rule that decided.
        public var rule: OfferRuleID
        /// Nil where the outcome is undetermined.
        public var certainty: OfferCertainty?
        /// Whether such an offer is configured for the product; nil where the catalogue's form can't say.
        public var configured: Bool?
        /// The ids of the transactions on which the answer rests, in the order of purchase.
        public var transactions: [String]
        /// The win-back offers that the App Store itself named, its first choice first; nil where another rule decided.
        public var offers: [String]?
        /// The reason for a person.
        public var explanation: String
        /// Every rule that applies, in the order of its table.
        public var findings: [OfferRuleID]
        /// The doubts that are attached to the answer.
        public var caveats: [OfferCaveat]

        /// What a verdict says.
        public init(_ verdict: OfferVerdict) {
            outcome = verdict.outcome
            rule = verdict.rule
            certainty = verdict.certainty
            configured = verdict.configured
            transactions = verdict.transactions
            offers = verdict.offers
            explanation = verdict.explanation
            findings = verdict.findings
            caveats = verdict.caveats
        }

        /// Encodes the contract's object of an offer; what is absent is null, but for `offers`, which is left out.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(outcome, forKey: .outcome)
            try container.encode(rule, forKey: .rule)
            try container.encode(certainty, forKey: .certainty)
            try container.encode(configured, forKey: .configured)
            try container.encode(transactions, forKey: .transactions)
            try container.encodeIfPresent(offers, forKey: .offers)
            try container.encode(explanation, forKey: .explanation)
            try container.encode(findings, forKey: .findings)
            try container.encode(caveats, forKey: .caveats)
        }
    }

    private enum CodingKeys: String, CodingKey {
        case productID = "product_id"
        case subscriptionGroup = "subscription_group"
        case asOf = "as_of"
        case evidenceDate = "evidence_date"
        case introductoryOffer = "introductory_offer"
        case promotionalOffer = "promotional_offer"
        case winBackOffer = "win_back_offer"
        case subscription
    }

    /// What a verdict says.
    public init(_ verdict: ProductVerdict) {
        productID = verdict.productID
        subscriptionGroup = verdict.subscriptionGroup
        asOf = verdict.asOf.timestamp
        evidenceDate = verdict.evidenceDate
        introductoryOffer = Offer(verdict.introductoryOffer)
        promotionalOffer = Offer(verdict.promotionalOffer)
        winBackOffer = Offer(verdict.winBackOffer)
        subscription = verdict.subscription
    }

    /// Encodes the contract's object of a verdict, without `source`; what is absent is null.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(productID, forKey: .productID)
        try container.encode(subscriptionGroup, forKey: .subscriptionGroup)
        try container.encode(asOf, forKey: .asOf)
        try container.encode(evidenceDate, forKey: .evidenceDate)
        try container.encode(introductoryOffer, forKey: .introductoryOffer)
        try container.encode(promotionalOffer, forKey: .promotionalOffer)
        try container.encode(winBackOffer, forKey: .winBackOffer)
        try container.encode(subscription, forKey: .subscription)
    }
}

extension ProductVerdict: Encodable {
    /// Encodes the contract's object, without `source`; ``ReportedVerdict`` reads it back.
    public func encode(to encoder: any Encoder) throws { try ReportedVerdict(self).encode(to: encoder) }
}

extension OfferVerdict: Encodable {
    /// Encodes the contract's object of an offer.
    public func encode(to encoder: any Encoder) throws {
        try ReportedVerdict.Offer(self).encode(to: encoder)
    }
}
