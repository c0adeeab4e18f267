import AppReceipt
import ReceiptForge
import Testing

@testable import OfferEligibility

/// Properties of all mixed histories. Histories come from fixed seeds.
struct MixedPropertyTests {
    static let seeds: [UInt64] = Array(1...400)
    static let products = PropertyTests.products + ["legacy"]

    /// Returns a date within a few weeks, so that evidence overlaps.
    private static func date(_ random: inout SplitMix64) -> String {
        let milliseconds: Int64 = [0, 0, 0, 250, 1000].randomElement(using: &random) ?? 0
        let day = at(Timestamp.day(Int.random(in: 0..<60, using: &random)))
        return Timestamp(millisecondsSince1970: day.millisecondsSince1970 + milliseconds).rfc3339
    }

    private static func bought(_ random: inout SplitMix64, isSigned: Bool, with surprises: Surprises)
        -> Bought
    {
        func oneIn(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }
        var bought = Bought()
        bought.product = products.randomElement(using: &random)
        bought.id = ["1", "2", "3", "4", "5", "0", nil].randomElement(using: &random) ?? nil
        bought.original = ["1", "2", nil].randomElement(using: &random) ?? nil
        bought.from = oneIn(12) ? nil : date(&random)
        bought.to = oneIn(10) ? nil : date(&random)
        bought.cancelled = oneIn(4) ? date(&random) : nil
        bought.type = oneIn(8) ? nil : oneIn(8) ? .consumable : .autoRenewableSubscription
        bought.trial = [true, false, false, nil].randomElement(using: &random) ?? nil
        bought.intro = [true, false, false, nil].randomElement(using: &random) ?? nil
        guard isSigned else { return bought }
        bought.free = oneIn(4)
        bought.upgraded = oneIn(4)
        let listed = catalog.product(bought.product ?? "")?.group ?? "main"
        bought.group =
            oneIn(4)
            ? nil
            : surprises.contains(.groups) && oneIn(3)
                ? ["main", "news"].randomElement(using: &random) : listed
        // A product that no catalog lists has one group. Otherwise, one proof could contradict another.
        if catalog.product(bought.product ?? "") == nil { bought.group = oneIn(4) ? nil : "main" }
        bought.shared = surprises.contains(.family) && oneIn(5)
        bought.assigned = surprises.contains(.owners) && oneIn(3)
        return bought
    }

    /// Unusual facts. Unusual groups and family members may change a proven answer.
    struct Surprises: OptionSet, Sendable {
        let rawValue: Int
        /// Groups of Apple's that differ from those of the catalog.
        static let groups = Surprises(rawValue: 1)
        /// Purchases of family members.
        static let family = Surprises(rawValue: 2)
        /// Purchases of an unknown owner.
        static let owners = Surprises(rawValue: 4)
    }

    static func evidence(_ random: inout SplitMix64, with surprises: Surprises) -> [Evidence] {
        (0..<Int.random(in: 1...8, using: &random)).map { _ in
            let date = date(&random)
            switch Int.random(in: 0..<7, using: &random) {
            case 0, 1:
                let count = Int.random(in: 0..<4, using: &random)
                return .receipt(
                    date, (0..<count).map { _ in bought(&random, isSigned: false, with: surprises) })
            case 2, 3, 4: return .jws(date, bought(&random, isSigned: true, with: surprises))
            case 5:
                return .renewal(
                    date,
                    Renewal(
                        product: products.randomElement(using: &random),
                        next: products.randomElement(using: &random),
                        original: ["1", "2", "9", nil].randomElement(using: &random) ?? nil,
                        renews: [true, false, nil].randomElement(using: &random) ?? nil,
                        retry: Bool.random(using: &random),
                        grace: Bool.random(using: &random) ? Self.date(&random) : nil,
                        expired: Bool.random(using: &random),
                        offers: [["A", "B"], ["B", "A"], [], nil].randomElement(using: &random) ?? nil))
            default: return .appTransaction(date)
            }
        }
    }

    struct Case {
        var random: SplitMix64
        let rules: OfferRules
        let renewals: RenewalInformation?
        let instant: Timestamp
        let evidence: [Evidence]

        init(seed: UInt64, with surprises: Surprises = [.groups, .family, .owners]) {
            random = SplitMix64(seed: seed)
            rules = PropertyTests.rules(&random)
            renewals = PropertyTests.renewals(&random)
            instant = at(MixedPropertyTests.date(&random))
            evidence = MixedPropertyTests.evidence(&random, with: surprises)
        }

        func verdicts(
            _ evidence: [Evidence], _ asOf: EligibilityInstant, for products: [String] = products
        ) throws -> [ProductVerdict] {
            rules.verdicts(
                for: products, in: try PurchaseHistory(objects: evidence.map(\.object)), asOf: asOf,
                renewals: renewals)
        }

        private static let products = MixedPropertyTests.products
    }

    @Test(arguments: seeds)
    func theOrderOfEvidenceNeverMatters(seed: UInt64) throws {
        var example = Case(seed: seed)
        let expected = try example.verdicts(example.evidence, .clock(example.instant)).map(
            VerdictSummary.init)
        for _ in 0..<3 {
            let shuffled = example.evidence.shuffled(using: &example.random)
            #expect(
                try example.verdicts(shuffled, .clock(example.instant)).map(VerdictSummary.init) == expected)
        }
    }

    @Test(arguments: seeds)
    func severalProductsAnswerLikeEachAlone(seed: UInt64) throws {
        let example = Case(seed: seed)
        let alone = try Self.products.flatMap {
            try example.verdicts(example.evidence, .date(example.instant), for: [$0])
        }
        #expect(
            try example.verdicts(example.evidence, .date(example.instant)).map(VerdictSummary.init)
                == alone.map(VerdictSummary.init))
    }

    @Test(arguments: seeds)
    func theFirstFindingDecides(seed: UInt64) throws {
        let example = Case(seed: seed)
        for verdict in try example.verdicts(example.evidence, .date(example.instant)) {
            for offer in [verdict.introductoryOffer, verdict.promotionalOffer, verdict.winBackOffer] {
                #expect(offer.findings.first == offer.rule)
                #expect((offer.certainty == nil) == (offer.outcome == .undetermined))
                #expect((offer.offers != nil) == (offer.rule == .appleOffers))
                #expect(Set(offer.caveats).count == offer.caveats.count)
            }
        }
    }

    // If Apple and the catalog differ on the group, the answer may change, but has the caveat.
    @Test(arguments: seeds, [[], .groups, .owners] as [Surprises])
    func moreEvidenceNeverChangesAProvenAnswer(seed: UInt64, surprises: Surprises) throws {
        var example = Case(seed: seed, with: surprises)
        let more = example.evidence + Self.evidence(&example.random, with: surprises)
        let before = try example.verdicts(example.evidence, .date(example.instant))
        let after = try example.verdicts(more, .date(example.instant))
        for (before, after) in zip(before, after) {
            let offers = [
                (before.introductoryOffer, after.introductoryOffer),
                (before.promotionalOffer, after.promotionalOffer),
            ]
            for (old, new) in offers where old.certainty == .proven && !new.caveats.contains(.groupDiffers) {
                #expect(new.outcome == old.outcome, "\(old) became \(new)")
            }
        }
    }
}
