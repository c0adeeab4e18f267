import AppReceipt
import Testing

@testable import OfferEligibility

struct PromotionalOfferTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let name: String
        let purchases: [Bought]
        var product = "basic"
        var scope = OfferPolicies.PromotionalScope.group
        let expected: String
        let transactions: [String]

        var testDescription: String { name }
    }

    static let other = Bought(product: "weekly", id: "w", from: "2026-01-01", to: "2026-02-01")
    static let legacy = Bought(product: "legacy", id: "l", from: "2026-01-01", to: "2026-02-01")

    @Test(arguments: [
        Row(
            name: "lapsed", purchases: [Bought(id: "1")],
            expected: "eligible/current-or-lapsed-subscriber/proven", transactions: ["1"]),
        Row(
            name: "current", purchases: [Bought(id: "1", to: "2026-07-01")],
            expected: "eligible/current-or-lapsed-subscriber/proven", transactions: ["1"]),
        Row(
            name: "refunded", purchases: [Bought(id: "1", cancelled: "2026-05-02")],
            expected: "eligible/current-or-lapsed-subscriber/proven", transactions: ["1"]),
        Row(
            name: "another group", purchases: [other],
            expected: "ineligible/never-subscribed/as_of_receipt", transactions: []),
        Row(
            name: "another group, scope app", purchases: [other], scope: .app,
            expected: "eligible/current-or-lapsed-subscriber/proven", transactions: ["w"]),
        Row(
            name: "uncatalogued", purchases: [legacy],
            expected: "undetermined/uncatalogued-history/-", transactions: ["l"]),
        Row(
            name: "uncatalogued, scope app", purchases: [legacy], scope: .app,
            expected: "eligible/current-or-lapsed-subscriber/proven", transactions: ["l"]),
        Row(
            name: "both, scope app: the explanation names the last", purchases: [legacy, other], scope: .app,
            expected: "eligible/current-or-lapsed-subscriber/proven", transactions: ["w"]),
        Row(
            name: "no subscription", purchases: [Bought(to: nil, type: .consumable)], scope: .app,
            expected: "ineligible/never-subscribed/as_of_receipt", transactions: []),
        Row(
            name: "nothing", purchases: [],
            expected: "ineligible/never-subscribed/as_of_receipt", transactions: []),
        Row(
            name: "an unlisted product", purchases: [other], product: "unlisted", scope: .app,
            expected: "undetermined/unknown-product/-", transactions: []),
    ])
    func decides(_ row: Row) {
        let offer = verdict(
            of: row.product, row.purchases, policies: OfferPolicies(promotionalScope: row.scope)
        ).promotionalOffer
        #expect(offer.short == row.expected)
        #expect(offer.transactions == row.transactions)
        #expect(offer.findings.first == offer.rule)
        #expect(offer.findings.count == 1)
    }

    @Test func wrongClockDoesNotAffectPromotionalOffers() {
        let offer = verdict([Bought(id: "1")], asOf: "2026-05-15", clock: true).promotionalOffer
        #expect(offer.short == "eligible/current-or-lapsed-subscriber/proven")
    }

    // Clock readings differ each time, but two answers to one question must not.
    @Test(arguments: [
        ("2026-04-15", false, "by 2026-04-15T09:00:00Z:"), ("2026-04-15", true, "by the time of the clock:"),
        ("2026-06-02", false, ", as of the receipt:"), ("2026-06-02", true, ", as of the receipt:"),
    ])
    func nothingBoughtUntil(asOf: String, clock: Bool, text: String) {
        let later = Bought(id: "1", from: "2026-05-01", to: "2026-07-01")
        let purchases = asOf < "2026-05" ? [later] : []
        let offer = verdict(purchases, asOf: asOf, clock: clock).promotionalOffer
        #expect(offer.rule == .neverSubscribed)
        #expect(offer.explanation.contains(text), "\(offer.explanation)")
    }
}
