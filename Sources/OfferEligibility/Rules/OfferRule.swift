/// A row of the tables that decide who may get an offer: data that can be listed, cited and tested one by
/// one.
public struct OfferRule: Sendable {
    /// The rule's name.
    public let id: OfferRuleID
    /// The offer in whose table the rule stands.
    public let offer: OfferKind
    /// When the row applies and what follows, in a sentence.
    public let summary: String
    /// Where the rule comes from.
    public let citation: String

    /// How the row stands to the others of its table.
    enum Place: Sendable {
        /// Decides where no row above it applies; listed wherever its own condition holds.
        case row
        /// Where it applies, no other row is looked at.
        case alone
        /// Applies only where nothing else does.
        case otherwise
    }

    let place: Place
    let certainty: OfferCertainty?
    /// Eligible, ineligible or undetermined; nil where the row does not apply.
    let answer: @Sendable (Situation) -> OfferOutcome?

    init(
        _ id: OfferRuleID, _ offer: OfferKind, _ place: Place = .row, certainty: OfferCertainty? = nil,
        summary: String, citation: Citation, answer: @escaping @Sendable (Situation) -> OfferOutcome?
    ) {
        self.id = id
        self.offer = offer
        self.place = place
        self.certainty = certainty
        self.summary = summary
        self.citation = citation.rawValue
        self.answer = answer
    }

    /// What rests on signed renewal information stands on it.
    func certainty(in situation: Situation) -> OfferCertainty? {
        certainty == .asOfRenewalInformation && situation.renewalIsSigned
            ? .asOfSignedRenewalInformation : certainty
    }

    /// Every rule: the introductory offer's table, the promotional offer's, the win-back offer's, in their
    /// order.
    public static let all = introductory + promotional + winBack

    enum Citation: String {
        case introductoryOffers =
            """
            Apple, "Implementing introductory offers in your app", \
            https://developer.apple.com/documentation/storekit/implementing-introductory-offers-in-your-app
            """
        case promotionalOffers =
            """
            Apple, "Implementing promotional offers in your app", \
            https://developer.apple.com/documentation/storekit/implementing-promotional-offers-in-your-app
            """
        case winBackOffers =
            """
            Apple, "Supporting win-back offers in your app", \
            https://developer.apple.com/documentation/storekit/supporting-win-back-offers-in-your-app
            """
        case appleOffers =
            """
            Apple, "JWSRenewalInfoDecodedPayload", eligibleWinBackOfferIds, \
            https://developer.apple.com/documentation/appstoreserverapi/jwsrenewalinfodecodedpayload
            """
        case apphud =
            """
            Apphud, "Determining eligibility for introductory offers in Swift" (2019): refunds, grace period, \
            groups, the turned-back clock
            """
        case evidence = "The evidence's own limits: a receipt holds neither the groups nor what came after it"
    }
}

extension [OfferRule] {
    /// The first row that applies decides; every row that applies is a finding.
    func decide(_ situation: Situation) -> Decision {
        var decision: Decision?
        var findings = RuleSet()
        for index in indices {
            if self[index].place == .otherwise, decision != nil { continue }
            guard let outcome = self[index].answer(situation) else { continue }
            findings.insert(self[index].id)
            if decision == nil {
                decision = Decision(
                    outcome: outcome, rule: self[index].id,
                    certainty: outcome == .undetermined ? nil : self[index].certainty(in: situation))
            }
            if self[index].place == .alone { break }
        }
        guard var decision else { preconditionFailure("the last row of a table always applies") }
        decision.findings = findings
        return decision
    }
}
