import AppReceipt
import Testing

@testable import OfferEligibility

/// Each row of the table for introductory offers, with its boundaries.
struct IntroductoryOfferTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let name: String
        let purchases: [Bought]
        var asOf = "2026-06-02T00:00:00Z"
        var product = "basic"
        var clock = false
        var grace: String?
        var policies = OfferPolicies()
        let expected: String
        let findings: [OfferRuleID]
        var caveats: [OfferCaveat] = []
        var transactions: [String]?
        var coverage = PurchaseCoverage.complete

        var testDescription: String { name }
    }

    static let trial = Bought(id: "trial", from: "2026-03-01", to: "2026-03-08", trial: true)
    static let running = Bought(id: "running", from: "2026-05-15", to: "2026-06-15")
    static let lapsed = Bought(id: "lapsed", from: "2026-01-01", to: "2026-02-01")
    static let refund = Bought(id: "refund", from: "2026-05-15", to: "2026-06-15", cancelled: "2026-05-20")
    static let legacy = Bought(product: "legacy", id: "legacy", from: "2026-01-01", to: "2026-02-01")

    static let assigned = Bought(id: "assigned", from: "2026-01-01", to: "2026-02-01", assigned: true)

    static let rows = [
        // unknown-product: excludes all other rules
        Row(
            name: "an unlisted product", purchases: [trial, running, legacy], product: "legacy",
            expected: "undetermined/unknown-product/-", findings: [.unknownProduct], transactions: []),
        Row(
            name: "product ids differ by case", purchases: [running], product: "Basic",
            expected: "undetermined/unknown-product/-", findings: [.unknownProduct]),
        Row(
            name: "a prefix is another product", purchases: [running], product: "basi",
            expected: "undetermined/unknown-product/-", findings: [.unknownProduct]),

        // clock-before-receipt: a clock reading before 2026-06-01T10:00:00Z
        Row(
            name: "clock a millisecond before the receipt", purchases: [trial],
            asOf: "2026-06-01T09:59:59.999Z",
            clock: true, expected: "undetermined/clock-before-receipt/-",
            findings: [.clockBeforeReceipt, .offerUsed], transactions: []),
        Row(
            name: "clock at the receipt", purchases: [trial], asOf: "2026-06-01T10:00:00Z", clock: true,
            expected: "ineligible/offer-used/proven", findings: [.offerUsed]),
        Row(
            name: "a given date before the receipt is valid", purchases: [trial], asOf: "2026-05-01",
            expected: "ineligible/offer-used/proven", findings: [.offerUsed]),

        // offer-used: attribute 1713 or 1719, bought by the evaluation date
        Row(
            name: "trial flag", purchases: [trial], expected: "ineligible/offer-used/proven",
            findings: [.offerUsed], transactions: ["trial"]),
        Row(
            name: "intro flag alone",
            purchases: [Bought(id: "i", from: "2026-01-01", to: "2026-02-01", intro: true)],
            expected: "ineligible/offer-used/proven", findings: [.offerUsed], transactions: ["i"]),
        Row(
            name: "both flags false", purchases: [Bought(to: "2026-05-08", trial: false, intro: false)],
            expected: "eligible/lapsed/as_of_receipt", findings: [.lapsed]),
        Row(
            name: "a trial bought at the evaluation date", purchases: [trial], asOf: "2026-03-01",
            expected: "ineligible/offer-used/proven", findings: [.offerUsed, .subscribed]),
        Row(
            name: "a trial bought a millisecond later", purchases: [trial], asOf: "2026-03-01T08:59:59.999Z",
            expected: "eligible/never-subscribed/as_of_receipt", findings: [.neverSubscribed]),
        Row(
            name: "trial refunded",
            purchases: [Bought(id: "t", to: "2026-05-08", cancelled: "2026-05-03", trial: true)],
            expected: "ineligible/offer-used/proven", findings: [.offerUsed, .refunded], transactions: ["t"]),
        Row(
            name: "trial of another product of the group", purchases: [trial], product: "premium",
            expected: "ineligible/offer-used/proven", findings: [.offerUsed], transactions: ["trial"]),
        Row(
            name: "trial of another group", purchases: [trial], product: "weekly",
            expected: "eligible/never-subscribed/as_of_receipt", findings: [.neverSubscribed],
            transactions: []),
        Row(
            name: "flags of a consumable have no effect",
            purchases: [Bought(to: nil, type: .consumable, trial: true, intro: true)],
            expected: "eligible/never-subscribed/as_of_receipt", findings: [.neverSubscribed]),
        Row(
            name: "a promotional offer is not introductory",
            purchases: [Bought(to: "2026-05-08", offer: "PROMO")],
            expected: "eligible/lapsed/as_of_receipt", findings: [.lapsed]),
        Row(
            name: "a trial without a date is a used trial",
            purchases: [Bought(id: "t", from: nil, trial: true)],
            expected: "ineligible/offer-used/proven", findings: [.offerUsed], transactions: ["t"]),

        // in-grace-period: ends after the evaluation date, above subscribed and refunded
        Row(
            name: "the grace period ends a millisecond later", purchases: [lapsed],
            grace: "2026-06-02T00:00:00.001Z",
            expected: "ineligible/in-grace-period/as_of_renewal_info", findings: [.inGracePeriod]),
        Row(
            name: "the grace period ends at the evaluation date", purchases: [lapsed],
            grace: "2026-06-02T00:00:00Z",
            expected: "eligible/lapsed/as_of_receipt", findings: [.lapsed]),
        Row(
            name: "the grace period takes precedence", purchases: [running, refund, legacy],
            grace: "2026-07-01",
            expected: "ineligible/in-grace-period/as_of_renewal_info",
            findings: [.inGracePeriod, .subscribed, .refunded, .uncataloguedHistory]),
        Row(
            name: "a grace period without a purchase in the receipt", purchases: [], grace: "2026-07-01",
            expected: "ineligible/in-grace-period/as_of_renewal_info",
            findings: [.inGracePeriod, .neverSubscribed]),

        // subscribed: purchase ≤ evaluation date < expiration, not canceled by then
        Row(
            name: "at the purchase", purchases: [running], asOf: "2026-05-15",
            expected: "ineligible/subscribed/as_of_receipt", findings: [.subscribed],
            transactions: ["running"]),
        Row(
            name: "a millisecond before the expiry", purchases: [running], asOf: "2026-06-15T08:59:59.999Z",
            expected: "ineligible/subscribed/as_of_receipt", findings: [.subscribed]),
        Row(
            name: "at the expiry", purchases: [lapsed], asOf: "2026-02-01",
            expected: "eligible/lapsed/as_of_receipt", findings: [.lapsed], transactions: ["lapsed"]),
        Row(
            name: "between two periods only the second runs",
            purchases: [Bought(id: "a"), Bought(id: "b", from: "2026-06-01", to: "2026-07-01")],
            asOf: "2026-06-01", expected: "ineligible/subscribed/as_of_receipt", findings: [.subscribed],
            transactions: ["b"]),
        Row(
            name: "two subscriptions at once",
            purchases: [Bought(product: "premium", id: "b", from: "2026-05-20", to: "2027-05-20"), running],
            expected: "ineligible/subscribed/as_of_receipt", findings: [.subscribed],
            transactions: ["running", "b"]),
        Row(
            name: "no type but an expiry", purchases: [Bought(id: "0", to: "2026-07-01", type: nil)],
            expected: "ineligible/subscribed/as_of_receipt", findings: [.subscribed], transactions: ["0"]),
        Row(
            name: "no type and no expiry", purchases: [Bought(to: nil, type: nil)],
            expected: "eligible/never-subscribed/as_of_receipt", findings: [.neverSubscribed]),
        Row(
            name: "auto-renewable without an expiry shows no running period", purchases: [Bought(to: nil)],
            expected: "eligible/lapsed/as_of_receipt", findings: [.lapsed]),
        Row(
            name: "a stated type that is not a subscription",
            purchases: [Bought(to: "2027-01-01", type: .nonRenewingSubscription)],
            expected: "eligible/never-subscribed/as_of_receipt", findings: [.neverSubscribed]),

        // refunded: from the cancellation on
        Row(
            name: "cancelled at the evaluation date", purchases: [refund], asOf: "2026-05-20",
            expected: "ineligible/refunded/as_of_receipt", findings: [.refunded], transactions: ["refund"]),
        Row(
            name: "cancelled a millisecond later", purchases: [refund], asOf: "2026-05-20T08:59:59.999Z",
            expected: "ineligible/subscribed/as_of_receipt", findings: [.subscribed]),
        Row(
            name: "refunds ignored", purchases: [refund], policies: OfferPolicies(refunds: .ignore),
            expected: "eligible/lapsed/as_of_receipt", findings: [.lapsed]),
        Row(
            name: "a subscription takes precedence over a refund", purchases: [refund, running],
            expected: "ineligible/subscribed/as_of_receipt", findings: [.subscribed, .refunded],
            transactions: ["running"]),
        Row(
            name: "refund in another group", purchases: [refund], product: "weekly",
            expected: "eligible/never-subscribed/as_of_receipt", findings: [.neverSubscribed]),

        // uncatalogued-history: below rules about known facts, above rules about missing ones
        Row(
            name: "uncatalogued and refunded", purchases: [legacy, refund],
            expected: "ineligible/refunded/as_of_receipt", findings: [.refunded, .uncataloguedHistory]),
        Row(
            name: "uncatalogued only", purchases: [legacy], expected: "undetermined/uncatalogued-history/-",
            findings: [.uncataloguedHistory, .neverSubscribed], transactions: ["legacy"]),
        Row(
            name: "uncatalogued and lapsed", purchases: [legacy, lapsed],
            expected: "undetermined/uncatalogued-history/-", findings: [.uncataloguedHistory],
            transactions: ["legacy"]),
        Row(
            name: "uncatalogued, after the evaluation date", purchases: [legacy], asOf: "2025-12-31",
            expected: "eligible/never-subscribed/as_of_receipt", findings: [.neverSubscribed]),
        Row(
            name: "an uncatalogued consumable is not history",
            purchases: [Bought(product: "gems", to: nil, type: .consumable)],
            expected: "eligible/never-subscribed/as_of_receipt", findings: [.neverSubscribed]),
        Row(
            name: "a purchase without a product", purchases: [Bought(product: nil, id: "x")],
            expected: "undetermined/uncatalogued-history/-",
            findings: [.uncataloguedHistory, .neverSubscribed]),

        // unknown-ownership: below rules about known facts, above uncatalogued-history
        Row(
            name: "an unknown owner and a refund", purchases: [assigned, refund],
            expected: "ineligible/refunded/as_of_receipt", findings: [.refunded, .unknownOwnership],
            caveats: [.unknownOwnership]),
        Row(
            name: "an unknown owner and uncatalogued", purchases: [legacy, assigned],
            expected: "undetermined/unknown-ownership/-",
            findings: [.unknownOwnership, .uncataloguedHistory, .neverSubscribed],
            transactions: ["assigned"]),

        Row(
            name: "no evidence lists purchases", purchases: [],
            expected: "undetermined/no-purchase-evidence/-",
            findings: [.noPurchaseEvidence, .neverSubscribed], transactions: [], coverage: .nothing),
        Row(
            name: "no purchases", purchases: [], expected: "eligible/never-subscribed/as_of_receipt",
            findings: [.neverSubscribed], transactions: []),
        Row(
            name: "lapsed", purchases: [lapsed], expected: "eligible/lapsed/as_of_receipt",
            findings: [.lapsed],
            transactions: ["lapsed"]),
    ]

    @Test(arguments: rows)
    func decides(_ row: Row) {
        let renewals = row.grace.map {
            [RenewalInformation.Entry(productID: "basic", isInBillingRetry: true, gracePeriodEnd: at($0))]
        }
        let offer = verdict(
            of: row.product, row.purchases, asOf: row.asOf, clock: row.clock, policies: row.policies,
            renewals: renewals, coverage: row.coverage
        ).introductoryOffer
        #expect(offer.short == row.expected)
        #expect(offer.findings == row.findings)
        #expect(offer.caveats == row.caveats)
        if let transactions = row.transactions { #expect(offer.transactions == transactions) }
    }

    // The caveat: the last period ended after the receipt's creation and has ended.
    @Test(arguments: [
        // receipt's creation, evaluation date, caveat
        ("2026-05-20", "2026-06-02", true),
        ("2026-05-01", "2026-06-02", true),  // created at the purchase
        ("2026-05-20", "2026-06-01", true),  // evaluated at the expiration
        ("2026-06-01", "2026-06-02", false),  // created at the expiration
        ("2026-04-30", "2026-06-02", true),  // renewed ahead: bought a day after the creation
    ])
    func staleEvidence(created: String, asOf: String, isStale: Bool) {
        let accepted = verdict([Bought()], asOf: asOf, created: created).introductoryOffer
        #expect(accepted.short == "eligible/lapsed/as_of_receipt")
        #expect(accepted.caveats == (isStale ? [.renewalPossible] : []))

        let strict = verdict(
            [Bought()], asOf: asOf, created: created, policies: OfferPolicies(staleEvidence: .undetermined)
        ).introductoryOffer
        #expect(strict.short == (isStale ? "undetermined/lapsed/-" : "eligible/lapsed/as_of_receipt"))
        #expect(strict.caveats == accepted.caveats)
    }

    @Test func aProvenVerdictHasNoCaveat() {
        let offer = verdict(
            [Bought(trial: true)], created: "2026-05-20",
            policies: OfferPolicies(staleEvidence: .undetermined)
        ).introductoryOffer
        #expect(offer.short == "ineligible/offer-used/proven")
        #expect(offer.caveats.isEmpty)
    }

    @Test func everyRuleDecidesARow() {
        let decided = Set(Self.rows.map { $0.expected.split(separator: "/")[1] })
        #expect(Set(OfferRule.introductory.map { Substring($0.id.name) }) == decided)
    }

    @Test(arguments: [("basic", true), ("pro", false), ("unlisted", nil)])
    func configured(product: String, expected: Bool?) {
        #expect(verdict(of: product, []).introductoryOffer.configured == expected)
    }
}
