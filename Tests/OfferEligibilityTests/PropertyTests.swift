import AppReceipt
import ReceiptForge
import Testing

@testable import OfferEligibility

/// Properties of all histories. Histories come from fixed seeds.
struct PropertyTests {
    static let seeds: [UInt64] = Array(1...300)
    static let products = ["premium", "premium.yearly", "pro", "basic", "weekly", "paper", "unlisted"]

    /// Returns a date near the start of one of 20 months in 2025 and 2026, few enough that purchases overlap.
    private static func date(_ random: inout SplitMix64) -> String {
        let seconds = [0, 0, 0, 1, 30, 60, 61].randomElement(using: &random) ?? 0
        let month = Int.random(in: 0..<20, using: &random)
        let day = at("2025-01-01").adding(months: month)
        return Timestamp(millisecondsSince1970: day.millisecondsSince1970 + Int64(seconds) * 1000).rfc3339
    }

    static func purchases(_ random: inout SplitMix64, count: Int? = nil) -> [Bought] {
        (0..<(count ?? Int.random(in: 0...12, using: &random))).map { number in
            var bought = Bought()
            bought.product = (products + ["legacy"]).randomElement(using: &random)
            bought.id = "\(number)"
            bought.from = date(&random)
            bought.to = Int.random(in: 0..<10, using: &random) == 0 ? nil : date(&random)
            bought.cancelled = Int.random(in: 0..<4, using: &random) == 0 ? date(&random) : nil
            bought.type =
                [
                    .autoRenewableSubscription, .autoRenewableSubscription, .autoRenewableSubscription, nil,
                    nil, .consumable, .undocumented,
                ]
                .randomElement(using: &random) ?? nil
            bought.assigned = Int.random(in: 0..<8, using: &random) == 0
            bought.trial = [true, false, false, nil].randomElement(using: &random) ?? nil
            bought.intro = [true, false, false, nil].randomElement(using: &random) ?? nil
            return bought
        }
    }

    static func rules(_ random: inout SplitMix64) -> OfferRules {
        let policies = OfferPolicies(
            refunds: OfferPolicies.Refunds.allCases.randomElement(using: &random) ?? .block,
            staleEvidence: OfferPolicies.StaleEvidence.allCases.randomElement(using: &random) ?? .accept,
            partialEvidence: OfferPolicies.PartialEvidence.allCases.randomElement(using: &random) ?? .accept,
            promotionalScope: OfferPolicies.PromotionalScope.allCases.randomElement(using: &random) ?? .group)
        return OfferRules(catalog: catalog, policies: policies)
    }

    static func renewals(_ random: inout SplitMix64) -> RenewalInformation? {
        guard Bool.random(using: &random) else { return nil }
        return RenewalInformation(
            entries: [
                .init(
                    productID: products.randomElement(using: &random),
                    willRenew: [true, false, nil].randomElement(using: &random) ?? nil,
                    isInBillingRetry: Bool.random(using: &random),
                    gracePeriodEnd: Bool.random(using: &random) ? at(date(&random)) : nil)
            ])
    }

    struct Case {
        var random: SplitMix64
        let rules: OfferRules
        let renewals: RenewalInformation?
        let asOf: EligibilityInstant
        let purchases: [Bought]
        let created: String

        init(seed: UInt64) {
            random = SplitMix64(seed: seed)
            rules = PropertyTests.rules(&random)
            renewals = PropertyTests.renewals(&random)
            let instant = at(PropertyTests.date(&random))
            asOf = Bool.random(using: &random) ? .date(instant) : .clock(instant)
            purchases = PropertyTests.purchases(&random)
            created = PropertyTests.date(&random)
        }

        func verdicts(_ purchases: [Bought], created: String? = nil, for products: [String] = products)
            -> [ProductVerdict]
        {
            rules.verdicts(
                for: products, in: history(purchases, created: created ?? self.created), asOf: asOf,
                renewals: renewals)
        }

        private static let products = PropertyTests.products
    }

