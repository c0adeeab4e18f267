public import AppReceipt

/// What one customer may still be offered for one product, and how it is known.
public struct ProductVerdict: Sendable {
    /// The product that was asked about.
    public let productID: String
    let inquiry: Inquiry
    let slot: Int?
    private let product: Int?
    private let decisions: Decisions

    init(_ productID: String, _ inquiry: Inquiry, _ slot: Int?, _ product: Int?, _ decisions: Decisions) {
        self.productID = productID
        self.inquiry = inquiry
        self.slot = slot
        self.product = product
        self.decisions = decisions
    }

    /// The subscription group; nil where no group lists the product, and where all are one group without a
    /// name.
    public var subscriptionGroup: String? { slot.flatMap(inquiry.nameOfGroup) }

    /// The instant that was asked about.
    public var asOf: EligibilityInstant { inquiry.asOf }

    /// When the evidence was made; nothing later is known.
    public var evidenceDate: Timestamp? { inquiry.history.evidenceDate }

    /// May the customer get the product's introductory offer?
    public var introductoryOffer: OfferVerdict {
        OfferVerdict(
            .introductory, decisions.introductory, self, configured: catalogued?.hasIntroductoryOffer)
    }

    /// May the customer get a promotional offer of the product?
    public var promotionalOffer: OfferVerdict {
        OfferVerdict(.promotional, decisions.promotional, self, configured: catalogued?.hasPromotionalOffer)
    }

    /// May the customer get a win-back offer of the product?
    public var winBackOffer: OfferVerdict {
        OfferVerdict(
            .winBack, decisions.winBack, self, configured: catalogued?.winBackOffers.map { !$0.isEmpty })
    }

    var catalogued: SubscriptionProduct? { product.map { inquiry.catalog.products[$0] } }
    var facts: GroupFacts? { slot.map { inquiry.groups[$0] } }
    var signed: SignedFacts? { slot.flatMap(inquiry.signed(ofSlot:)) }
    var unknownHistory: [Int] { slot.map(inquiry.unknownHistory(ofSlot:)) ?? [] }
    var situation: Situation? { slot.map(inquiry.situation(ofSlot:)) }

    /// The places of the subscriptions with an unknown owner: the group's, or where only others of the app have some, those.
    var unknownOwners: [Int] {
        if let own = signed?.unknownOwners, !own.isEmpty { return own }
        return inquiry.unknownOwners
    }

    /// Whether the evidence leaves open what the customer bought in the group.
    var isHistoryUnknown: Bool {
        [.unknownOwnership, .noPurchaseEvidence].contains(decisions.introductory.rule)
    }
}

/// The answer to one question: may this customer get this offer?
public struct OfferVerdict: Sendable {
    /// Which offer was asked about.
    public let offer: OfferKind
    /// The answer.
    public let outcome: OfferOutcome
    /// The rule that decided.
    public let rule: OfferRuleID
    /// Nil where the outcome is undetermined.
    public let certainty: OfferCertainty?
    /// Whether such an offer is configured for the product; nil where the catalogue's form can't say.
    public let configured: Bool?
    let verdict: ProductVerdict
    private let findingSet: RuleSet

    init(_ offer: OfferKind, _ decision: Decision, _ verdict: ProductVerdict, configured: Bool?) {
        self.offer = offer
        outcome = decision.outcome
        rule = decision.rule
        certainty = decision.certainty
        findingSet = decision.findings
        self.configured = configured
        self.verdict = verdict
    }

    /// Every rule that applies, in the order of its table; the first one decided.
    public var findings: [OfferRuleID] {
        let table =
            switch offer {
            case .introductory: OfferRule.introductory
            case .promotional: OfferRule.promotional
            case .winBack: OfferRule.winBack
            }
        return table.map(\.id).filter(findingSet.contains)
    }

    /// The doubts that are attached to the answer; none in most.
    public var caveats: [OfferCaveat] {
        var caveats: [OfferCaveat] = []
        if offer == .introductory, rule == .lapsed, verdict.situation?.renewalPossible == true {
            caveats.append(.renewalPossible)
        }
        if rule == .neverSubscribed || rule == .lapsed, verdict.inquiry.history.coverage < .complete {
            caveats.append(.partialEvidence)
        }
        if let signed = verdict.signed {
            if signed.isToldDifferently { caveats.append(.toldDifferently) }
            if signed.groupDiffers { caveats.append(.groupDiffers) }
            if !signed.shared.isEmpty { caveats.append(.familyShared) }
            if !signed.unknownOwners.isEmpty, rule != .unknownOwnership { caveats.append(.unknownOwnership) }
        }
        if verdict.inquiry.history.anyRefused { caveats.append(.evidenceRefused) }
        return caveats
    }

    /// The win-back offers that the App Store itself named, its first choice first; nil where another rule decided.
    public var offers: [String]? { rule == .appleOffers ? verdict.signed?.renewal?.winBackOffers : nil }

    /// The ids of the transactions on which the answer rests, in the order of purchase, each once: of the first 100.
    /// Transactions without an id are not named.
    public var transactions: [String] {
        let history = verdict.inquiry.history
        var seen = Set<[UInt8]>()
        return verdict.inquiry.first(evidence).compactMap { history.transactions[$0].id }
            .filter { seen.insert(Array(history.text[$0.range])).inserted }
            .compactMap { history.string($0) }
    }

    /// The places of the transactions on which the answer rests.
    var evidence: [Int] {
        guard let facts = verdict.facts else { return [] }
        switch rule {
        case .unknownProduct, .clockBeforeReceipt, .noPurchaseEvidence, .neverSubscribed: return []
        case .offerUsed: return facts.used
        case .subscribed: return facts.running
        case .refunded: return facts.refunded
        case .unknownOwnership: return verdict.unknownOwners
        case .uncataloguedHistory: return verdict.unknownHistory
        case .currentOrLapsedSubscriber: return lastOfGroupOrApp(facts)
        case .inGracePeriod, .lapsed, .inBillingRetry, .appleOffers, .autoRenewOn, .autoRenewUnknown,
            .criteria:
            return facts.last.map { [$0.index] } ?? []
        }
    }

    /// One subscription is enough to be a subscriber: the last of the group, else the last of the app.
    private func lastOfGroupOrApp(_ facts: GroupFacts) -> [Int] {
        let inquiry = verdict.inquiry
        let history = inquiry.history
        if let last = facts.last { return [last.index] }
        if let told = verdict.signed?.superseded.max(by: history.precedes) { return [told] }
        let candidates =
            inquiry.groups.compactMap { $0.last?.index } + inquiry.signed.values.flatMap(\.superseded)
            + [inquiry.lastUncatalogued].compactMap(\.self)
        return candidates.max(by: history.precedes).map { [$0] } ?? []
    }
}
