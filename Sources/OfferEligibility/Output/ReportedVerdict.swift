public import AppReceipt

/// A verdict as an object of the JSON contract, to be stored, sent and read back.
///
/// A ``ProductVerdict`` follows from rules and evidence and cannot be decoded. A decoded report is only as
/// trustworthy as its source.
public struct ReportedVerdict: Codable, Hashable, Sendable {
    /// The evaluated product.
    public var productID: String
    /// The subscription group. Nil if the product is in no group, or if the only group has no name.
    public var subscriptionGroup: String?
    /// The evaluation date.
    public var asOf: Timestamp
    /// The date of the newest evidence. Later events are unknown.
    public var evidenceDate: Timestamp?
    /// The answer about the introductory offer.
    public var introductoryOffer: Offer
    /// The answer about promotional offers.
    public var promotionalOffer: Offer
    /// The answer about win-back offers.
    public var winBackOffer: Offer
    /// The subscription state of the product's group.
    public var subscription: SubscriptionState

    /// The answer about one offer; see ``OfferVerdict``.
    public struct Offer: Codable, Hashable, Sendable {
        /// The answer.
        public var outcome: OfferOutcome
        /// The rule that decided.
        public var rule: OfferRuleID
        /// The validity of the answer over time, or nil if the outcome is undetermined.
        public var certainty: OfferCertainty?
        /// Whether the catalog configures such an offer for the product, or nil if the catalog does not state
        /// it.
        public var configured: Bool?
        /// The identifiers of the transactions that the answer depends on, in the order of purchase.
        public var transactions: [String]
        /// The win-back offers that the App Store grants, in its order of preference. Nil if another rule
        /// decided.
        public var offers: [String]?
        /// The reason, for people.
        public var explanation: String
        /// The rules that apply, in the order of the table.
        public var findings: [OfferRuleID]
        /// The reservations about the answer.
        public var caveats: [OfferCaveat]

        /// Creates the report of an offer's verdict.
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

        /// Encodes the offer object of the JSON contract. Absent values are null, but `offers` is omitted if
        /// absent.
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

    /// Creates the report of a verdict.
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

    /// Encodes the verdict object of the JSON contract, without `source`. Absent values are null.
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
    /// Encodes the verdict object of the JSON contract, without `source`. ``ReportedVerdict`` decodes it.
    public func encode(to encoder: any Encoder) throws { try ReportedVerdict(self).encode(to: encoder) }
}

extension OfferVerdict: Encodable {
    /// Encodes the offer object of the JSON contract.
    public func encode(to encoder: any Encoder) throws {
        try ReportedVerdict.Offer(self).encode(to: encoder)
    }
}
