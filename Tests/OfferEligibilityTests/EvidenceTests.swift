import AppReceipt
import Testing

@testable import OfferEligibility

/// Several evidence objects of one customer, evaluated as of 2026-06-10, in both orders.
struct EvidenceTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let name: String
        var product = "basic"
        let evidence: [Evidence]
        var caveats: [OfferCaveat] = []
        let introductory: String
        var promotional = "eligible/current-or-lapsed-subscriber/proven"
        var winBack: String?
        var state: SubscriptionState.Kind?
        var date: String?
        /// Whether a subscription of the group has an owner that no rule knows.
        var isAssigned = false

        var testDescription: String { name }

        /// Returns the caveats that follow from the evidence and the deciding rule.
        func doubts(_ offer: OfferVerdict) -> Set<OfferCaveat> {
            let isComplete = evidence.contains { if case .receipt = $0 { true } else { false } }
            let isPartial = !isComplete && [.neverSubscribed, .lapsed].contains(offer.rule)
            let isAssigned = isAssigned && offer.rule != .unknownOwnership
            return Set((isPartial ? [.partialEvidence] : []) + (isAssigned ? [.unknownOwnership] : []))
        }
    }

    static let lapsed = "eligible/lapsed/as_of_receipt"
    static let subscribed = "ineligible/subscribed/as_of_receipt"
    static let used = "ineligible/offer-used/proven"
    static let never = "eligible/never-subscribed/as_of_receipt"
    static let none = "ineligible/never-subscribed/as_of_receipt"
    /// A receipt from after the period.
    static let later = Evidence.receipt("2026-06-05", [])

    static let upgrades = [
        Row(
            name: "isUpgraded is not a refund, whatever the dates",
            evidence: [.jws("2026-06-05", Bought(cancelled: "2026-05-10", upgraded: true)), later],
            introductory: lapsed,
            state: .lapsed, date: "2026-05-10"),
        Row(
            name: "ends at the purchase of its successor",
            evidence: [
                .jws("2026-06-05", Bought(to: "2026-08-01", upgraded: true)),
                .jws("2026-06-05", Bought(product: "premium", id: "2", from: "2026-05-10", to: "2026-06-02")),
                later,
            ],
            introductory: lapsed, state: .lapsed, date: "2026-06-02"),
        Row(
            name: "a renewal of the same product is not a successor",
            evidence: [
                .jws("2026-06-05", Bought(to: "2026-08-01", upgraded: true)),
                .jws("2026-06-05", Bought(id: "2", from: "2026-05-10", to: "2026-05-20")), later,
            ],
            introductory: subscribed, state: .active, date: "2026-08-01"),
        Row(
            name: "the successor is the next purchase of another product",
            evidence: [
                .jws("2026-06-05", Bought(to: "2026-08-01", upgraded: true)),
                .jws("2026-06-05", Bought(id: "2", from: "2026-05-10", to: "2026-05-20")),
                .jws("2026-06-05", Bought(product: "pro", id: "3", from: "2026-05-15", to: "2026-05-16")),
                later,
            ],
            introductory: lapsed, state: .lapsed, date: "2026-05-20"),
        Row(
            name: "without a successor it ends at its expiration",
            evidence: [
                .jws("2026-06-05", Bought(to: "2026-08-01", upgraded: true)),
                .jws("2026-06-05", Bought(product: "weekly", id: "2", from: "2026-05-10", to: "2026-05-17")),
                later,
            ],
            introductory: subscribed, state: .active, date: "2026-08-01"),
        Row(
            name: "a customer's purchase does not succeed a family member's", product: "premium",
            evidence: [
                .jws("2026-06-05", Bought(to: "2026-08-01", upgraded: true, shared: true)),
                .jws("2026-06-05", Bought(product: "premium", id: "2", from: "2026-05-10", to: "2026-05-20")),
                later,
            ],
            caveats: [.familyShared], introductory: subscribed, state: .active, date: "2026-08-01"),
        Row(
            name: "a family member's purchase succeeds a family member's",
            evidence: [
                .jws("2026-06-05", Bought(to: "2026-08-01", upgraded: true, shared: true)),
                .jws(
                    "2026-06-05",
                    Bought(product: "premium", id: "2", from: "2026-05-10", to: "2026-06-02", shared: true)),
                later,
            ],
            caveats: [.familyShared], introductory: never, promotional: none, state: .neverSubscribed),
        Row(
            name: "an unknown owner's purchase succeeds an unknown owner's",
            evidence: [
                .jws("2026-06-05", Bought(to: "2026-08-01", upgraded: true, assigned: true)),
                .jws(
                    "2026-06-05",
                    Bought(product: "premium", id: "2", from: "2026-05-10", to: "2026-06-02", assigned: true)),
                later,
            ],
            introductory: "undetermined/unknown-ownership/-",
            promotional: "undetermined/unknown-ownership/-", winBack: "undetermined/unknown-ownership/-",
            state: .unknown, isAssigned: true),
        Row(
            name: "as in the newest JWS",
            evidence: [
                .jws("2026-05-20", Bought(cancelled: "2026-05-10", upgraded: true)),
                .receipt("2026-06-05", [Bought(cancelled: "2026-05-10")]),
            ],
            introductory: lapsed),
    ]

    static let family = [
        Row(
            name: "runs", evidence: [.jws("2026-06-05", Bought(to: "2026-06-15", trial: true, shared: true))],
            caveats: [.familyShared], introductory: subscribed, promotional: none, winBack: none,
            state: .active,
            date: "2026-06-15"),
        Row(
            name: "ran", evidence: [.jws("2026-06-05", Bought(trial: true, shared: true))],
            caveats: [.familyShared],
            introductory: never, promotional: none, winBack: none, state: .neverSubscribed),
        Row(
            name: "also in a newer receipt",
            evidence: [
                .jws("2026-05-05", Bought(trial: true, shared: true)),
                .receipt("2026-06-05", [Bought(trial: true)]),
            ],
            caveats: [.familyShared], introductory: never, promotional: none, state: .neverSubscribed),
        // The other periods of a shared subscription may be shared, too. Receipts do not state the ownership.
        Row(
            name: "only the last period is known to be shared",
            evidence: [
                .receipt(
                    "2026-06-05",
                    [
                        Bought(original: "1", trial: true),
                        Bought(id: "2", original: "1", from: "2026-05-10", to: "2026-06-02"),
                    ]),
                .jws(
                    "2026-06-05",
                    Bought(id: "2", original: "1", from: "2026-05-10", to: "2026-06-02", shared: true)),
            ],
            caveats: [.familyShared], introductory: "undetermined/unknown-ownership/-",
            promotional: "undetermined/unknown-ownership/-", state: .unknown, isAssigned: true),
        Row(
            name:
                "the last period is shared, the first is not, and no evidence states the owner of one between",
            evidence: [
                .receipt(
                    "2026-06-05",
                    [
                        Bought(original: "1", from: "2026-01-01", to: "2026-02-01"),
                        Bought(id: "2", original: "1", from: "2026-04-01", to: "2026-05-01"),
                    ]),
                .jws("2026-06-05", Bought(original: "1", from: "2026-01-01", to: "2026-02-01")),
                .jws("2026-06-05", Bought(id: "3", original: "1", to: "2026-06-02", shared: true)),
                .renewal("2026-06-06", Renewal(renews: false)),
            ],
            caveats: [.familyShared], introductory: "undetermined/unknown-ownership/-",
            winBack: "undetermined/unknown-ownership/-", state: .unknown, isAssigned: true),
        Row(
            name: "another subscription is shared",
            evidence: [
                .receipt("2026-06-05", [Bought(original: "1", trial: true)]),
                .jws("2026-06-05", Bought(id: "5", original: "5", shared: true)),
            ],
            caveats: [.familyShared], introductory: used, state: .lapsed),
        Row(
            name: "a transaction receipt, also in a newer receipt",
            evidence: [
                .transactionReceipt("2026-05-05", Bought(trial: true, shared: true)),
                .receipt("2026-06-05", [Bought(trial: true)]),
            ],
            caveats: [.familyShared], introductory: never, promotional: none, state: .neverSubscribed),
        Row(
            name: "and an ended subscription of the customer",
            evidence: [
                .jws("2026-06-05", Bought(id: "5", to: "2026-07-01", shared: true)),
                .receipt("2026-06-05", [Bought(trial: true)]),
            ],
            caveats: [.familyShared], introductory: used, winBack: subscribed, state: .active,
            date: "2026-07-01"),
        Row(
            name: "bought after the evaluation date",
            evidence: [
                later, .jws("2026-06-12", Bought(from: "2026-06-11", to: "2026-07-11", shared: true)),
            ],
            introductory: never, promotional: none, state: .neverSubscribed),
    ]

    /// Purchases of products without a group, after the last period of the group.
    static let uncatalogued = [
        Row(
            name: "Apple's offers, but an unlisted product runs",
            evidence: [
                .receipt("2026-06-05", [Bought(), Bought(product: "gone", id: "2", to: "2027-01-01")]),
                .renewal("2026-06-06", Renewal(renews: false, expired: true, offers: ["A"])),
            ],
            introductory: "undetermined/uncatalogued-history/-",
            winBack: "undetermined/uncatalogued-history/-"),
        Row(
            name: "auto-renew off, but an unlisted product ended later",
            evidence: [
                .receipt("2026-06-05", [Bought(), Bought(product: "gone", id: "2", to: "2026-06-02")]),
                .renewal("2026-06-06", Renewal(renews: false)),
            ],
            introductory: "undetermined/uncatalogued-history/-",
            winBack: "undetermined/uncatalogued-history/-"),
        Row(
            name: "Apple's offers, but a product of an unknown type runs",
            evidence: [
                later, .jws("2026-06-05", Bought()),
                .jws("2026-06-05", Bought(id: "2", to: "2027-01-01", type: .undocumented)),
                .renewal("2026-06-06", Renewal(renews: false, offers: ["A"])),
            ],
            introductory: "undetermined/uncatalogued-history/-",
            winBack: "undetermined/uncatalogued-history/-"),
        Row(
            name: "Apple's offers, and an unlisted product ended before they were signed",
            evidence: [
                .receipt("2026-06-05", [Bought(), Bought(product: "gone", id: "2", to: "2026-06-04")]),
                .renewal("2026-06-06", Renewal(renews: false, offers: ["A"])),
            ],
            introductory: "undetermined/uncatalogued-history/-",
            winBack: "eligible/apple-offers/as_of_signed_renewal_info"),
        Row(
            name: "Apple offers nothing, and an unlisted product runs",
            evidence: [
                .receipt("2026-06-05", [Bought(), Bought(product: "gone", id: "2", to: "2027-01-01")]),
                .renewal("2026-06-06", Renewal(renews: false, offers: [])),
            ],
            introductory: "undetermined/uncatalogued-history/-",
            winBack: "ineligible/apple-offers/as_of_signed_renewal_info"),
    ]

    static let renewals = [
        Row(
            name: "without its transaction: the group of its product",
            evidence: [
                .receipt("2026-06-05", [Bought()]),
                .renewal("2026-06-06", Renewal(original: "9", grace: "2026-06-17")),
            ],
            introductory: "ineligible/in-grace-period/as_of_signed_renewal_info", state: .gracePeriod,
            date: "2026-06-17"),
        Row(
            name: "grace",
            evidence: [
                .receipt("2026-05-10", [Bought()]), .renewal("2026-06-02", Renewal(grace: "2026-06-17")),
            ],
            introductory: "ineligible/in-grace-period/as_of_signed_renewal_info",
            winBack: "ineligible/in-grace-period/as_of_signed_renewal_info", state: .gracePeriod,
            date: "2026-06-17"),
        // The charge succeeded within the grace period. The renewal's purchase date is then the end of the period before.
        Row(
            name: "billing retry and grace before a renewal, signed after its purchase date",
            evidence: [
                .receipt(
                    "2026-06-09",
                    [
                        Bought(from: "2026-04-20", to: "2026-05-20"),
                        Bought(id: "2", original: "1", from: "2026-05-20", to: "2026-06-08"),
                    ]),
                .renewal(
                    "2026-05-20T09:05:00Z",
                    Renewal(retry: true, grace: "2026-06-12", expired: true, ends: "2026-05-20")),
            ],
            introductory: lapsed, winBack: "undetermined/auto-renew-unknown/-", state: .lapsed),
        // The group has two subscriptions, such as the customer's own and a shared one.
        Row(
            name: "grace of another subscription, in older information",
            evidence: [
                .receipt("2026-06-05", [Bought()]),
                .renewal("2026-06-06", Renewal(original: "9", grace: "2026-06-17")),
                .renewal("2026-06-07", Renewal(renews: false, expired: true, offers: ["A"])),
            ],
            introductory: "ineligible/in-grace-period/as_of_signed_renewal_info",
            winBack: "ineligible/in-grace-period/as_of_signed_renewal_info", state: .gracePeriod,
            date: "2026-06-17"),
        Row(
            name: "grace of the same subscription, in older information",
            evidence: [
                .receipt("2026-06-05", [Bought()]),
                .renewal("2026-06-06", Renewal(grace: "2026-06-17")),
                .renewal("2026-06-07", Renewal(renews: false, expired: true, offers: ["A"])),
            ],
            introductory: lapsed, winBack: "eligible/apple-offers/as_of_signed_renewal_info", state: .lapsed),
        Row(
            name: "grace of another subscription, which was bought again later",
            evidence: [
                .receipt("2026-06-05", [Bought()]),
                .jws("2026-06-05", Bought(id: "9", original: "9", shared: true)),
                .jws(
                    "2026-06-08",
                    Bought(id: "10", original: "9", from: "2026-06-06", to: "2026-06-07", shared: true)),
                .renewal("2026-06-05", Renewal(original: "9", grace: "2026-06-17")),
                .renewal("2026-06-07", Renewal(renews: false)),
            ],
            caveats: [.familyShared], introductory: lapsed, winBack: "undetermined/criteria/-"),
        Row(
            name: "grace of a shared subscription, and its last period was revoked later",
            evidence: [
                later,
                .jws("2026-06-08", Bought(id: "9", original: "9", cancelled: "2026-06-07", shared: true)),
                .renewal("2026-06-06", Renewal(original: "9", grace: "2026-06-17")),
            ],
            caveats: [.familyShared], introductory: never, promotional: none, state: .neverSubscribed),
        Row(
            name: "grace of a shared subscription, and an earlier period was revoked later",
            evidence: [
                later,
                .jws(
                    "2026-06-08",
                    Bought(
                        id: "9", original: "9", from: "2026-04-01", to: "2026-05-01", cancelled: "2026-06-07",
                        shared: true)),
                .jws("2026-06-05", Bought(id: "10", original: "9", shared: true)),
                .renewal("2026-06-06", Renewal(original: "9", grace: "2026-06-17")),
            ],
            caveats: [.familyShared], introductory: "ineligible/in-grace-period/as_of_signed_renewal_info",
            promotional: none, state: .gracePeriod, date: "2026-06-17"),
        Row(
            name: "grace of another subscription, from before the customer's last purchase",
            evidence: [
                .receipt("2026-06-05", [Bought(from: "2026-06-03", to: "2026-06-04")]),
                .jws("2026-06-05", Bought(id: "9", original: "9", shared: true)),
                .renewal("2026-06-02", Renewal(original: "9", grace: "2026-06-17")),
            ],
            caveats: [.familyShared], introductory: "ineligible/in-grace-period/as_of_signed_renewal_info",
            state: .gracePeriod, date: "2026-06-17"),
        Row(
            name: "an unknown status of another subscription, of one date",
            evidence: [
                .receipt("2026-06-05", [Bought()]),
                .jws("2026-06-05", Bought(id: "9", original: "9", shared: true)),
                .renewal("2026-06-06", Renewal(original: "9", renews: nil)),
                .renewal("2026-06-06", Renewal(renews: false)),
            ],
            caveats: [.familyShared], introductory: lapsed, winBack: "undetermined/criteria/-"),
        Row(
            name: "another subscription renews, in older information",
            evidence: [
                .receipt("2026-06-05", [Bought()]),
                .jws("2026-06-05", Bought(id: "9", original: "9", shared: true)),
                .renewal("2026-06-06", Renewal(original: "9")),
                .renewal("2026-06-07", Renewal(renews: false, offers: ["A"])),
            ],
            caveats: [.familyShared], introductory: lapsed,
            winBack: "eligible/apple-offers/as_of_signed_renewal_info"),
        Row(
            name: "retry",
            evidence: [
                .receipt("2026-05-10", [Bought()]),
                .renewal("2026-06-02", Renewal(retry: true, expired: true)),
            ],
            caveats: [.renewalPossible], introductory: lapsed,
            winBack: "ineligible/in-billing-retry/as_of_signed_renewal_info", state: .billingRetry),
        Row(
            name: "auto-renew off, signed after the end",
            evidence: [.receipt("2026-05-10", [Bought()]), .renewal("2026-06-02", Renewal(renews: false))],
            introductory: lapsed, winBack: "undetermined/criteria/-"),
        Row(
            name: "auto-renew off, signed before the end",
            evidence: [.receipt("2026-05-10", [Bought()]), .renewal("2026-05-20", Renewal(renews: false))],
            caveats: [.renewalPossible], introductory: lapsed, winBack: "undetermined/criteria/-"),
        Row(
            name: "signed after the evaluation date",
            evidence: [
                .receipt("2026-06-05", [Bought()]), .renewal("2026-06-11", Renewal(grace: "2026-06-17")),
            ],
            introductory: lapsed, winBack: "undetermined/auto-renew-unknown/-"),
        Row(
            name: "signed before the last purchase",
            evidence: [
                .receipt("2026-06-05", [Bought()]), .renewal("2026-04-30", Renewal(grace: "2026-06-17")),
            ],
            introductory: lapsed, winBack: "undetermined/auto-renew-unknown/-"),
        Row(
            name: "the newest counts",
            evidence: [
                later, .jws("2026-05-10", Bought()), .renewal("2026-06-03", Renewal(grace: "2026-06-17")),
                .renewal("2026-06-04", Renewal(renews: false)),
            ],
            introductory: lapsed, winBack: "undetermined/criteria/-"),
        Row(
            name: "equal dates: the one that renews counts",
            evidence: [
                later, .jws("2026-05-10", Bought()), .renewal("2026-06-03", Renewal()),
                .renewal("2026-06-03", Renewal(renews: false)),
            ],
            introductory: lapsed, winBack: "ineligible/auto-renew-on/as_of_signed_renewal_info"),
        Row(
            name: "matched by its first transaction, whatever its products", product: "weekly",
            evidence: [
                .receipt("2026-06-05", [Bought(product: "paper", id: "7", original: "6")]),
                .renewal("2026-06-04", Renewal(original: "6", grace: "2026-06-17")),
            ],
            introductory: "ineligible/in-grace-period/as_of_signed_renewal_info"),
        Row(
            name: "matched by the product that it renews to",
            evidence: [
                .receipt("2026-06-05", [Bought()]),
                .renewal(
                    "2026-06-04", Renewal(product: "gone", next: "pro", original: "0", grace: "2026-06-17")),
            ],
            introductory: "ineligible/in-grace-period/as_of_signed_renewal_info"),
        Row(
            name: "Apple's offers",
            evidence: [
                .receipt("2026-06-05", [Bought()]),
                .renewal("2026-06-04", Renewal(renews: false, offers: ["Z", "A"])),
            ],
            introductory: lapsed, winBack: "eligible/apple-offers/as_of_signed_renewal_info"),
        Row(
            name: "Apple's offers: none",
            evidence: [
                .receipt("2026-06-05", [Bought()]), .renewal("2026-06-01T09:00:00.001Z", Renewal(offers: [])),
            ],
            introductory: lapsed, winBack: "ineligible/apple-offers/as_of_signed_renewal_info"),
        Row(
            name: "Apple's offers from before the end",
            evidence: [.receipt("2026-06-05", [Bought()]), .renewal("2026-06-01", Renewal(offers: ["A"]))],
            introductory: lapsed, winBack: "ineligible/auto-renew-on/as_of_signed_renewal_info"),
        Row(
            name: "Apple's offers, and a later period of an unknown owner",
            evidence: [
                .receipt("2026-05-20", [Bought(to: "2026-05-10")]),
                .renewal("2026-05-11", Renewal(renews: false, offers: ["A"])),
                .jws(
                    "2026-06-05",
                    Bought(id: "9", original: "9", from: "2026-05-21", to: "2026-06-01", assigned: true)),
            ],
            introductory: "undetermined/unknown-ownership/-", winBack: "undetermined/unknown-ownership/-",
            state: .unknown, isAssigned: true),
        // Renewal information of a shared subscription says nothing about the customer's own.
        Row(
            name: "a shared subscription does not renew",
            evidence: [
                .receipt("2026-05-20", [Bought()]),
                .jws("2026-05-20", Bought(product: "premium", id: "9", original: "9", shared: true)),
                .renewal("2026-06-05", Renewal(original: "9", renews: false, expired: true)),
            ],
            caveats: [.familyShared, .renewalPossible], introductory: lapsed,
            winBack: "undetermined/auto-renew-unknown/-"),
        Row(
            name: "Apple's offers, and a shared subscription renews",
            evidence: [
                .receipt("2026-06-05", [Bought()]),
                .jws("2026-06-05", Bought(product: "premium", id: "9", original: "9", shared: true)),
                .renewal("2026-06-05", Renewal(renews: false, offers: ["A"])),
                .renewal("2026-06-06", Renewal(original: "9")),
            ],
            caveats: [.familyShared], introductory: lapsed,
            winBack: "eligible/apple-offers/as_of_signed_renewal_info"),
        Row(
            name: "Apple's offers from before the end of a later shared period",
            evidence: [
                .receipt("2026-05-11", [Bought(to: "2026-05-10")]),
                .renewal("2026-05-11", Renewal(renews: false, expired: true, offers: ["A"])),
                .jws(
                    "2026-06-05",
                    Bought(
                        product: "premium", id: "9", original: "9", from: "2026-05-12", to: "2026-06-01",
                        shared: true)),
            ],
            caveats: [.familyShared], introductory: lapsed, winBack: "undetermined/criteria/-"),
        Row(
            name: "no offers by Apple before the end of a later shared period",
            evidence: [
                .receipt("2026-05-11", [Bought(to: "2026-05-10")]),
                .renewal("2026-05-11", Renewal(renews: false, expired: true, offers: [])),
                .jws(
                    "2026-06-05",
                    Bought(
                        product: "premium", id: "9", original: "9", from: "2026-05-12", to: "2026-06-01",
                        shared: true)),
            ],
            caveats: [.familyShared], introductory: lapsed,
            winBack: "ineligible/apple-offers/as_of_signed_renewal_info"),
        Row(
            name: "billing retry, and a shared subscription does not renew",
            evidence: [
                .receipt("2026-06-05", [Bought()]),
                .jws("2026-06-05", Bought(product: "premium", id: "9", original: "9", shared: true)),
                .renewal("2026-06-05", Renewal(retry: true)),
                .renewal("2026-06-06", Renewal(original: "9", renews: false, expired: true)),
            ],
            caveats: [.familyShared], introductory: lapsed,
            winBack: "ineligible/in-billing-retry/as_of_signed_renewal_info", state: .billingRetry),
        Row(
            name: "does not renew, and billing retry of a shared subscription",
            evidence: [
                .receipt("2026-06-05", [Bought()]),
                .jws("2026-06-05", Bought(product: "premium", id: "9", original: "9", shared: true)),
                .renewal("2026-06-05", Renewal(original: "9", retry: true)),
                .renewal("2026-06-06", Renewal(renews: false, expired: true)),
            ],
            caveats: [.familyShared], introductory: lapsed,
            winBack: "ineligible/in-billing-retry/as_of_signed_renewal_info", state: .billingRetry),
    ]

    @Test(
        arguments: precedence + groups + upgrades + family + uncatalogued + renewals + owners + types + offers
            + ties)
    func answers(_ row: Row) throws {
        for evidence in [row.evidence, row.evidence.reversed()] {
            let verdict = try verdicts(of: [row.product], evidence)[0]
            #expect(verdict.introductoryOffer.short == row.introductory)
            #expect(verdict.promotionalOffer.short == row.promotional)
            if let winBack = row.winBack { #expect(verdict.winBackOffer.short == winBack) }
            let ofAll = Set(row.caveats).subtracting([.renewalPossible])
            #expect(
                Set(verdict.introductoryOffer.caveats)
                    == Set(row.caveats).union(row.doubts(verdict.introductoryOffer)))
            for offer in [verdict.promotionalOffer, verdict.winBackOffer] {
                #expect(Set(offer.caveats) == ofAll.union(row.doubts(offer)))
            }
            if let state = row.state { #expect(verdict.subscription.kind == state) }
            if let date = row.date {
                #expect((verdict.subscription.until ?? verdict.subscription.since) == at(date))
            }
        }
    }

    @Test func offersInApplesOrder() throws {
        let evidence = [
            Evidence.receipt("2026-06-05", [Bought()]),
            .renewal("2026-06-04", Renewal(renews: false, offers: ["Z", "A"])),
        ]
        let verdict = try verdicts(evidence)[0]
        #expect(verdict.winBackOffer.offers == ["Z", "A"])
        #expect(verdict.introductoryOffer.offers == nil)
        #expect(verdict.winBackOffer.explanation.contains("Z, A"))
    }

    // Two lists of one date: only offers that are in both, whatever the order of the evidence.
    @Test(
        arguments: [
            // different offers, in different orders
            (["Z", "B", "A"], ["B", "Z", "C"], ["B", "Z"]),
            // an offer twice
            (["Z", "Z"], ["Z"], ["Z"]),
        ])
    func offersOfEqualDatesAreInBothLists(one: [String], other: [String], both: [String]) throws {
        for lists in [[one, other], [other, one]] {
            let renewals = lists.map { Evidence.renewal("2026-06-04", Renewal(renews: false, offers: $0)) }
            let verdict = try verdicts([.receipt("2026-06-05", [Bought()])] + renewals)[0]
            #expect(verdict.winBackOffer.offers == both)
        }
    }

    // Signed information overrides unsigned information about the same group, but not about another.
    // Unsigned information about a shared subscription says nothing about the renewal of the customer's own.
    @Test func unsignedRenewalInformationOfASharedSubscription() throws {
        let unsigned = RenewalInformation(entries: [
            .init(productID: "basic", originalTransactionID: "9", willRenew: false)
        ])
        let evidence = [
            Evidence.receipt("2026-06-05", [Bought()]),
            .jws("2026-06-05", Bought(id: "9", original: "9", shared: true)),
        ]
        let answer = try verdicts(evidence, renewals: unsigned)[0]
        #expect(answer.winBackOffer.short == "undetermined/auto-renew-unknown/-")
    }

    // Unsigned grace period of the customer's last subscription, and signed information: the first transaction, the date of
    // the question, the answer
    @Test(arguments: [
        // of another subscription, and of one without a transaction
        ("5", "2026-06-10", "ineligible/in-grace-period/as_of_renewal_info"),
        ("77", "2026-06-10", "ineligible/in-grace-period/as_of_renewal_info"),
        ("1", "2026-06-10", Self.lapsed),
        ("5", "2026-04-01", Self.lapsed),  // before the last purchase
    ])
    func unsignedGracePeriod(original: String, asOf: String, expected: String) throws {
        let unsigned = RenewalInformation(entries: [
            .init(productID: "basic", originalTransactionID: "1", gracePeriodEnd: at("2026-06-17"))
        ])
        let evidence = [
            Evidence.receipt("2026-06-02", [Bought(original: "1")]),
            .jws("2026-01-02", Bought(id: "5", original: "5", from: "2025-12-01", to: "2026-01-01")),
            .renewal("2026-06-03", Renewal(original: original, renews: false, expired: true)),
            // from before the last purchase
            .renewal("2026-04-10", Renewal()),
        ]
        let answer = try verdicts(evidence, asOf: .date(at(asOf)), renewals: unsigned)[0]
        #expect(answer.introductoryOffer.short == expected)
    }

    // Signed information about a shared subscription overrides unsigned information about it, whatever is the customer's own.
    @Test(arguments: [
        [
            Evidence.receipt("2026-06-05", [Bought(original: "1")]),
            .renewal("2026-06-05", Renewal(renews: false)),
        ],
        [.receipt("2026-06-05", [Bought(original: "1")])], [],
    ])
    func unsignedGracePeriodOfASharedSubscription(own: [Evidence]) throws {
        let unsigned = RenewalInformation(entries: [
            .init(productID: "basic", originalTransactionID: "9", gracePeriodEnd: at("2026-06-17"))
        ])
        let shared = [
            Evidence.jws("2026-06-05", Bought(id: "9", original: "9", shared: true)),
            .renewal("2026-06-05", Renewal(original: "9", renews: false, expired: true)),
        ]
        let answer = try verdicts(own + shared, renewals: unsigned)[0]
        #expect(answer.introductoryOffer.rule != .inGracePeriod)
    }

    // Information about a renewal ahead of its time was signed before its purchase date: its end, and the answer
    @Test(arguments: [
        ("2026-06-01", "ineligible/auto-renew-on/as_of_signed_renewal_info"),
        ("2026-05-01", "undetermined/criteria/-"),  // about the period before
    ])
    func informationAboutARenewalAhead(end: String, expected: String) throws {
        let unsigned = RenewalInformation(entries: [
            .init(productID: "basic", originalTransactionID: "1", willRenew: false)
        ])
        let evidence = [
            Evidence.receipt("2026-04-30", []), .jws("2026-04-30", Bought(id: "2", original: "1")),
            .renewal("2026-04-30", Renewal(ends: end)),
        ]
        let answer = try verdicts(evidence, renewals: unsigned)[0]
        #expect(answer.winBackOffer.short == expected)
    }

    // Information from before an upgrade to a shorter period says nothing: its date and end
    @Test(arguments: [
        ("2026-01-05", "2027-01-01"),
        // signed in the day before the upgrade
        ("2026-04-30T12:00:00Z", "2027-01-01"),
        // the same end by chance
        ("2026-01-05", "2026-06-01"),
    ])
    func informationBeforeAnUpgrade(signed: String, end: String) throws {
        let evidence = [
            Evidence.receipt(
                "2026-06-05",
                [
                    Bought(
                        product: "premium", original: "1", from: "2026-01-01", to: end,
                        cancelled: "2026-05-01"),
                    Bought(id: "2", original: "1"),
                ]),
            .renewal(signed, Renewal(product: "premium", renews: false, ends: end)),
        ]
        let unsigned = RenewalInformation(entries: [
            .init(productID: "basic", originalTransactionID: "1", gracePeriodEnd: at("2026-06-17"))
        ])
        #expect(try verdicts(evidence)[0].winBackOffer.short == "undetermined/auto-renew-unknown/-")
        #expect(
            try verdicts(evidence, renewals: unsigned)[0].introductoryOffer.short
                == "ineligible/in-grace-period/as_of_renewal_info")
    }

    // A receipt omits the milliseconds that a JWS has.
    @Test func datesOfOneSecond() throws {
        let evidence = [
            Evidence.receipt("2026-05-05", [Bought(original: "1")]),
            .jws("2026-05-06", Bought(original: "1", from: "2026-05-01T09:00:00.500Z")),
        ]
        let answer = try verdicts(evidence, asOf: .date(at("2026-05-01T09:00:00Z")))[0]
        #expect(answer.introductoryOffer.short == Self.subscribed)
        #expect(answer.subscription.kind == .active)
    }

    // A restored transaction has another identifier in the receipt of the other device.
    @Test(arguments: [
        (Bought(id: "1002", original: "1", to: "2026-07-01", cancelled: "2026-05-20"), 1),
        // another subscription
        (Bought(id: "1002", original: "2", to: "2026-07-01", cancelled: "2026-05-20"), 2),
        (Bought(product: "premium", id: "1002", original: "1", to: "2026-07-01", cancelled: "2026-05-20"), 2),
        (Bought(id: "1002", original: "1", from: "2026-05-02", to: "2026-07-01", cancelled: "2026-05-20"), 2),
        (Bought(id: "1002", original: "0", to: "2026-07-01", cancelled: "2026-05-20"), 2),
        // extended before the refund
        (Bought(id: "1002", original: "1", to: "2026-07-02", cancelled: "2026-05-20"), 1),
    ])
    func restoredTransaction(restored: Bought, count: Int) throws {
        let first = Bought(original: restored.original == "0" ? "0" : "1", to: "2026-07-01")
        let evidence = [Evidence.receipt("2026-05-10", [first]), .receipt("2026-05-25", [restored])]
        for evidence in [evidence, evidence.reversed()] {
            #expect(try PurchaseHistory(objects: evidence.map(\.object), []).count == count)
            let state = try verdicts(evidence)[0].subscription.kind
            #expect(state == (count == 1 ? .refunded : .active))
            let merged = try PurchaseHistory(merging: evidence.map(\.object.history))
            #expect(merged.count == count)
        }
    }

    // Two subscriptions without a transaction, which one has the list of offers
    @Test(arguments: [("8", "9"), ("9", "8")])
    func restrictionsHaveNoOrder(renewing: String, listing: String) throws {
        let evidence = [
            Evidence.receipt("2026-06-05", [Bought(original: "1")]),
            .renewal("2026-06-06", Renewal(renews: false, expired: true, offers: ["A"])),
            .renewal("2026-06-07", Renewal(original: renewing)),
            .renewal("2026-06-07", Renewal(original: listing, renews: false, offers: ["B"])),
        ]
        #expect(
            try verdicts(evidence)[0].winBackOffer.short
                == "ineligible/apple-offers/as_of_signed_renewal_info")
    }

    @Test func signedRenewalInformationTakesPrecedence() throws {
        let unsigned = RenewalInformation(entries: [
            .init(productID: "basic", gracePeriodEnd: at("2026-06-17")),
            .init(productID: "weekly", gracePeriodEnd: at("2026-06-17")),
        ])
        let answers = try verdicts(
            of: ["basic", "weekly"],
            [.receipt("2026-06-05", [Bought()]), .renewal("2026-06-04", Renewal(renews: false))],
            renewals: unsigned)
        #expect(answers[0].introductoryOffer.short == Self.lapsed)
        #expect(answers[1].introductoryOffer.short == "ineligible/in-grace-period/as_of_renewal_info")
    }

    @Test func withoutACatalog() throws {
        let evidence = [Evidence.jws("2026-06-05", Bought(to: "2026-06-15", group: "21000001"))]
        let answers = try verdicts(of: ["basic", "premium"], evidence, catalog: .empty)
        #expect(answers[0].subscriptionGroup == "21000001")
        #expect(answers[0].introductoryOffer.short == Self.subscribed)
        #expect(answers[1].introductoryOffer.short == "undetermined/unknown-product/-")
    }

    // If the catalog names none of the groups, the first by its text counts.
    @Test(arguments: [["b", "a"], ["a", "b"]])
    func equallyDatedGroups(groups: [String]) throws {
        let evidence = groups.map { Evidence.jws("2026-06-05", Bought(group: $0)) }
        let verdict = try verdicts(evidence, catalog: .empty)[0]
        #expect(verdict.subscriptionGroup == "a")
        #expect(verdict.introductoryOffer.caveats.contains(.groupDiffers))
    }

    // One group contains every product, whatever group Apple names.
    @Test func singleGroupHasNoConflicts() throws {
        let evidence = ["basic", "pro"].map {
            Evidence.jws("2026-06-05", Bought(product: $0, id: $0, group: $0))
        }
        let verdict = try verdicts(evidence, catalog: .singleGroup)[0]
        #expect(!verdict.introductoryOffer.caveats.contains(.groupDiffers))
    }

    /// Checks that conflicting evidence has the caveat on any evaluation date.
    @Test(arguments: ["2026-04-01", "2026-05-15", "2026-07-01"])
    func conflictingEvidenceOnAnyDay(day: String) throws {
        let evidence = [
            Evidence.jws("2026-05-10", Bought()), .jws("2026-05-10", Bought(product: "pro")),
        ]
        let verdict = try verdicts(evidence, asOf: .date(at(day)))[0]
        for offer in [verdict.introductoryOffer, verdict.promotionalOffer, verdict.winBackOffer] {
            #expect(offer.caveats.contains(.conflictingEvidence))
        }
    }

    /// Checks that an answer names at most 100 transactions, and that its explanation counts all of them.
    @Test(arguments: [(99, 99), (100, 100), (101, 100), (1000, 100)])
    func manyTransactions(count: Int, named: Int) throws {
        let bought = (0..<count).map { Bought(product: "gone", id: "\($0)", from: Timestamp.day(count - $0)) }
        let verdict = verdict(bought, asOf: "2030-01-01", created: "2030-01-01")
        let answer = verdict.introductoryOffer
        #expect(answer.rule == .uncataloguedHistory)
        #expect(answer.transactions == (0..<count).reversed().prefix(named).map { "\($0)" })
        #expect(answer.explanation.contains("gone on \(Timestamp.day(1)) and \(count - 1) more"))
    }

    // All evidence counts, even without purchases.
    @Test func clockIsComparedWithTheNewestEvidence() throws {
        let evidence = [Evidence.receipt("2026-06-05", [Bought()]), .appTransaction("2026-06-12")]
        let verdict = try verdicts(evidence, asOf: .clock(at("2026-06-10")))[0]
        #expect(verdict.evidenceDate == at("2026-06-12"))
        #expect(verdict.introductoryOffer.rule == .clockBeforeReceipt)
    }

    @Test func refusedEvidenceIsACaveat() throws {
        var history = try PurchaseHistory(objects: [Evidence.receipt("2026-06-05", [Bought()]).object])
        history.anyRefused = true
        let answers = OfferRules(catalog: catalog).verdicts(
            for: ["basic", "nobody's"], in: history, asOf: .date(at("2026-06-10")))
        for answer in answers {
            for offer in [answer.introductoryOffer, answer.promotionalOffer, answer.winBackOffer] {
                #expect(offer.caveats == [.evidenceRefused])
            }
        }
    }

    @Test func differentOriginsAreNotMerged() {
        let evidence = [
            ObjectEvidence(history: history([], app: "a"), form: .receipt),
            ObjectEvidence(history: history([], environment: .sandbox), form: .signed),
            ObjectEvidence(history: history([], app: "b"), form: .signed),
            ObjectEvidence(history: history([], environment: nil), form: .transactionReceipt),
        ]
        for other in evidence.dropFirst() {
            #expect(throws: HistoryMergeError.self) { try PurchaseHistory(objects: [evidence[0], other]) }
        }
        #expect(throws: HistoryMergeError.self) { try PurchaseHistory(objects: [evidence[3], evidence[3]]) }
    }
}
