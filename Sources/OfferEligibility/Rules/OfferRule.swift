/// A row of the tables that decide on offers.
///
/// The rules are data, so that they can be listed, cited and tested individually.
public struct OfferRule: Sendable {
    /// The rule's name.
    public let id: OfferRuleID
    /// The offer whose table contains the rule.
    public let offer: OfferKind
    /// A sentence that states the condition and the outcome.
    public let summary: String
    /// The source of the rule.
    public let citation: String

    /// The relation of a row to the other rows of its table.
    enum Place: Sendable {
        /// Decides if no row above it applies. The row is a finding if its own condition holds.
        case row
        /// Excludes all other rows if it applies.
        case alone
        /// Applies only if no other row applies.
        case otherwise
    }

    let place: Place
    let certainty: OfferCertainty?
    /// The outcome if the row applies, or nil if it does not.
    let answer: @Sendable (RuleInput) -> OfferOutcome?

    init(
        _ id: OfferRuleID, _ offer: OfferKind, _ place: Place = .row, certainty: OfferCertainty? = nil,
        summary: String, citation: Citation, answer: @escaping @Sendable (RuleInput) -> OfferOutcome?
    ) {
        self.id = id
        self.offer = offer
        self.place = place
        self.certainty = certainty
        self.summary = summary
        self.citation = citation.rawValue
        self.answer = answer
    }

    /// Returns the row's certainty. Rules that depend on renewal information have a different certainty if it
    /// is signed.
    func certainty(in input: RuleInput) -> OfferCertainty? {
        certainty == .asOfRenewalInformation && input.renewalIsSigned
            ? .asOfSignedRenewalInformation : certainty
    }

    /// The rules of all tables: introductory, promotional and win-back offers, each in the order of its
    /// table.
    public static let all = introductory + promotional + winBack

    // Rows that several tables have.

    static func unknownProduct(_ offer: OfferKind) -> OfferRule {
        OfferRule(
            .unknownProduct, offer, .alone,
            summary: "Neither the catalog nor a signed transaction names the product's group: undetermined.",
            citation: .evidence,
            answer: { $0.isCatalogued ? nil : .undetermined })
    }

    static func clockBeforeReceipt(_ offer: OfferKind) -> OfferRule {
        OfferRule(
            .clockBeforeReceipt, offer,
            summary:
                "The clock's time is before the newest evidence was signed, so the clock is wrong: undetermined.",
            citation: .apphud,
            answer: { $0.clockIsWrong ? .undetermined : nil })
    }

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
        case evidence = "The evidence's own limits: a receipt contains neither groups nor later events"
    }
}

extension [OfferRule] {
    /// Returns the decision of the first row that applies. Every row that applies is a finding.
    func decide(_ input: RuleInput) -> Decision {
        var decision: Decision?
        var findings = RuleSet()
        for index in indices {
            if self[index].place == .otherwise, decision != nil { continue }
            guard let outcome = self[index].answer(input) else { continue }
            findings.insert(self[index].id)
            if decision == nil {
                decision = Decision(
                    outcome: outcome, rule: self[index].id,
                    certainty: outcome == .undetermined ? nil : self[index].certainty(in: input))
            }
            if self[index].place == .alone { break }
        }
        guard var decision else { preconditionFailure("the last row of a table always applies") }
        decision.findings = findings
        return decision
    }
}
