import AppReceipt

/// The answer about one offer.
public struct OfferVerdict: Sendable {
    /// The kind of the offer.
    public let offer: OfferKind
    /// The answer.
    public var outcome: OfferOutcome { decision.outcome }
    /// The rule that decided.
    public var rule: OfferRuleID { decision.rule }
    /// The validity of the answer over time, or nil if the outcome is undetermined.
    public var certainty: OfferCertainty? { decision.certainty }
    /// Whether the catalog configures such an offer for the product, or nil if the catalog does not state it.
    public let configured: Bool?
    let verdict: ProductVerdict
    let decision: Decision

    /// The rules that apply, in the order of the table. The first one decided.
    public var findings: [OfferRuleID] {
        let table =
            switch offer {
            case .introductory: OfferRule.introductory
            case .promotional: OfferRule.promotional
            case .winBack: OfferRule.winBack
            }
        return table.map(\.id).filter(decision.findings.contains)
    }

    /// The reservations about the answer. Most answers have none.
    public var caveats: [OfferCaveat] {
        var caveats: [OfferCaveat] = []
        let mayHaveRenewed =
            switch (offer, rule) {
            case (.introductory, .lapsed), (.introductory, .neverSubscribed): verdict.input?.renewalPossible
            case (.winBack, .criteria):
                verdict.decisions.meetsWinBackCriteria == true
                    && verdict.input?.mayHaveRenewedSinceInformation == true
            default: false
            }
        if mayHaveRenewed == true { caveats.append(.renewalPossible) }
        let dependsOnAllPurchases =
            rule == .neverSubscribed || rule == .lapsed || rule == .criteria && configured == true
        if dependsOnAllPurchases, verdict.input?.isPartial == true { caveats.append(.partialEvidence) }
        if let signed = verdict.signed {
            if signed.hasConflictingEvidence { caveats.append(.conflictingEvidence) }
            if signed.groupDiffers { caveats.append(.groupDiffers) }
            if !signed.shared.isEmpty || signed.mayHaveSharedRenewal { caveats.append(.familyShared) }
            if !signed.unknownOwners.isEmpty, rule != .unknownOwnership { caveats.append(.unknownOwnership) }
        }
        if verdict.customer.history.anyRefused { caveats.append(.evidenceRefused) }
        return caveats
    }

    /// The win-back offers that the App Store grants for one product of the group, in its order of preference. Nil if another
    /// rule decided. If the customer is eligible, the offers of the product that are not available on the evaluation date are
    /// omitted.
    public var offers: [String]? {
        guard rule == .appleOffers, let offers = verdict.signed?.renewal?.winBackOffers else { return nil }
        guard outcome == .eligible, let catalogued = verdict.catalogued?.winBackOffers else { return offers }
        let known = WinBackOffer.ids(of: catalogued)
        let available = WinBackOffer.ids(
            of: catalogued.filter { $0.isAvailable(at: verdict.asOf.timestamp) != false })
        return offers.map { (offer: $0, id: Array($0.utf8)) }
            .filter { available.contains($0.id) || !known.contains($0.id) }.map(\.offer)
    }

    /// The identifiers of the transactions that the answer depends on, in the order of purchase, without
    /// duplicates.
    ///
    /// Only the first 100 transactions are included. Transactions without an identifier are omitted.
    public var transactions: [String] {
        let history = verdict.customer.history
        var seen = Set<[UInt8]>()
        return verdict.customer.first(evidence).compactMap { history.transactions[$0].id }
            .filter { seen.insert(Array(history.text[$0.range])).inserted }
            .compactMap { history.string($0) }
    }

    /// The indices of the transactions that the answer depends on. For unknown history, only the first ones.
    var evidence: [Int] {
        guard let facts = verdict.facts else { return [] }
        switch rule {
        case .unknownProduct, .clockBeforeReceipt, .noPurchaseEvidence, .neverSubscribed: return []
        case .offerUsed: return facts.used
        case .subscribed: return facts.running
        case .refunded: return facts.refunded
        case .unknownOwnership: return verdict.unknownOwners
        case .uncataloguedHistory: return verdict.unknownHistory.first
        case .currentOrLapsedSubscriber:
            // One subscription of the group, else of the app, proves that the customer is or was a subscriber.
            let superseded = verdict.signed?.superseded.max(by: verdict.customer.history.precedes)
            let last = facts.last?.index ?? superseded ?? verdict.customer.lastSubscriptionInApp
            return last.map { [$0] } ?? []
        case .inGracePeriod, .lapsed, .inBillingRetry, .appleOffers, .autoRenewOn, .autoRenewUnknown,
            .criteria:
            return facts.last.map { [$0.index] } ?? []
        }
    }
}