    @Test(arguments: seeds)
    func usedTrialIsNeverEligible(seed: UInt64) {
        var example = Case(seed: seed)
        var trial = Bought(id: "trial", trial: true)
        trial.product = Self.products.randomElement(using: &example.random)
        trial.from = Self.date(&example.random)
        trial.to = Self.date(&example.random)
        let before = example.verdicts(example.purchases)
        let after = example.verdicts(example.purchases + [trial])
        for (before, after) in zip(before, after) where after.introductoryOffer.outcome == .eligible {
            #expect(before.introductoryOffer.outcome == .eligible)
        }
    }

    @Test(arguments: seeds)
    func theOrderOfTransactionsNeverMatters(seed: UInt64) {
        var example = Case(seed: seed)
        let shuffled = example.purchases.shuffled(using: &example.random)
        #expect(
            example.verdicts(example.purchases).map(VerdictSummary.init)
                == example.verdicts(shuffled).map(VerdictSummary.init))
    }

    @Test(arguments: seeds)
    func severalProductsAnswerLikeEachAlone(seed: UInt64) {
        let example = Case(seed: seed)
        let alone = Self.products.flatMap { example.verdicts(example.purchases, for: [$0]) }
        #expect(
            example.verdicts(example.purchases).map(VerdictSummary.init) == alone.map(VerdictSummary.init))
        let twice = example.verdicts(example.purchases, for: ["basic", "weekly", "basic"]).map(
            VerdictSummary.init)
        #expect(twice.first == twice.last)
    }

    // Later purchases are bought more than a minute after the receipt, outside the window of a switch.
    @Test(arguments: seeds)
    func provenVerdictDoesNotChange(seed: UInt64) {
        var example = Case(seed: seed)
        let created = at("2026-09-01")
        let instant = EligibilityInstant.date(
            at(["2026-08-01", "2026-09-01", "2027-02-01"].randomElement(using: &example.random) ?? ""))
        let later = Self.purchases(&example.random).map { bought in
            var bought = bought
            bought.id = "later" + (bought.id ?? "")
            bought.from = created.adding(months: Int.random(in: 1..<8, using: &example.random)).rfc3339
            return bought
        }
        let before = example.rules.verdicts(
            for: Self.products, in: history(example.purchases, created: created.rfc3339), asOf: instant,
            renewals: example.renewals)
        let after = example.rules.verdicts(
            for: Self.products, in: history(example.purchases + later, created: "2027-05-01"), asOf: instant,
            renewals: example.renewals)
        for (before, after) in zip(before, after) {
            let offers = [
                (before.introductoryOffer, after.introductoryOffer),
                (before.promotionalOffer, after.promotionalOffer),
            ]
            for (old, new) in offers where old.certainty == .proven {
                #expect(new.outcome == old.outcome)
            }
        }
    }

    @Test(arguments: seeds)
    func unrelatedGroupsDoNotMatter(seed: UInt64) {
        var example = Case(seed: seed)
        let main = ["premium", "premium.yearly", "pro", "basic"]
        let ours = example.purchases.filter { main.contains($0.product ?? "") }
        let others = Self.purchases(&example.random).map { bought in
            var bought = bought
            bought.id = "other" + (bought.id ?? "")
            if bought.type == .undocumented { bought.type = .consumable }
            bought.product = ["weekly", "paper"].randomElement(using: &example.random)
            return bought
        }
        let rules = OfferRules(
            catalog: catalog,
            policies: OfferPolicies(
                refunds: example.rules.policies.refunds, staleEvidence: example.rules.policies.staleEvidence))
        func summaries(_ purchases: [Bought]) -> [VerdictSummary] {
            rules.verdicts(
                for: main, in: history(purchases, created: example.created), asOf: example.asOf,
                renewals: example.renewals
            ).map(VerdictSummary.init)
        }
        #expect(summaries(ours) == summaries(ours + others))
    }

    @Test(arguments: seeds)
    func theFirstFindingDecides(seed: UInt64) {
        let example = Case(seed: seed)
        for verdict in example.verdicts(example.purchases) {
            for offer in [verdict.introductoryOffer, verdict.promotionalOffer, verdict.winBackOffer] {
                #expect(offer.findings.first == offer.rule)
                #expect((offer.certainty == nil) == (offer.outcome == .undetermined))
                #expect(!offer.explanation.isEmpty)
            }
        }
    }
}
