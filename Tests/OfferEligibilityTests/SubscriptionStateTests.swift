import AppReceipt
import Testing

@testable import OfferEligibility

struct SubscriptionStateTests {
    typealias Entry = RenewalInformation.Entry

    struct Row: CustomTestStringConvertible, Sendable {
        let name: String
        let purchases: [Bought]
        var renewals: [Entry]?
        var product = "basic"
        var clock = false
        var asOf = "2026-06-02T00:00:00Z"
        let kind: SubscriptionState.Kind
        var holder: String?
        var since: String?
        var until: String?

        var testDescription: String { name }
    }

    static let over = Bought(from: "2026-05-01", to: "2026-06-01")
    static let retry = Entry(productID: "basic", isInBillingRetry: true)

    @Test(arguments: [
        Row(
            name: "active until the later end",
            purchases: [
                Bought(to: "2026-06-15"), Bought(product: "premium", from: "2026-05-20", to: "2027-05-20"),
            ],
            kind: .active, holder: "premium", since: "2026-05-20", until: "2027-05-20"),
        Row(
            name: "active, although retried later", purchases: [over], renewals: [retry], asOf: "2026-05-15",
            kind: .active, holder: "basic", since: "2026-05-01", until: "2026-06-01"),
        Row(
            name: "grace period", purchases: [over],
            renewals: [Entry(productID: "basic", isInBillingRetry: true, gracePeriodEnd: at("2026-06-17"))],
            kind: .gracePeriod, holder: "basic", since: "2026-06-01", until: "2026-06-17"),
        Row(
            name: "billing retry", purchases: [over], renewals: [retry], kind: .billingRetry, holder: "basic",
            since: "2026-06-01"),
        Row(name: "lapsed", purchases: [over], kind: .lapsed, holder: "basic", since: "2026-06-01"),
        Row(
            name: "the later purchase ended earlier",
            purchases: [Bought(product: "pro", from: "2026-05-10", to: "2026-05-17"), over], kind: .lapsed,
            holder: "basic", since: "2026-06-01"),
        Row(
            name: "refunded", purchases: [Bought(to: "2026-07-01", cancelled: "2026-05-20")], kind: .refunded,
            holder: "basic", since: "2026-05-20"),
        Row(
            name: "a refunded year that ended before an expired month",
            purchases: [
                Bought(product: "premium", from: "2025-01-01", to: "2026-12-31", cancelled: "2025-02-01"),
                over,
            ],
            kind: .lapsed, holder: "basic", since: "2026-06-01"),
        Row(
            name: "refunded after its end", purchases: [Bought(cancelled: "2026-06-01T12:00:00Z")],
            kind: .lapsed, holder: "basic", since: "2026-06-01"),
        Row(name: "never", purchases: [], kind: .neverSubscribed),
        Row(name: "uncatalogued history only", purchases: [Bought(product: "legacy")], kind: .unknown),
        Row(name: "an unlisted product", purchases: [over], product: "unlisted", kind: .unknown),
        Row(name: "wrong clock", purchases: [over], clock: true, asOf: "2026-05-15", kind: .unknown),
    ])
    func stateFollowsFromThePurchases(_ row: Row) {
        let state = verdict(
            of: row.product, row.purchases, asOf: row.asOf, clock: row.clock, renewals: row.renewals
        )
        .subscription
        let expected = SubscriptionState(
            kind: row.kind, productID: row.holder, since: row.since.map(at), until: row.until.map(at))
        #expect(state == expected)
    }

    @Test func policiesDoNotChangeTheState() {
        let purchases = [Bought(to: "2026-07-01", cancelled: "2026-05-20")]
        let verdict = verdict(purchases, policies: OfferPolicies(refunds: .ignore))
        #expect(verdict.introductoryOffer.outcome == .eligible)
        #expect(verdict.subscription.kind == .refunded)
    }

    @Test func periodsAreInOrder() {
        let purchases = [
            Bought(id: "d", from: "2026-05-15", to: "2026-07-01", cancelled: "2026-05-20"),
            Bought(id: "c", from: "2026-03-01", to: "2026-04-01"),
            Bought(id: "b", from: "2026-02-01", to: "2026-03-01", intro: true),
            Bought(id: "a", from: "2026-01-01", to: "2026-02-01", trial: true, intro: true),
            Bought(id: "later", from: "2026-06-03", to: "2026-07-03"),
            Bought(product: "weekly", id: "other"),
        ]
        let periods = verdict(purchases).periods
        #expect(periods.map(\.transactionID) == ["a", "b", "c", "d"])
        #expect(periods.map(\.kind) == [.trial, .intro, .paid, .refunded])
        #expect(periods.last?.end == at("2026-05-20"))
    }
}
