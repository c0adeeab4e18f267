import AppReceipt
import ReceiptForge
import TestSupport
import Testing

@testable import OfferEligibility

/// The rule that a switch is not a refund.
///
/// The cancellation is within 60 s, inclusive, of the purchase of another product of the group. If the
/// catalog ranks the products, the rank of the other must be equal or higher.
struct SwitchTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let name: String
        var old = "basic"
        var new = "premium"
        /// The date of the cancellation. The new product is bought at 12:00:00 on March 10.
        let cancelled: String
        var asOf = "2026-06-02T00:00:00Z"
        let isRefund: Bool

        var testDescription: String { name }
    }

    @Test(arguments: [
        Row(name: "two seconds after", cancelled: "2026-03-10T12:00:02Z", isRefund: false),
        Row(name: "ten seconds before", cancelled: "2026-03-10T11:59:50Z", isRefund: false),
        Row(name: "60 s after", cancelled: "2026-03-10T12:01:00Z", isRefund: false),
        Row(name: "60 s and 1 ms after", cancelled: "2026-03-10T12:01:00.001Z", isRefund: true),
        Row(name: "60 s before", cancelled: "2026-03-10T11:59:00Z", isRefund: false),
        Row(name: "60 s and 1 ms before", cancelled: "2026-03-10T11:58:59.999Z", isRefund: true),
        Row(name: "one rank up", new: "pro", cancelled: "2026-03-10T12:00:00Z", isRefund: false),
        Row(
            name: "the same rank", old: "premium", new: "premium.yearly", cancelled: "2026-03-10T12:00:00Z",
            isRefund: false),
        Row(
            name: "one rank down", old: "premium", new: "basic", cancelled: "2026-03-10T12:00:00Z",
            isRefund: true),
        Row(
            name: "the same product", old: "basic", new: "basic", cancelled: "2026-03-10T12:00:00Z",
            isRefund: true),
        Row(name: "another group", new: "weekly", cancelled: "2026-03-10T12:00:00Z", isRefund: true),
        Row(name: "a product of no group", new: "legacy", cancelled: "2026-03-10T12:00:00Z", isRefund: true),
        Row(
            name: "evaluated before the new purchase", cancelled: "2026-03-10T11:59:50Z",
            asOf: "2026-03-10T11:59:55Z", isRefund: true),
    ])
    func switchIsNotARefund(_ row: Row) {
        let purchases = [
            Bought(product: row.new, id: "new", from: "2026-03-10T12:00:00Z", to: "2026-04-10"),
            Bought(
                product: row.old, id: "old", from: "2026-03-01", to: "2026-04-01", cancelled: row.cancelled),
        ]
        let offer = verdict(of: row.old, purchases, asOf: row.asOf).introductoryOffer
        #expect(offer.findings.contains(.refunded) == row.isRefund)
        if offer.rule == .refunded { #expect(offer.transactions == ["old"]) }
    }

    // Neither a refund nor the opposite is known, unless it is a switch, or refunds are ignored.
    @Test(arguments: [
        (
            Bought(cancelled: "2026-05-10", reason: 2), OfferPolicies.Refunds.block,
            "undetermined/uncatalogued-history/-"
        ),
        (Bought(cancelled: "2026-05-10", reason: 2), .ignore, "eligible/lapsed/as_of_receipt"),
        (Bought(cancelled: "2026-05-10", reason: 2, upgraded: true), .block, "eligible/lapsed/as_of_receipt"),
        (Bought(cancelled: "2026-05-10", reason: 2, trial: true), .block, "ineligible/offer-used/proven"),
        (Bought(cancelled: "2026-05-10", reason: 1), .block, "ineligible/refunded/as_of_receipt"),
        // A reason without a cancellation, and one after the question's date.
        (Bought(reason: 2), .block, "eligible/lapsed/as_of_receipt"),
        (Bought(cancelled: "2026-07-10", reason: 2), .block, "eligible/lapsed/as_of_receipt"),
    ])
    func unknownReason(bought: Bought, refunds: OfferPolicies.Refunds, expected: String) {
        let policies = OfferPolicies(refunds: refunds)
        #expect(verdict(of: "basic", [bought], policies: policies).introductoryOffer.short == expected)
    }

    /// Checks JWS of one second, of which only one has a cancellation, in both orders.
    @Test func unknownReasonBesideNone() throws {
        let evidence = [
            Evidence.jws("2026-05-20", Bought()),
            .jws("2026-05-20", Bought(cancelled: "2026-05-10", reason: 2)),
        ]
        // Another reason, signed later in that second.
        let known = Evidence.jws("2026-05-20T09:00:00.700Z", Bought(cancelled: "2026-05-10", reason: 0))
        for order in [evidence, evidence.reversed(), [known, evidence[1]], [evidence[1], known]] {
            let offer = try verdicts(order)[0].introductoryOffer
            #expect(offer.short == "undetermined/uncatalogued-history/-")
        }
    }

    /// Checks that a newer receipt, which cannot state the kind of a revocation, does not make it known.
    @Test func unknownRevocationBesideANewerReceipt() throws {
        let signed = Evidence.jws(
            "2026-05-20", Bought(cancelled: "2026-05-10", reason: 0, unknownRevocation: true))
        let receipt = Evidence.receipt("2026-05-25", [Bought(cancelled: "2026-05-10", reason: 0)])
        for order in [[signed, receipt], [receipt, signed]] {
            let offer = try verdicts(order)[0].introductoryOffer
            #expect(offer.short == "undetermined/uncatalogued-history/-")
        }
    }

    @Test func unknownReasonIsExplained() {
        let offer = verdict(of: "basic", [Bought(cancelled: "2026-05-10", reason: 2)]).introductoryOffer
        #expect(
            offer.explanation.hasSuffix("was cancelled for an unknown reason: it may have been refunded."))
    }

    @Test func unknownOfferAndReasonCountOnce() {
        let bought = Bought(cancelled: "2026-05-10", reason: 2, unknownOffer: true)
        let offer = verdict(of: "basic", [bought]).introductoryOffer
        #expect(offer.explanation.hasPrefix("The purchase of basic on 2026-05-01T09:00:00Z is under"))
    }

    // A renewal that was charged ahead begins on March 10 at 12:00:00. In a published answer, the upgrade was bought three and a
    // half hours before, and the renewal was canceled eight hours after the upgrade.
    @Test(arguments: [
        (Upgrade(), false),
        // A day before the renewal, and a second more.
        (Upgrade(from: "2026-03-09T12:00:00Z"), false), (Upgrade(from: "2026-03-09T11:59:59Z"), true),
        // Canceled a day after it began, and a second more.
        (Upgrade(cancelled: "2026-03-11T12:00:00Z"), false),
        (Upgrade(cancelled: "2026-03-11T12:00:01Z"), true),
        // Canceled before the upgrade was bought.
        (Upgrade(cancelled: "2026-03-10T08:00:00Z"), true),
        // A change of the product was scheduled for the renewal.
        (Upgrade(former: "premium"), false), (Upgrade(former: "basic"), false),
        // It may be the successor of the other product.
        (Upgrade(former: "basic", isUpgraded: true), true), (Upgrade(isUpgraded: true), false),
        // A renewal after a gap.
        (Upgrade(formerEnd: "2026-03-10T11:58:00Z"), true),
        // Another subscription, the same product, and a downgrade.
        (Upgrade(original: "other"), true), (Upgrade(product: "pro"), true),
        (Upgrade(product: "basic"), true),
        // The upgrade itself had ended.
        (Upgrade(to: "2026-03-10T12:01:00Z"), true),
        (Upgrade(upgradeCancelled: "2026-03-10T11:00:00Z"), true),
    ])
    func replacedRenewalIsNotARefund(upgrade: Upgrade, isRefund: Bool) {
        #expect(verdict(of: "pro", upgrade.purchases).refunds.contains("renewal") == isRefund)
    }

    /// Checks that the renewal does not end the upgrade, which was upgraded again later.
    @Test(arguments: [
        // Before the second upgrade, and after it.
        ("2026-03-20T00:00:00Z", "ineligible/subscribed/as_of_receipt"),
        ("2026-04-20T00:00:00Z", "eligible/lapsed/as_of_receipt"),
    ])
    func replacedRenewalIsNoSuccessor(asOf: String, expected: String) {
        let last = Bought(
            product: "premium", id: "last", original: "first", from: "2026-04-01T12:00:00Z", to: "2026-04-15")
        let verdict = verdict(
            of: "basic", Upgrade(isUpgraded: true).purchases + [last], asOf: asOf)
        #expect(verdict.refunds.isEmpty)
        #expect(verdict.introductoryOffer.short == expected)
    }

    /// Checks that the answer does not depend on the order of a hash. More purchases of other subscriptions than are searched lie
    /// between an upgrade and the renewal that it replaced.
    @Test func replacedRenewalBehindManyPurchases() {
        var purchases = Upgrade(upgradeCancelled: nil).purchases
        (purchases[2].cancelled, purchases[2].upgraded) = (nil, true)
        let second = Bought(
            product: "basic", id: "second", original: "second", from: "2026-03-10T08:31:00Z",
            to: "2026-05-20",
            upgraded: true)
        let others = (0..<40).map {
            Bought(
                product: "basic", id: "\($0)", original: "\($0)", from: "2026-03-10T09:00:00Z",
                to: "2026-03-10T10:00:00Z")
        }
        let answers = (0..<20).map { number in
            for index in purchases.indices { purchases[index].original = "first \(number)" }
            return verdict(of: "basic", purchases + [second] + others, asOf: "2026-05-15T00:00:00Z")
                .introductoryOffer.short
        }
        #expect(Set(answers) == ["ineligible/subscribed/as_of_receipt"])
    }

    struct Upgrade: Sendable {
        var product = "premium.yearly"
        var original = "first"
        var from = "2026-03-10T08:30:00Z"
        var to = "2026-05-10T08:30:00Z"
        var cancelled = "2026-03-10T16:30:00Z"
        var upgradeCancelled: String?
        var former = "pro"
        var formerEnd = "2026-03-10T12:00:00Z"
        var isUpgraded = false

        var purchases: [Bought] {
            [
                Bought(
                    product: former, id: "first", original: "first", from: "2026-02-10T12:00:00Z",
                    to: formerEnd),
                Bought(
                    product: product, id: "upgrade", original: original, from: from, to: to,
                    cancelled: upgradeCancelled, upgraded: isUpgraded),
                Bought(
                    product: "pro", id: "renewal", original: "first", from: "2026-03-10T12:00:00Z",
                    to: "2026-04-10T12:00:00Z", cancelled: cancelled),
            ]
        }
    }

    @Test func withoutRanksAnyOtherProductOfTheGroupCounts() {
        let purchases = [
            Bought(product: "basic", id: "new", from: "2026-03-10T12:00:00Z", to: "2026-04-10"),
            Bought(
                product: "premium", id: "old", from: "2026-03-01", to: "2026-04-01",
                cancelled: "2026-03-10T12:00:00Z"),
        ]
        #expect(verdict(of: "x", purchases, catalog: .singleGroup).introductoryOffer.rule == .lapsed)
    }

    @Test func ofTwoCancellationsOnlyTheSecondIsARefund() {
        let purchases = [
            Bought(product: "pro", id: "a", cancelled: "2026-05-10T12:00:01Z"),
            Bought(
                product: "premium", id: "b", from: "2026-05-10T12:00:00Z", to: "2026-06-10",
                cancelled: "2026-05-25"),
        ]
        let verdict = verdict(of: "pro", purchases)
        #expect(verdict.introductoryOffer.transactions == ["b"])
        #expect(verdict.subscription.kind == .refunded)
        #expect(verdict.subscription.since == at("2026-05-25"))
    }

    /// Purchases within minutes of one another, each canceled. The test compares the results with a pairwise
    /// check of the rule.
    @Test(arguments: 0..<40 as Range<UInt64>)
    func switchesAmongManyPurchases(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let products = Array(
            ["premium", "premium.yearly", "pro", "basic", "weekly", "paper", "none"].shuffled(
                using: &generator
            ).prefix(1 + Int(seed % 7)))
        let start = at("2026-03-10T12:00:00Z").millisecondsSince1970
        let spread: ClosedRange<Int64> = 0...[60_000, 120_000, 400_000, 3_000_000][Int(seed / 7 % 4)]
        func date() -> Timestamp {
            // Whole seconds, so that some dates meet the bounds exactly.
            Timestamp(
                millisecondsSince1970: start + Int64.random(in: spread, using: &generator) / 1000 * 1000)
        }
        let purchases = (0..<200).map { number in
            Bought(
                product: products.randomElement(using: &generator), id: "\(number)", from: date().rfc3339,
                to: "2026-04-10", cancelled: date().rfc3339)
        }
        let ranks = Dictionary(
            uniqueKeysWithValues: catalog.products.map { ($0.id, ($0.group, $0.rank ?? 0)) })
        func isSwitch(_ old: Bought, isRanked: Bool) -> Bool {
            purchases.contains { new in
                guard let from = new.from, let cancelled = old.cancelled, new.product != old.product,
                    abs(at(from).millisecondsSince1970 - at(cancelled).millisecondsSince1970) <= 60_000
                else { return false }
                guard isRanked else { return true }
                guard let one = ranks[old.product ?? ""], let other = ranks[new.product ?? ""] else {
                    return false
                }
                return one.0 == other.0 && other.1 <= one.1
            }
        }
        for isRanked in [true, false] {
            let verdicts = OfferRules(catalog: isRanked ? catalog : .singleGroup).verdicts(
                for: isRanked ? ["basic", "weekly"] : ["x"], in: history(purchases),
                asOf: .date(at("2026-06-02")))
            for verdict in verdicts {
                let group = verdict.subscriptionGroup
                let refunded = purchases.filter {
                    (!isRanked || ranks[$0.product ?? ""]?.0 == group) && !isSwitch($0, isRanked: isRanked)
                }
                #expect(Set(refunded.compactMap { $0.id }) == Set(verdict.refunds))
            }
        }
    }

    /// Checks that many purchases within a minute without a switch from premium do not take quadratic time.
    /// Comparing all pairs would.
    @Test(arguments: ["premium", "basic"])
    func manyPurchasesTakeLinearTime(other: String) {
        func time(_ count: Int) -> UInt64 {
            let purchases = (0..<count).map { number in
                Bought(
                    product: number.isMultiple(of: 2) ? "premium" : other, id: "\(number)",
                    from: "2026-03-10T12:00:00Z", to: "2026-04-10", cancelled: "2026-03-10T12:00:30Z")
            }
            let history = history(purchases)
            let rules = OfferRules(catalog: catalog)
            return Cost.time {
                _ = rules.verdicts(for: ["premium"], in: history, asOf: .date(at("2026-06-02")))
            }
        }
        #expect(time(12_000) < time(1_000) * 50)
    }

    @Test func theWindowIsFoundAmongManyPurchases() {
        var purchases = (0..<300).map { day in
            Bought(
                product: "weekly", id: "w\(day)",
                from: Timestamp.day(day), to: Timestamp.day(day + 1), cancelled: Timestamp.day(day + 1))
        }
        purchases.append(
            Bought(product: "basic", id: "old", from: "2026-03-01", cancelled: "2026-03-10T12:00:30Z"))
        purchases.append(Bought(product: "pro", id: "new", from: "2026-03-10T12:00:00Z", to: "2026-04-10"))
        #expect(verdict(of: "basic", purchases).introductoryOffer.rule == .lapsed)
        // Each is canceled when the next begins, but all are the same product, so all are refunds.
        #expect(verdict(of: "weekly", purchases).refunds.count == 300)
    }
}

extension ProductVerdict {
    /// The identifiers of the group's refunds. An answer names only the first hundred.
    fileprivate var refunds: [String] {
        facts?.refunded.compactMap { customer.history.string(customer.history.transactions[$0].id) } ?? []
    }
}
