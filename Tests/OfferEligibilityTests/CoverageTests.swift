import AppReceipt
import Testing

@testable import OfferEligibility

/// The extent to which evidence lists purchases, and its effect on the answers.
struct CoverageTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let evidence: [Evidence]
        var listings: Set<APIAnswer.Listing> = []
        let coverage: PurchaseCoverage
    }

    private static let first = Evidence.jws("2026-06-05", Bought(id: "1", original: "1"))
    private static let second = Evidence.jws("2026-06-05", Bought(id: "2", original: "1"))

    @Test(arguments: [
        Row(testDescription: "nothing", evidence: [], coverage: .nothing),
        Row(
            testDescription: "an app transaction", evidence: [.appTransaction("2026-06-05")],
            coverage: .nothing),
        Row(
            testDescription: "renewal information", evidence: [.renewal("2026-06-05", Renewal())],
            coverage: .nothing),
        Row(testDescription: "a transaction", evidence: [first], coverage: .single),
        Row(
            testDescription: "a transaction with evidence that lists no purchases",
            evidence: [.appTransaction("2026-06-05"), first], coverage: .single),
        Row(
            testDescription: "an app receipt", evidence: [.receipt("2026-06-05", [])], coverage: .complete),
        Row(
            testDescription: "an app receipt and a transaction",
            evidence: [first, .receipt("2026-01-01", [])], coverage: .complete),
        // The renewal information proves a subscription that the receipt does not list.
        Row(
            testDescription: "an app receipt and renewal information of another subscription",
            evidence: [.receipt("2026-01-01", []), .renewal("2026-06-05", Renewal(original: "7"))],
            coverage: .single),
        Row(
            testDescription: "an app receipt and renewal information of its subscription",
            evidence: [.receipt("2026-06-05", [Bought()]), .renewal("2026-06-05", Renewal(original: "1"))],
            coverage: .complete),
        Row(
            testDescription: "statuses, which contain only last transactions", evidence: [second],
            listings: [.statuses], coverage: .complete),
        // The renewal information is not of a listed transaction.
        Row(
            testDescription: "statuses with only renewal information",
            evidence: [.renewal("2026-06-05", Renewal(original: "1"))], listings: [.statuses],
            coverage: .nothing),
        Row(
            testDescription: "statuses and renewal information of another subscription",
            evidence: [second, .renewal("2026-06-05", Renewal(original: "7"))], listings: [.statuses],
            coverage: .single),
        Row(
            testDescription: "a history and renewal information of another subscription",
            evidence: [first, .renewal("2026-06-05", Renewal(original: "7"))], listings: [.history],
            coverage: .single),
        Row(
            testDescription: "statuses with their renewal information",
            evidence: [second, .renewal("2026-06-05", Renewal(original: "1"))], listings: [.statuses],
            coverage: .complete),
        Row(
            testDescription: "statuses and renewal information of another product without an identifier",
            evidence: [
                .jws("2026-06-05", Bought(id: "0", original: "0")),
                .renewal("2026-06-05", Renewal(product: "weekly", original: "0")),
            ],
            listings: [.statuses], coverage: .single),
        Row(
            testDescription:
                "statuses and renewal information without the identifier of a listed transaction",
            evidence: [second, .renewal("2026-06-05", Renewal(original: "0"))],
            listings: [.statuses], coverage: .single),
        Row(
            testDescription: "an Xcode receipt and its renewal information",
            evidence: [
                .receipt("2026-06-05", [Bought(id: "0", original: "0")]),
                .renewal("2026-06-05", Renewal(original: "0")),
            ],
            coverage: .complete),
        Row(
            testDescription: "a history", evidence: [first, second], listings: [.history],
            coverage: .complete),
        Row(
            testDescription: "a page with a successor", evidence: [first, second],
            listings: [.historyPage], coverage: .single),
        // A page between them may be missing.
        Row(
            testDescription: "pages", evidence: [first, second], listings: [.historyPage, .history],
            coverage: .single),
        Row(
            testDescription: "a last or filtered page without the subscription's first transaction",
            evidence: [second], listings: [.history], coverage: .single),
        Row(
            testDescription: "a first transaction without an identifier",
            evidence: [.jws("2026-06-05", Bought(id: "0", original: "0"))], listings: [.history],
            coverage: .complete),
        Row(
            testDescription: "pages and statuses", evidence: [first, second],
            listings: [.historyPage, .history, .statuses], coverage: .complete),
    ])
    func coverage(_ row: Row) throws {
        for evidence in [row.evidence, row.evidence.reversed()] {
            #expect(
                try PurchaseHistory(objects: evidence.map(\.object), row.listings).coverage == row.coverage)
        }
    }

    private static func renewal(
        _ id: String, from: String, to: String, signed: String = "2026-06-05", product: String = "basic"
    ) -> Evidence {
        .jws(signed, Bought(product: product, id: id, original: "1", from: from, to: to))
    }

    private static let yearUntilUpgrade = Evidence.jws(
        "2026-06-05", Bought(product: "premium", id: "1", original: "1", to: "2027-05-01", upgraded: true))

    private static let yearAndReplacedRenewal = [
        Bought(
            product: "premium", id: "1", original: "1", from: "2025-05-01", to: "2026-05-01",
            cancelled: "2026-04-30T18:00:00Z",
            upgraded: true),
        Bought(product: "premium", id: "2", original: "1", to: "2027-05-01", upgraded: true),
        Bought(id: "3", original: "1", from: "2026-04-30T18:00:00Z", to: "2026-05-30T18:00:00Z"),
    ].map { Evidence.jws("2026-06-05", $0) }

    // Renewals in statuses, histories or beside a receipt: evidence, listings, caveats of "eligible, lapsed"
    @Test(
        arguments: [
            // Statuses contain only last transactions. An earlier one may have had the offer.
            ([second], [.statuses], [.partialEvidence]),
            ([first, renewal("2", from: "2026-06-01T08:59:00Z", to: "2026-06-08")], [.statuses], []),
            ([first, renewal("3", from: "2026-06-02", to: "2026-06-08")], [.statuses], [.partialEvidence]),
            ([first], [.statuses], []),
            ([first, second], [.history], []),
            ([first, second], [.history, .statuses], []),
            // A receipt does not list purchases after its creation.
            ([.receipt("2026-01-01", []), second], [], [.partialEvidence]),
            ([.receipt("2026-01-01", []), first], [], []),
            // Each renewal begins at the end of another one.
            (
                [
                    .receipt("2026-06-01", [Bought(original: "1")]),
                    renewal("2", from: "2026-06-01", to: "2026-06-03"),
                    renewal("3", from: "2026-06-03", to: "2026-06-05"),
                ], [], []
            ),
            (
                [
                    .receipt("2026-06-01", [Bought(original: "1")]),
                    renewal("3", from: "2026-06-03", to: "2026-06-05"),
                ],
                [], [.partialEvidence]
            ),
            // Receipts omit milliseconds.
            (
                [
                    .receipt("2026-06-01", [Bought(original: "1")]),
                    renewal("2", from: "2026-06-01T09:00:00.500Z", to: "2026-06-03"),
                ], [], []
            ),
            // An upgraded period ends early.
            (
                [
                    .receipt("2026-05-02", [Bought(original: "1", to: "2027-05-01")]),
                    .jws(
                        "2026-06-05",
                        Bought(original: "1", to: "2027-05-01", cancelled: "2026-05-03", upgraded: true)),
                    renewal("3", from: "2026-06-03", to: "2026-06-05"),
                ], [], [.partialEvidence]
            ),
            // Also without a `revocationDate`: with a gap after its successor, and without one
            (
                [
                    yearUntilUpgrade, renewal("2", from: "2026-05-10", to: "2026-05-20"),
                    renewal("3", from: "2026-06-03", to: "2026-06-05"),
                ], [.statuses], [.partialEvidence]
            ),
            (
                [
                    yearUntilUpgrade, renewal("2", from: "2026-05-10", to: "2026-05-20"),
                    renewal("3", from: "2026-05-20", to: "2026-06-05"),
                ], [.statuses], []
            ),
            // The evidence of the upgrade is from before the next known purchase, so the successor is missing.
            (
                [
                    yearUntilUpgrade,
                    renewal("3", from: "2026-06-07", to: "2026-06-09", signed: "2026-06-09T10:00:00Z"),
                ], [.statuses], [.partialEvidence]
            ),
            // Another purchase of the subscription ends a period that no evidence shows as upgraded: with a gap after it, and without one
            (
                [
                    .jws("2026-05-02", Bought(id: "1", original: "1", to: "2026-06-08")),
                    renewal("2", from: "2026-05-10", to: "2026-05-20", product: "premium"),
                    renewal("3", from: "2026-06-03", to: "2026-06-05", product: "premium"),
                ], [.statuses], [.partialEvidence]
            ),
            (
                [
                    .jws("2026-05-02", Bought(id: "1", original: "1", to: "2026-06-08")),
                    renewal("2", from: "2026-05-10", to: "2026-05-20", product: "premium"),
                    renewal("3", from: "2026-05-20", to: "2026-06-05", product: "premium"),
                ], [.statuses], []
            ),
            // Evidence of its charge does not show that a renewal was replaced. The upgrade runs on.
            (
                [
                    .jws("2026-05-10", Bought(id: "1", original: "1", to: "2026-05-20")),
                    renewal("2", from: "2026-05-19T18:00:00Z", to: "2026-06-05", product: "premium"),
                    .jws(
                        "2026-05-19",
                        Bought(
                            id: "3", original: "1", from: "2026-05-20",
                            to: "2026-05-25")),
                    renewal("4", from: "2026-06-05", to: "2026-06-08", product: "premium"),
                ], [.statuses], []
            ),
            // The next purchase is of the same product, so the upgrade's own is missing.
            (
                [
                    yearUntilUpgrade,
                    .jws(
                        "2026-06-05",
                        Bought(
                            product: "premium", id: "2", original: "1", from: "2026-05-10", to: "2027-05-10",
                            cancelled: "2026-05-20", upgraded: true)),
                    renewal("3", from: "2026-05-20", to: "2026-06-05"),
                ], [.statuses], [.partialEvidence]
            ),
            // An upgrade replaced the renewal of a year, which was charged ahead. The next purchases are after a gap, and without one.
            (
                yearAndReplacedRenewal + [renewal("4", from: "2026-06-03", to: "2026-06-05")],
                [.statuses], [.partialEvidence]
            ),
            (
                yearAndReplacedRenewal + [renewal("4", from: "2026-05-30T18:00:00Z", to: "2026-06-05")],
                [.statuses], []
            ),
            // A receipt or a history may have gaps, but not after its date.
            (
                [
                    .receipt(
                        "2026-06-05",
                        [
                            Bought(original: "1"),
                            Bought(id: "2", original: "1", from: "2026-06-03", to: "2026-06-04"),
                        ])
                ],
                [], []
            ),
            ([first, renewal("3", from: "2026-06-03", to: "2026-06-05")], [.history], []),
            (
                [first, renewal("3", from: "2026-06-06", to: "2026-06-08", signed: "2026-06-09")], [.history],
                [.partialEvidence]
            ),
            ([.receipt("2026-06-05", [Bought(id: "2", original: "1")])], [], []),
            ([.receipt("2026-06-05", [Bought(id: "2", original: "1")]), second], [], []),
            // Another subscription.
            ([.receipt("2026-06-05", [Bought(id: "7", original: "7")]), second], [], [.partialEvidence]),
        ] as [([Evidence], Set<APIAnswer.Listing>, Set<OfferCaveat>)])
    func unlistedRenewalsArePartialEvidence(
        evidence: [Evidence], listings: Set<APIAnswer.Listing>, caveats: Set<OfferCaveat>
    ) throws {
        for evidence in [evidence, evidence.reversed()] {
            let offer = try verdicts(evidence, listings: listings)[0].introductoryOffer
            #expect(offer.short == "eligible/lapsed/as_of_receipt")
            #expect(Set(offer.caveats).subtracting([.renewalPossible]) == caveats)
            let strict = try verdicts(
                evidence, policies: OfferPolicies(partialEvidence: .undetermined), listings: listings)[0]
            #expect((strict.introductoryOffer.outcome == .undetermined) == caveats.contains(.partialEvidence))
            // Of another group, nothing is missing.
            let other = try verdicts(of: ["weekly"], evidence, listings: listings)[0]
            #expect(other.introductoryOffer.caveats == [])
        }
    }

    // Renewal information of 2026-06-09 about a period that the evidence does not list: the last purchase, the
    // period's end, the answers and the state of the group
    @Test(
        arguments: [
            // The last purchase, at most a minute later
            (
                Bought(), "2026-06-01T09:01:00Z", [], "eligible/lapsed/as_of_receipt",
                "ineligible/criteria/as_of_signed_renewal_info", .lapsed
            ),
            // Another period, which is over
            (
                Bought(), "2026-06-01T09:01:01Z", [.renewalPossible, .partialEvidence],
                "eligible/lapsed/as_of_receipt", "undetermined/criteria/-", .lapsed
            ),
            // Another period, which runs
            (
                Bought(), "2026-06-11", [.renewalPossible, .partialEvidence], "undetermined/lapsed/-",
                "undetermined/criteria/-", .unknown
            ),
            // A refunded period keeps its expiration there.
            (
                Bought(cancelled: "2026-05-20"), "2026-06-01", [], "ineligible/refunded/as_of_receipt",
                "ineligible/criteria/as_of_signed_renewal_info", .refunded
            ),
            // No purchase
            (
                nil, "2026-06-11", [.partialEvidence], "undetermined/never-subscribed/-",
                "undetermined/never-subscribed/-", .unknown
            ),
        ] as [(Bought?, String, Set<OfferCaveat>, String, String, SubscriptionState.Kind)])
    func unlistedPeriods(
        bought: Bought?, end: String, caveats: Set<OfferCaveat>, introductory: String, winBack: String,
        state: SubscriptionState.Kind
    ) throws {
        let evidence = [
            Evidence.receipt("2026-05-30", bought.map { [$0] } ?? []),
            .renewal("2026-06-09", Renewal(renews: false, expired: true, ends: end)),
        ]
        for evidence in [evidence, evidence.reversed()] {
            let verdict = try verdicts(evidence, catalog: winBackCatalog)[0]
            #expect(Set(verdict.introductoryOffer.caveats) == caveats)
            #expect(verdict.introductoryOffer.short == introductory)
            #expect(verdict.winBackOffer.short == winBack)
            #expect(verdict.subscription.kind == state)
        }
    }

    private static let shared = Bought(
        product: "premium", id: "9", original: "9", to: "2027-05-01", cancelled: "2026-05-20", shared: true)

    // Evidence beside renewal information with an end, as of 2026-06-10: the answers and the state
    @Test(
        arguments: [
            // A revoked shared period is listed.
            (
                [
                    .receipt("2026-05-30", []), .jws("2026-05-21", shared),
                    info("9", signed: "2026-05-21", ends: "2027-05-01"),
                ],
                "eligible/never-subscribed/as_of_receipt", "ineligible/never-subscribed/as_of_receipt",
                .neverSubscribed
            ),
            // So is a refunded upgrade, although the earlier period ends later.
            (
                [
                    .receipt("2026-05-05", [Bought(original: "1")]),
                    .jws(
                        "2026-05-21",
                        Bought(
                            product: "premium", id: "2", original: "1", from: "2026-05-10", to: "2027-05-10",
                            cancelled: "2026-05-20")),
                    info("1", signed: "2026-05-21", ends: "2027-05-10"),
                ],
                "ineligible/refunded/as_of_receipt", "ineligible/criteria/as_of_signed_renewal_info", .lapsed
            ),
            // An upgrade to a period that is not listed, and ends before the upgraded one would have
            (
                [
                    .receipt("2026-05-10", [Bought(original: "1", to: "2027-05-01")]),
                    .jws(
                        "2026-05-21",
                        Bought(original: "1", to: "2027-05-01", cancelled: "2026-05-20", upgraded: true)),
                    info("1", signed: "2026-05-21", ends: "2026-06-20"),
                ],
                "undetermined/lapsed/-", "undetermined/criteria/-", .unknown
            ),
            // Newer information of the same subscription takes precedence.
            (
                [
                    .receipt("2026-06-05", [Bought(original: "1")]),
                    info("1", signed: "2026-06-06", ends: "2027-05-01"),
                    info("1", signed: "2026-06-07", ends: "2026-06-01"),
                ],
                "eligible/lapsed/as_of_receipt", "ineligible/criteria/as_of_signed_renewal_info", .lapsed
            ),
            // A shared subscription renewed before the customer's own purchase.
            (
                [
                    .receipt("2026-05-10", [Bought(original: "1")]),
                    .jws(
                        "2026-04-10",
                        Bought(id: "9", original: "9", from: "2026-03-01", to: "2026-04-01", shared: true)),
                    info("9", signed: "2026-04-10", ends: "2027-04-01"),
                ],
                "undetermined/lapsed/-", "undetermined/auto-renew-unknown/-", .unknown
            ),
            // Apple's list is from before a shared period that runs.
            (
                [
                    .receipt("2026-06-05", [Bought(original: "1")]),
                    .renewal("2026-06-06", Renewal(renews: false, offers: ["back"])),
                    .jws("2026-05-10", Bought(id: "9", original: "9", shared: true)),
                    info("9", signed: "2026-06-07", ends: "2026-07-01"),
                ],
                "undetermined/lapsed/-", "undetermined/criteria/-", .unknown
            ),
            // A subscription of an unknown owner has a later period, or renews.
            (
                unknownOwner + [info("9", signed: "2026-06-07", ends: "2026-06-09")],
                "undetermined/unknown-ownership/-", "undetermined/unknown-ownership/-", .unknown
            ),
            (
                unknownOwner + [.renewal("2026-06-07", Renewal(original: "9"))],
                "undetermined/unknown-ownership/-", "undetermined/unknown-ownership/-", .unknown
            ),
            // Newer information about a subscription without a transaction
            (
                [
                    .receipt("2026-06-05", [Bought()]), .renewal("2026-06-05", Renewal(retry: true)),
                    .renewal(
                        "2026-06-06", Renewal(original: "77", renews: false, expired: true, offers: ["A"])),
                ],
                "eligible/lapsed/as_of_receipt", "ineligible/in-billing-retry/as_of_signed_renewal_info",
                .billingRetry
            ),
            // Newer information about such a subscription can only restrict: billing retry, a renewal, no offers
            (
                own + [.renewal("2026-06-07", Renewal(original: "77", renews: false, retry: true))],
                "eligible/lapsed/as_of_receipt", "ineligible/in-billing-retry/as_of_signed_renewal_info",
                .billingRetry
            ),
            (
                own + [.renewal("2026-06-07", Renewal(original: "77"))],
                "eligible/lapsed/as_of_receipt", "ineligible/auto-renew-on/as_of_signed_renewal_info", .lapsed
            ),
            (
                own + [.renewal("2026-06-06", Renewal(original: "77", renews: false, offers: []))],
                "eligible/lapsed/as_of_receipt", "ineligible/apple-offers/as_of_signed_renewal_info", .lapsed
            ),
            // Other such information, newer still, does not lift the restriction.
            (
                own + [
                    .renewal("2026-06-07", Renewal(original: "77", retry: true)),
                    .renewal("2026-06-08", Renewal(original: "78", renews: false, expired: true)),
                ],
                "eligible/lapsed/as_of_receipt", "ineligible/in-billing-retry/as_of_signed_renewal_info",
                .billingRetry
            ),
            // Information about another subscription that ended earlier says nothing about the last period.
            (
                [
                    .receipt("2026-05-15", [Bought(original: "1")]),
                    .jws(
                        "2026-01-02", Bought(id: "5", original: "5", from: "2025-12-01", to: "2026-01-01")),
                    .renewal(
                        "2026-06-06", Renewal(original: "5", renews: false, expired: true, offers: ["A"])),
                ],
                "eligible/lapsed/as_of_receipt", "undetermined/auto-renew-unknown/-", .lapsed
            ),
            (
                [
                    .receipt("2026-05-15", [Bought(original: "1")]),
                    .renewal(
                        "2026-06-06",
                        Renewal(
                            original: "77", renews: false, expired: true, ends: "2026-01-01", offers: ["A"])),
                ],
                "eligible/lapsed/as_of_receipt", "undetermined/auto-renew-unknown/-", .lapsed
            ),
            // But it may state billing retry.
            (
                [
                    .receipt("2026-05-15", [Bought(original: "1")]),
                    .renewal("2026-06-06", Renewal(original: "77", retry: true, ends: "2026-05-20")),
                ],
                "eligible/lapsed/as_of_receipt", "ineligible/in-billing-retry/as_of_signed_renewal_info",
                .billingRetry
            ),
            // Apple's list is from before a period that is over.
            (
                own + [info("77", signed: "2026-06-07", ends: "2026-06-09")],
                "eligible/lapsed/as_of_receipt", "undetermined/criteria/-", .lapsed
            ),
            // The list is from a period that is over.
            (
                [
                    .receipt("2026-06-02", [Bought(original: "1")]),
                    .renewal("2026-06-03", Renewal(renews: false, ends: "2026-06-09", offers: [])),
                ],
                "eligible/lapsed/as_of_receipt", "undetermined/criteria/-", .lapsed
            ),
            // A subscription without a transaction runs, by information from before the customer's last purchase.
            (
                [
                    .receipt("2026-06-05", [Bought(original: "1")]),
                    info("77", signed: "2026-04-10", ends: "2027-04-01"),
                ],
                "undetermined/lapsed/-", "undetermined/auto-renew-unknown/-", .unknown
            ),
            // A refunded purchase of another subscription expires when a shared period that runs does.
            (
                [
                    .receipt(
                        "2026-06-05", [Bought(original: "1", to: "2026-07-01", cancelled: "2026-05-20")]),
                    .jws("2026-05-10", Bought(id: "9", original: "9", shared: true)),
                    info("9", signed: "2026-06-07", ends: "2026-07-01"),
                ],
                "ineligible/refunded/as_of_receipt", "undetermined/auto-renew-unknown/-", .unknown
            ),
            // An unknown owner's period was revoked after the information was signed.
            (
                [
                    .receipt("2026-06-05", [Bought(original: "1")]),
                    .renewal("2026-06-06", Renewal(renews: false)),
                    .jws(
                        "2026-04-20",
                        Bought(
                            id: "9", original: "9", from: "2026-04-01", to: "2026-05-01",
                            cancelled: "2026-04-15",
                            assigned: true)),
                    .renewal("2026-04-10", Renewal(original: "9")),
                ],
                "undetermined/unknown-ownership/-", "ineligible/criteria/as_of_signed_renewal_info", .unknown
            ),
            // Information of one date about two subscriptions. The information about the earlier end says nothing.
            (
                [
                    .receipt(
                        "2026-06-05",
                        [
                            Bought(original: "1"),
                            Bought(id: "5", original: "5", from: "2025-12-01", to: "2026-01-01"),
                        ]),
                    .renewal("2026-06-06", Renewal(renews: false, expired: true)),
                    .renewal("2026-06-06", Renewal(original: "5", renews: false, expired: true)),
                ],
                "eligible/lapsed/as_of_receipt", "ineligible/criteria/as_of_signed_renewal_info", .lapsed
            ),
            // A renewal ahead of its time begins after the date of the question.
            (
                [.receipt("2026-01-05", [])] + ahead,
                "undetermined/never-subscribed/-", "undetermined/never-subscribed/-", .unknown
            ),
            (
                [
                    .receipt(
                        "2026-03-05", [Bought(original: "1", from: "2026-01-01", to: "2026-02-01")])
                ] + ahead,
                "undetermined/lapsed/-", "undetermined/criteria/-", .unknown
            ),
            // It has no later period.
            (
                unknownOwner + [info("9", signed: "2026-06-07", ends: "2026-05-01")],
                "undetermined/unknown-ownership/-", "ineligible/criteria/as_of_signed_renewal_info", .unknown
            ),
        ] as [([Evidence], String, String, SubscriptionState.Kind)])
    func endsInRenewalInformation(
        evidence: [Evidence], introductory: String, winBack: String, state: SubscriptionState.Kind
    ) throws {
        for evidence in [evidence, evidence.reversed()] {
            let verdict = try verdicts(evidence, catalog: winBackCatalog)[0]
            #expect(verdict.introductoryOffer.short == introductory)
            #expect(verdict.winBackOffer.short == winBack)
            #expect(verdict.subscription.kind == state)
        }
    }

    private static let own = [
        Evidence.receipt("2026-06-05", [Bought(original: "1")]),
        .renewal("2026-06-06", Renewal(renews: false, expired: true, offers: ["A"])),
    ]
    private static let renewalAhead = Evidence.jws(
        "2026-06-10T06:00:00Z",
        Bought(id: "2", original: "1", from: "2026-06-10T12:00:00Z", to: "2026-07-10"))
    private static let ahead = [
        renewalAhead, info("1", signed: "2026-06-10T06:00:00Z", ends: "2026-07-10"),
    ]
    private static let unknownOwner = [
        Evidence.receipt("2026-06-05", [Bought(original: "1")]),
        .renewal("2026-06-06", Renewal(renews: false)),
        .jws(
            "2026-04-10", Bought(id: "9", original: "9", from: "2026-04-01", to: "2026-05-01", assigned: true)
        ),
    ]

    private static func info(_ original: String, signed: String, ends: String) -> Evidence {
        .renewal(signed, Renewal(original: original, renews: false, ends: ends))
    }

    // A renewal of one subscription is missing, although another subscription ended later.
    @Test func missingRenewalOfAnotherSubscription() throws {
        let evidence = [
            Evidence.receipt("2026-05-01", [Bought(original: "1", from: "2026-03-01", to: "2026-04-01")]),
            Self.info("1", signed: "2026-05-02", ends: "2026-05-01"),
            .jws("2026-06-05", Bought(id: "5", original: "5", from: "2026-05-04", to: "2026-06-04")),
            .renewal("2026-06-05", Renewal(original: "5", renews: false)),
        ]
        let verdict = try verdicts(evidence, catalog: winBackCatalog)[0]
        #expect(verdict.introductoryOffer.caveats == [.partialEvidence])
        #expect(verdict.winBackOffer.caveats == [.partialEvidence])
    }

    // A renewal from after the date of the question shows that earlier ones are missing: the receipt, the date, the caveat
    @Test(
        arguments: [
            ("2026-01-05", "2026-06-10", true),
            ("2026-01-05", "2026-06-01", true),
            // The receipt would list them.
            ("2026-06-02", "2026-06-01", false),
        ] as [(String, String, Bool)])
    func laterRenewals(created: String, asOf: String, isPartial: Bool) throws {
        let evidence = [Evidence.receipt(created, []), Self.renewalAhead]
        let offer = try verdicts(evidence, asOf: .date(at(asOf)))[0].introductoryOffer
        #expect(offer.short == "eligible/never-subscribed/as_of_receipt")
        #expect(offer.caveats == (isPartial ? [.partialEvidence] : []))
        #expect(offer.explanation.contains("a renewal may be missing") == isPartial)
    }

    // Before the purchases of a complete history, nothing is missing.
    @Test func laterUpgrade() throws {
        let evidence = [
            Evidence.jws("2026-06-05", Bought(original: "1", upgraded: true)),
            .jws("2026-06-05", Bought(product: "premium", id: "2", original: "1", from: "2026-05-10")),
        ]
        let offer = try verdicts(evidence, asOf: .date(at("2026-04-01")), listings: [.history])[0]
            .introductoryOffer
        #expect(offer.short == "eligible/never-subscribed/as_of_receipt")
        #expect(offer.caveats == [])
    }

    /// Whether a shared subscription may have been renewed.
    enum SharedRenewal: Sendable {
        case excluded, possible
        /// Renewal information says that it renews.
        case stated
    }

    // The information about a shared subscription, its date, the customer's purchases, the newest receipt, whether it may have
    // been renewed
    @Test(
        arguments: [
            // No information
            (nil, "2026-05-20", [], "2026-05-20", .possible),
            (nil, "2026-05-20", [Self.earlier], "2026-05-20", .possible),
            // A transaction does not list later ones.
            (nil, "2026-06-05", [], "2026-05-20", .possible),
            (nil, "2026-05-20", [], "2026-06-01", .excluded),
            // Information from before 2023 has no date of the renewal.
            (Renewal(original: "9"), "2026-05-20", [], "2026-05-20", .possible),
            // Information about another subscription
            (
                Renewal(original: "8", renews: false, ends: "2026-06-01"), "2026-05-20", [], "2026-05-20",
                .possible
            ),
            (Renewal(original: "9", ends: "2026-06-01"), "2026-05-20", [], "2026-05-20", .stated),
            (Renewal(original: "9", ends: "2026-06-01"), "2026-05-20", [Self.earlier], "2026-05-20", .stated),
            // It was renewed ahead of its time.
            (Renewal(original: "9", ends: "2026-06-01"), "2026-04-30", [], "2026-04-30", .stated),
            // The information is from before the renewal.
            (Renewal(original: "9", ends: "2026-05-01"), "2026-04-30", [], "2026-04-30", .possible),
            (
                Renewal(original: "9", renews: false, ends: "2026-05-01"), "2026-04-30", [], "2026-04-30",
                .possible
            ),
            // Billing retry
            (
                Renewal(original: "9", retry: true, expired: true, ends: "2026-06-01"), "2026-05-20", [],
                "2026-05-20", .stated
            ),
            // It was not set to renew, which the payer may have changed.
            (
                Renewal(original: "9", renews: false, ends: "2026-06-01"), "2026-05-20", [], "2026-05-20",
                .possible
            ),
            // It did not renew.
            (
                Renewal(original: "9", renews: false, ends: "2026-06-01"), "2026-06-02", [], "2026-05-20",
                .excluded
            ),
            // The information is about a later period, and the payer may have changed it.
            (
                Renewal(original: "9", renews: false, ends: "2026-06-08"), "2026-06-02", [], "2026-05-20",
                .possible
            ),
            // A receipt from after the period lists no other.
            (Renewal(original: "9", ends: "2026-06-01"), "2026-05-20", [], "2026-06-01", .excluded),
            // Newer information says that the App Store still tries to charge the payer.
            (
                Renewal(original: "9", retry: true, ends: "2026-06-01"), "2026-06-03", [Self.earlier],
                "2026-06-02", .stated
            ),
        ] as [(Renewal?, String, [Bought], String, SharedRenewal)])
    func sharedSubscriptionMayHaveRenewed(
        renewal: Renewal?, signed: String, purchases: [Bought], created: String, expected: SharedRenewal
    ) throws {
        var evidence = [
            Evidence.receipt(created, purchases), .jws(signed, Bought(id: "9", original: "9", shared: true)),
        ]
        if let renewal { evidence.append(.renewal(signed, renewal)) }
        // Newer evidence about something else changes nothing.
        for evidence in [evidence, evidence + [.appTransaction("2026-06-05")]] {
            let offer = try verdicts(evidence)[0].introductoryOffer
            #expect(offer.outcome == .eligible)
            #expect(offer.caveats.contains(.renewalPossible) == (expected == .stated))
            #expect(
                offer.explanation.contains("shared subscription may have been renewed")
                    == (expected != .excluded))
            let strict = try verdicts(evidence, policies: OfferPolicies(staleEvidence: .undetermined))[0]
            #expect((strict.introductoryOffer.outcome == .undetermined) == (expected != .excluded))
        }
    }

    // A complete history does not exclude a renewal, as for the customer's own subscription.
    @Test func historyOfASharedSubscription() throws {
        let verdict = try verdicts(
            [.jws("2026-06-05", Bought(id: "9", original: "9", shared: true))],
            policies: OfferPolicies(staleEvidence: .undetermined), listings: [.history])[0]
        #expect(verdict.introductoryOffer.short == "undetermined/never-subscribed/-")
    }

    @Test func explanationOfASharedSubscriptionAlone() throws {
        let evidence = [Evidence.jws("2026-05-20", Bought(id: "9", original: "9", shared: true))]
        let offer = try verdicts(evidence)[0].introductoryOffer
        #expect(offer.caveats.contains(.partialEvidence))
        #expect(
            offer.explanation.hasPrefix(
                "No purchase of the customer's own in the group is among the evidence"))
    }

    // Evidence of a year that ended on 2026-06-01 and was not set to renew, the win-back answer, whether it may have been renewed,
    // and a part of the explanation
    @Test(
        arguments: [
            // The customer may have turned renewal on again.
            ([own("2026-05-20"), off("2026-05-20")], eligible, true, "shows that it stayed off"),
            ([own("2026-05-20"), off("2026-06-01")], eligible, true, "shows that it stayed off"),
            // The information is newer than the end.
            ([own("2026-05-20"), off("2026-06-02")], eligible, false, "and will not renew; meets"),
            // A receipt is newer than the end, so no renewal is missing.
            (
                [own("2026-05-20"), off("2026-05-20"), .receipt("2026-06-01", [year])], eligible, false,
                "meets"
            ),
            // A refunded period does not renew.
            (
                [own("2026-05-20", cancelled: "2026-05-19"), off("2026-05-20")], ineligible, false,
                "does not meet"
            ),
            // Too few paid months
            ([own("2026-05-20", from: "2026-02-01"), off("2026-05-20")], ineligible, false, "does not meet"),
            // A shared subscription is set to renew.
            (
                [
                    own("2026-05-20"), off("2026-06-02"), .jws("2026-06-03", sharedUntilJune9),
                    .renewal("2026-06-01", Renewal(original: "9", ends: "2026-06-09")),
                ],
                eligible, true, "A shared subscription may have been renewed"
            ),
            // After a cancellation for an unknown reason, as a switch to a bundle, the customer may be a subscriber.
            (
                [.jws("2026-05-20", cancelledForUnknownReason), off("2026-05-20")],
                "undetermined/criteria/-", false, "cancelled for an unknown reason"
            ),
        ] as [([Evidence], String, Bool, String)])
    func winBackOfferIfRenewalWasOff(
        evidence: [Evidence], winBack: String, isPossible: Bool, explanation: String
    ) throws {
        let offer = try verdicts(evidence, catalog: winBackCatalog)[0].winBackOffer
        #expect(offer.short == winBack)
        #expect(offer.caveats.contains(.renewalPossible) == isPossible)
        #expect(offer.explanation.contains(explanation))
        let strict = try verdicts(
            evidence, catalog: winBackCatalog, policies: OfferPolicies(staleEvidence: .undetermined))[0]
        #expect(strict.winBackOffer.short == (isPossible ? "undetermined/criteria/-" : winBack))
        #expect(strict.winBackOffer.explanation.contains(explanation))
    }

    // Nothing excludes that a shared subscription was renewed: the answers under both policies
    @Test func winBackOfferBesideASharedSubscription() throws {
        let evidence = [
            Self.own("2026-05-20"), Self.off("2026-06-02"), .jws("2026-06-03", Self.sharedUntilJune9),
        ]
        let offers = try OfferPolicies.StaleEvidence.allCases.map {
            try verdicts(evidence, catalog: winBackCatalog, policies: OfferPolicies(staleEvidence: $0))[0]
                .winBackOffer
        }
        #expect(offers.map(\.short) == [Self.eligible, "undetermined/criteria/-"])
        #expect(
            offers.map(\.caveats) == [[.partialEvidence, .familyShared], [.partialEvidence, .familyShared]])
        #expect(offers.allSatisfy { $0.explanation.contains("A shared subscription may have been renewed") })
    }

    // Evidence beside the customer's year, which ended on 2026-06-01 and did not renew: the strict answers on introductory and
    // win-back offers
    @Test(
        arguments: [
            // Nothing is shared.
            ([], "eligible/lapsed/as_of_receipt", eligible),
            // An upgrade replaced the shared period, and its successor is missing.
            (
                [upgradedShared],
                doubtful, doubtfulWinBack
            ),
            (
                [
                    upgradedShared,
                    backOffer("2026-06-06"),
                ],
                doubtful, doubtfulWinBack
            ),
            // The information about the successor says that it was not renewed.
            (
                [
                    upgradedShared,
                    .renewal("2026-06-09", Renewal(original: "9", renews: false, ends: "2026-06-08")),
                    backOffer("2026-06-09"),
                ],
                "eligible/lapsed/as_of_receipt", "eligible/apple-offers/as_of_signed_renewal_info"
            ),
            // A receipt from after the upgrade lists no successor.
            (
                [
                    upgradedShared,
                    .receipt("2026-06-05", [year]),
                ],
                "eligible/lapsed/as_of_receipt", eligible
            ),
            // A revoked period, and information from before and from after that. The payer's subscription may go on.
            (
                [revokedShared],
                "eligible/lapsed/as_of_receipt", eligible
            ),
            (
                [
                    revokedShared,
                    .renewal("2026-06-03", Renewal(original: "9", ends: "2026-06-09")),
                ],
                "eligible/lapsed/as_of_receipt", eligible
            ),
            (
                [
                    revokedShared,
                    .renewal("2026-06-05", Renewal(original: "9", ends: "2026-06-07")),
                ],
                "eligible/lapsed/as_of_receipt", eligible
            ),
            // The information states a period from after the revocation.
            (
                [
                    revokedShared,
                    .renewal("2026-06-08", Renewal(original: "9", ends: "2026-06-09")),
                ],
                doubtful, doubtfulWinBack
            ),
            // Only a receipt lists the last period of the shared subscription.
            (
                [
                    .jws("2026-05-05", shared(until: "2026-05-20")),
                    .receipt(
                        "2026-05-25",
                        [
                            Bought(
                                product: "premium", id: "10", original: "9", from: "2026-05-20",
                                to: "2026-05-30")
                        ]),
                ],
                "undetermined/unknown-ownership/-", doubtfulWinBack
            ),
            // A shared subscription was upgraded, and its upgrade is over. The upgrade replaced a renewal, which ended before it began.
            (upgradeOfShared(replaced: sharedRenewal(isUpgraded: true)), doubtful, doubtfulWinBack),
            (
                upgradeOfShared(replaced: sharedRenewal(cancelled: "2026-05-31T18:00:00Z")), doubtful,
                doubtfulWinBack
            ),
            // Apple's list is from before the end of the upgrade.
            (
                upgradeOfShared(replaced: sharedRenewal(isUpgraded: true)) + [backOffer("2026-06-06")],
                doubtful, doubtfulWinBack
            ),
            // Apple's list is from before the end of a shared period that only information states.
            (
                [
                    .jws("2026-05-05", shared(until: "2026-05-20")), backOffer("2026-06-02"),
                    .renewal("2026-05-25", Renewal(original: "9", renews: false, ends: "2026-06-08")),
                ],
                doubtful, doubtfulWinBack
            ),
        ] as [([Evidence], String, String)])
    func sharedSubscriptionWithoutItsLastPeriod(evidence: [Evidence], introductory: String, winBack: String)
        throws
    {
        let verdict = try verdicts(
            [Self.own("2026-06-02"), Self.off("2026-06-02")] + evidence, catalog: winBackCatalog,
            policies: OfferPolicies(staleEvidence: .undetermined), listings: [.history])[0]
        #expect(verdict.introductoryOffer.short == introductory)
        #expect(verdict.winBackOffer.short == winBack)
    }

    // Statuses from after the question's date have the last renewal of a subscription: whether it is shared, or of an unknown owner
    @Test(arguments: [(true, false), (false, false), (false, true)])
    func laterRenewalLeavesEarlierOnesInDoubt(isShared: Bool, isAssigned: Bool) throws {
        let later = Bought(
            id: "12", original: "9", from: "2026-08-01", to: "2026-09-01", shared: isShared,
            assigned: isAssigned)
        func offer(_ policies: OfferPolicies) throws -> OfferVerdict {
            try verdicts([.jws("2026-08-05", later)], policies: policies, listings: [.statuses])[0]
                .introductoryOffer
        }
        let isStale = try offer(OfferPolicies(staleEvidence: .undetermined)).outcome == .undetermined
        let isPartial = try offer(OfferPolicies(partialEvidence: .undetermined)).outcome == .undetermined
        #expect(isStale == isShared)
        #expect(isPartial == !isShared)
        let answer = try offer(OfferPolicies())
        #expect(answer.explanation.contains("shared subscription may have been renewed") == isShared)
        #expect(answer.caveats == [isShared ? .familyShared : .partialEvidence])
    }

    /// Checks a later renewal of a product that no group lists. It may belong to the catalog's group, unless Apple names another
    /// group for one of its products.
    @Test(arguments: [true, false])
    func laterRenewalOfAnUnlistedProduct(isGroupKnown: Bool) throws {
        func later(_ product: String, id: String, original: String, group: String) -> Evidence {
            .jws(
                "2026-08-05",
                Bought(
                    product: product, id: id, original: original, from: "2026-08-01", to: "2026-09-01",
                    group: group))
        }
        let unlisted = later("gone", id: "12", original: "9", group: "21000001")
        let listed = later("basic", id: "13", original: "13", group: "21000002")
        let evidence = [.receipt("2026-01-01", []), unlisted] + (isGroupKnown ? [listed] : [])
        let offer = try verdicts(evidence)[0].introductoryOffer
        #expect((offer.rule == .uncataloguedHistory) == !isGroupKnown)
    }

    /// Checks renewal information about a product that no group lists. It belongs to the group of its subscription's other
    /// purchases.
    @Test func renewalInformationOfAnUnlistedProduct() throws {
        let evidence: [Evidence] = [
            .receipt(
                "2026-06-05",
                [
                    Bought(product: "gone", id: "1", original: "1", from: "2025-09-01", to: "2025-10-01"),
                    Bought(id: "2", original: "1", from: "2025-10-01", to: "2026-06-01"),
                ]),
            .renewal("2026-06-02", Renewal(renews: false, expired: true)),
            .renewal("2026-06-08", Renewal(product: "gone", renews: true)),
        ]
        let offer = try verdicts(evidence, catalog: winBackCatalog)[0].winBackOffer
        #expect(offer.short == "ineligible/auto-renew-on/as_of_signed_renewal_info")
    }

    /// Checks that unsigned information says nothing beside signed information of its subscription, although the two are about
    /// products of different groups: the catalog's own, and one that only Apple names.
    @Test(arguments: [
        ("1", "undetermined/auto-renew-unknown/-"), ("7", "eligible/criteria/as_of_renewal_info"),
    ])
    func unsignedInformationOfAnotherProduct(original: String, expected: String) throws {
        let gone = Bought(
            product: "gone", id: "1", original: "1", from: "2025-09-01", to: "2025-10-01", group: "21000001")
        let evidence: [Evidence] = [
            .receipt(
                "2026-06-05",
                [gone, Bought(id: "2", original: original, from: "2025-10-01", to: "2026-06-01")]),
            .jws("2025-09-02", gone),
            .renewal("2026-06-08", Renewal(product: "gone", original: "1", renews: true)),
        ]
        let entry = RenewalInformation.Entry(
            productID: "basic", originalTransactionID: original, willRenew: false)
        let offer = try verdicts(
            evidence, catalog: winBackCatalog, renewals: RenewalInformation(entries: [entry]))[0].winBackOffer
        #expect(offer.short == expected)
    }

    private static let upgradedShared = Evidence.jws(
        "2026-06-05", shared(until: "2026-06-20", cancelled: "2026-06-04", isUpgraded: true))
    private static let revokedShared = Evidence.jws(
        "2026-06-05", shared(until: "2026-06-07", cancelled: "2026-06-04"))
    private static let doubtful = "undetermined/lapsed/-"
    private static let doubtfulWinBack = "undetermined/criteria/-"

    private static func shared(until end: String, cancelled: String? = nil, isUpgraded: Bool = false)
        -> Bought
    {
        Bought(
            product: "premium", id: "9", original: "9", to: end, cancelled: cancelled, upgraded: isUpgraded,
            shared: true)
    }

    /// Returns the evidence of a shared subscription that was upgraded until 2026-06-08, after its renewal had been charged.
    private static func upgradeOfShared(replaced renewal: Bought) -> [Evidence] {
        [
            shared(until: "2026-06-01", cancelled: "2026-05-31T18:00:00Z", isUpgraded: true),
            Bought(
                id: "10", original: "9", from: "2026-05-31T18:00:00Z",
                to: "2026-06-08", shared: true), renewal,
        ].map { .jws("2026-06-05", $0) }
    }

    private static func sharedRenewal(cancelled: String? = nil, isUpgraded: Bool = false) -> Bought {
        Bought(
            product: "premium", id: "11", original: "9", from: "2026-06-01", to: "2026-07-01",
            cancelled: cancelled, upgraded: isUpgraded, shared: true)
    }

    /// Returns information about the customer's subscription with a win-back offer of Apple.
    private static func backOffer(_ date: String) -> Evidence {
        .renewal(date, Renewal(renews: false, offers: ["back"]))
    }

    // Unsigned information does not answer for a shared subscription, nor does it replace signed information.
    @Test(
        arguments: [
            (
                [
                    own("2026-05-20"), .jws("2026-06-03", sharedUntilJune9),
                    .renewal("2026-06-01", Renewal(original: "9", ends: "2026-06-09")),
                ], "1"
            ),
            ([own("2026-05-20"), off("2026-05-20"), .jws("2026-05-20", longAgo)], "7"),
        ] as [([Evidence], String)])
    func winBackOfferBesideUnsignedInformation(evidence: [Evidence], original: String) throws {
        let unsigned = RenewalInformation(entries: [
            .init(productID: "basic", originalTransactionID: original, willRenew: false)
        ])
        let offer = try verdicts(evidence, catalog: winBackCatalog, renewals: unsigned)[0].winBackOffer
        #expect(offer.outcome == .eligible)
        #expect(offer.caveats.contains(.renewalPossible))
    }

    private static let eligible = "eligible/criteria/as_of_signed_renewal_info"
    private static let ineligible = "ineligible/criteria/as_of_signed_renewal_info"
    private static let year = Bought(original: "1", from: "2025-06-01")
    private static let longAgo = Bought(id: "7", original: "7", from: "2023-06-01", to: "2024-01-01")
    private static let cancelledForUnknownReason = Bought(
        original: "1", from: "2025-06-01", cancelled: "2026-05-19", reason: 2)
    private static let sharedUntilJune9 = Bought(
        product: "premium", id: "9", original: "9", to: "2026-06-09", shared: true)

    private static func own(_ date: String, from: String = "2025-06-01", cancelled: String? = nil) -> Evidence
    {
        .jws(date, Bought(original: "1", from: from, cancelled: cancelled))
    }

    private static func off(_ date: String) -> Evidence { .renewal(date, Renewal(renews: false)) }

    private static let earlier = Bought(original: "1", from: "2026-03-01", to: "2026-04-01")

    // An introductory offer of several periods; of a shared subscription
    @Test(arguments: [
        (false, "undetermined/uncatalogued-history/-"), (true, "eligible/lapsed/as_of_receipt"),
    ])
    func introductoryOfferInRenewalInformation(isShared: Bool, expected: String) throws {
        let evidence = [
            Evidence.receipt("2026-06-05", [Bought(original: "1")]),
            .jws("2026-05-10", Bought(id: "9", original: "9", shared: isShared)),
            .renewal("2026-05-10", Renewal(original: "9", introductory: true)),
            .renewal("2026-05-11", Renewal(original: "9")),
        ]
        #expect(try verdicts(evidence)[0].introductoryOffer.short == expected)
        // Apple joins the group with another one.
        let joined = [
            Evidence.jws("2026-05-10", Bought(id: "9", original: "9", group: "21000001", shared: isShared)),
            .jws("2026-06-05", Bought(product: "weekly", id: "2", original: "2", group: "21000001")),
        ]
        let other = try verdicts(of: ["weekly"], evidence + joined)[0].introductoryOffer
        #expect((other.outcome == .undetermined) == !isShared)
    }

    // An upgraded period whose successor is missing, the newest receipt or a history, and whether a renewal may be missing
    @Test(
        arguments: [
            // A receipt from before the upgrade
            ("2026-05-15", "2026-05-20", true),
            // The successor is not in the receipt.
            ("2026-05-25", "2026-05-20", false),
            // Its date is unknown.
            ("2026-05-25", nil, true),
            // The upgrade is from after the question's date.
            ("2026-05-15", "2026-06-11", false),
            // A history that does not list it is from before the upgrade.
            (nil, "2026-05-20", true),
            (nil, "2026-06-11", false),
        ] as [(String?, String?, Bool)])
    func upgradeWithoutItsSuccessor(created: String?, cancelled: String?, isMissing: Bool) throws {
        let upgraded = Bought(
            original: "1", to: cancelled == nil ? "2026-06-01" : "2026-06-09", cancelled: cancelled,
            upgraded: true)
        let earlier =
            created.map { Evidence.receipt($0, [Bought(original: "1", to: upgraded.to)]) }
            ?? .jws("2026-05-15", Bought(original: "1", to: upgraded.to))
        let offer = try verdicts(
            [earlier, .jws("2026-06-12", upgraded)], listings: created == nil ? [.history] : [])[0]
            .introductoryOffer
        #expect(offer.rule == .lapsed)
        #expect(offer.caveats.contains(.partialEvidence) == isMissing)
    }

    // Renewal information about a subscription with one purchase, of 2026-05-01: the newest receipt, and whether another may be missing
    @Test(
        arguments: [
            (Renewal(renews: false, expired: true, series: "2026-05-01"), "2026-05-20", false),
            // The start of a series that is not listed
            (Renewal(renews: false, expired: true, series: "2026-06-01T09:02:00Z"), "2026-05-20", true),
            // The first purchase of the series is missing, and this is a renewal.
            (Renewal(renews: false, expired: true, series: "2026-01-01"), "2026-05-20", true),
            // Another product
            (Renewal(product: "premium", renews: false, expired: true), "2026-05-20", true),
            // The receipt would list it.
            (Renewal(product: "premium", renews: false, expired: true), "2026-06-09", false),
            (Renewal(product: nil, next: "premium", renews: false, expired: true), "2026-05-20", false),
        ] as [(Renewal, String, Bool)])
    func unlistedPurchaseInRenewalInformation(renewal: Renewal, created: String, isMissing: Bool) throws {
        // Information of the same or a later date changes nothing.
        let silent = Renewal(renews: false, expired: true)
        for others in [[], [.renewal("2026-06-09", silent)], [.renewal("2026-06-10", silent)]] as [[Evidence]]
        {
            let all =
                [
                    Evidence.receipt(created, [Bought(original: "1")]), .renewal("2026-06-09", renewal),
                ] + others
            for evidence in [all, all.reversed()] {
                let offer = try verdicts(evidence)[0].introductoryOffer
                #expect(offer.short == "eligible/lapsed/as_of_receipt")
                #expect(offer.caveats == [])
                #expect(
                    offer.explanation.contains("a purchase or refund that it does not contain") == isMissing
                )
                let strict = try verdicts(evidence, policies: OfferPolicies(partialEvidence: .undetermined))[
                    0]
                #expect((strict.introductoryOffer.outcome == .undetermined) == isMissing)
            }
        }
    }

    // A purchase of 2026-05-10 within a period of premium, of the same subscription, and whether it shows a refund
    @Test(
        arguments: [
            // A purchase of the same product, and of a lower one
            (
                [Bought(product: "premium", id: "2", original: "1", from: "2026-05-10", to: "2026-06-05")],
                true
            ),
            ([Bought(id: "2", original: "1", from: "2026-05-10", to: "2026-06-05")], true),
            // A switch to a product of the same rank
            (
                [
                    Bought(
                        product: "premium.yearly", id: "2", original: "1", from: "2026-05-10",
                        to: "2026-06-05")
                ],
                false
            ),
            // Another subscription
            ([Bought(id: "2", original: "2", from: "2026-05-10", to: "2026-06-05")], false),
            // Genuine receipts of the sandbox have purchases minutes before the end of a period. A day is the limit.
            (
                [Bought(product: "premium", id: "2", original: "1", from: "2026-05-31", to: "2026-06-05")],
                false
            ),
            (
                [
                    Bought(
                        product: "premium", id: "2", original: "1", from: "2026-05-31T08:59:59Z",
                        to: "2026-06-05")
                ], true
            ),
            // The same period under another identifier
            (
                [Bought(product: "premium", id: "2", original: "1", from: "2026-05-10", to: "2026-06-01")],
                false
            ),
            // A renewal that was charged ahead, and that a switch replaced
            (
                [
                    Bought(
                        product: "premium.yearly", id: "2", original: "1", from: "2026-05-31T18:00:00Z",
                        to: "2026-06-09"),
                    Bought(product: "premium", id: "3", original: "1", from: "2026-06-01", to: "2026-06-07"),
                ], false
            ),
        ] as [([Bought], Bool)])
    func purchaseWithinAPeriod(purchases: [Bought], isRefund: Bool) throws {
        let evidence =
            [Evidence.receipt("2026-05-02", [Bought(product: "premium", original: "1")])]
            + purchases.map { .jws("2026-06-08", $0) }
        let offer = try verdicts(evidence)[0].introductoryOffer
        #expect(offer.rule == .lapsed)
        #expect(offer.explanation.contains("a purchase or refund that it does not contain") == isRefund)
        let strict = try verdicts(evidence, policies: OfferPolicies(partialEvidence: .undetermined))[0]
        #expect((strict.introductoryOffer.outcome == .undetermined) == isRefund)
    }

    /// Checks that a renewal that a switch replaced does not hide a refund of the new product, whether or not evidence shows it as
    /// replaced.
    @Test(arguments: [false, true])
    func secondPurchaseAfterASwitch(isUpgraded: Bool) throws {
        func yearly(_ id: String, from: String, to: String) -> Bought {
            Bought(product: "premium.yearly", id: id, original: "1", from: from, to: to)
        }
        let replaced = Bought(
            product: "premium", id: "3", original: "1", from: "2026-06-01", to: "2026-06-07",
            upgraded: isUpgraded)
        let offer = try verdicts([
            .receipt("2026-05-02", [Bought(product: "premium", original: "1")]),
            .jws("2026-06-02", yearly("2", from: "2026-05-31T18:00:00Z", to: "2026-06-09")),
            .jws("2026-06-02", replaced),
            .jws("2026-06-08", yearly("4", from: "2026-06-04", to: "2026-06-09T12:00:00Z")),
        ])[0].introductoryOffer
        #expect(offer.explanation.contains("a purchase or refund that it does not contain"))
    }

    // Evidence of an earlier purchase, and whether one of 2026-05-10 shows a refund of it. The App Store may have reversed one.
    @Test(arguments: [
        // From before the later purchase, and from after it
        ([Evidence.receipt("2026-05-09", [Bought(original: "1")])], true),
        ([.receipt("2026-05-10", [Bought(original: "1")])], false),
        ([.jws("2026-05-10", Bought(original: "1"))], false),
        // A receipt from after it does not list the earlier one.
        ([.jws("2026-05-09", Bought(original: "1")), .receipt("2026-06-08", [])], true),
    ])
    func evidenceStatesRefunds(evidence: [Evidence], isRefund: Bool) throws {
        let second = Bought(id: "2", original: "1", from: "2026-05-10", to: "2026-06-05")
        let offer = try verdicts(evidence + [.jws("2026-06-08", second)])[0].introductoryOffer
        #expect(offer.explanation.contains("a purchase or refund that it does not contain") == isRefund)
    }

    /// Checks that newer information without the end of a period does not remove a period that older information shows.
    @Test func unlistedPeriodInOlderInformation() throws {
        let evidence = [
            Evidence.receipt("2026-05-02", [Bought(original: "1", from: "2026-03-01", to: "2026-04-01")]),
            Self.info("1", signed: "2026-05-03", ends: "2026-05-01"),
            .renewal("2026-06-09", Renewal(renews: false, expired: true)),
        ]
        let offer = try verdicts(evidence)[0].introductoryOffer
        #expect(offer.rule == .lapsed)
        #expect(offer.caveats.contains(.partialEvidence))
    }

    // The last period was refunded: the newest information, and whether it may have been renewed
    @Test(
        arguments: [
            (Renewal(), true),
            // The customer turned renewal off.
            (Renewal(renews: false), false),
            // It expired, also if renewal is on.
            (Renewal(expired: true), false),
            // Nothing says that it renews.
            (Renewal(renews: nil), false),
            // The App Store still tries to charge the customer.
            (Renewal(renews: false, retry: true), true),
        ])
    func refundedPeriodMayRenew(renewal: Renewal, isPossible: Bool) throws {
        let evidence = [
            Evidence.jws("2026-05-25", Bought(original: "1", cancelled: "2026-05-20")),
            .renewal("2026-05-25", renewal),
        ]
        let offer = try verdicts(
            evidence, policies: OfferPolicies(refunds: .ignore), listings: [.history])[0].introductoryOffer
        #expect(offer.short == "eligible/lapsed/as_of_receipt")
        #expect(offer.caveats == (isPossible ? [.renewalPossible] : []))
    }

    // A later purchase of another subscription is not the successor: whether both are shared
    @Test(arguments: [false, true])
    func successorOfAnotherSubscription(isShared: Bool) throws {
        let upgraded = Bought(
            id: "1", original: "1", to: "2026-06-01", cancelled: "2026-05-10", upgraded: true,
            shared: isShared)
        let other = Bought(
            product: "premium", id: "5", original: "5", from: "2026-05-20", to: "2026-06-02", shared: isShared
        )
        let evidence = [
            Evidence.receipt("2026-04-01", []), .jws("2026-05-11", upgraded), .jws("2026-06-05", other),
            Self.info("5", signed: "2026-06-05", ends: "2026-06-02"),
        ]
        let offer = try verdicts(
            evidence,
            policies: OfferPolicies(staleEvidence: .undetermined, partialEvidence: .undetermined))[0]
            .introductoryOffer
        #expect(offer.outcome == .undetermined)
        #expect(offer.caveats == [isShared ? .familyShared : .partialEvidence])
    }

    /// Checks a renewal that was charged ahead and upgraded before it began: its successor precedes it, also if the date is unknown.
    @Test(arguments: ["2026-05-01", nil])
    func replacedRenewalLacksNoSuccessor(cancelled: String?) throws {
        let month = Bought(original: "1", from: "2026-04-01", to: "2026-05-01")
        let purchases = [
            Bought(id: "2", original: "1", cancelled: cancelled, upgraded: true),
            Bought(product: "premium", id: "3", original: "1", from: "2026-04-30", to: "2026-05-30"),
        ]
        let evidence = [Evidence.receipt("2026-04-29", [month])] + purchases.map { .jws("2026-05-02", $0) }
        // On the first date, the renewal would still run.
        for date in ["2026-05-31", "2026-06-10"] {
            let verdict = try verdicts(evidence, asOf: .date(at(date)), catalog: winBackCatalog)[0]
            #expect(verdict.introductoryOffer.rule == .lapsed)
            #expect(verdict.introductoryOffer.caveats == [.renewalPossible])
        }
    }

    // The statuses lack earlier renewals, so paid months and waits are unknown.
    @Test func criteriaWithMissingRenewals() throws {
        let evidence = [Self.second, .renewal("2026-06-09", Renewal(renews: false, expired: true))]
        func offer(_ policy: OfferPolicies.PartialEvidence) throws -> OfferVerdict {
            try verdicts(
                evidence, catalog: winBackCatalog, policies: OfferPolicies(partialEvidence: policy),
                listings: [.statuses])[0].winBackOffer
        }
        #expect(try offer(.accept).short == "ineligible/criteria/as_of_signed_renewal_info")
        #expect(try offer(.accept).caveats == [.partialEvidence])
        #expect(try offer(.undetermined).short == "undetermined/criteria/-")
    }

    @Test func savedAnswersCountAsAppReceipts() throws {
        let answer =
            #"{"status": 0, "latest_receipt_info": [{"product_id": "basic", "transaction_id": "1"}]}"#
        let saved = try PurchaseHistory(trusting: answer.utf8, environment: .production)
        #expect(saved.coverage == .complete)
        let merged = try PurchaseHistory(merging: [saved, history([], created: nil, coverage: .single)])
        #expect(merged.coverage == .complete)
    }

    // evidence without purchases, the three answers, the state
    @Test(
        arguments: [
            (
                .appTransaction("2026-06-05"),
                [
                    "undetermined/no-purchase-evidence/-", "undetermined/no-purchase-evidence/-",
                    "undetermined/no-purchase-evidence/-",
                ], .unknown
            ),
            (
                .renewal("2026-06-05", Renewal()),
                [
                    "undetermined/no-purchase-evidence/-", "undetermined/no-purchase-evidence/-",
                    "undetermined/no-purchase-evidence/-",
                ], .unknown
            ),
            // It states an introductory offer for the next period.
            (
                .renewal("2026-06-05", Renewal(introductory: true)),
                [
                    "undetermined/uncatalogued-history/-", "undetermined/no-purchase-evidence/-",
                    "undetermined/no-purchase-evidence/-",
                ], .unknown
            ),
            // Rules about renewal information decide first.
            (
                .renewal("2026-06-05", Renewal(grace: "2026-06-17")),
                [
                    "ineligible/in-grace-period/as_of_signed_renewal_info",
                    "undetermined/no-purchase-evidence/-",
                    "ineligible/in-grace-period/as_of_signed_renewal_info",
                ], .gracePeriod
            ),
            (
                .renewal("2026-06-05", Renewal(retry: true)),
                [
                    "undetermined/no-purchase-evidence/-", "undetermined/no-purchase-evidence/-",
                    "ineligible/in-billing-retry/as_of_signed_renewal_info",
                ], .unknown
            ),
        ] as [(Evidence, [String], SubscriptionState.Kind)])
    func verdictsWithoutACompleteList(evidence: Evidence, answers: [String], state: SubscriptionState.Kind)
        throws
    {
        for policy in OfferPolicies.PartialEvidence.allCases {
            let verdict = try verdicts([evidence], policies: OfferPolicies(partialEvidence: policy))[0]
            let offers = [verdict.introductoryOffer, verdict.promotionalOffer, verdict.winBackOffer]
            #expect(offers.map(\.short) == answers)
            #expect(offers.allSatisfy { $0.caveats.isEmpty && $0.transactions.isEmpty })
            #expect(verdict.subscription.kind == state)
        }
    }

    @Test func findingsWithoutACompleteList() throws {
        let verdict = try verdicts([.appTransaction("2026-06-05")])[0]
        #expect(verdict.introductoryOffer.findings == [.noPurchaseEvidence, .neverSubscribed])
        #expect(verdict.promotionalOffer.findings == [.noPurchaseEvidence])
        #expect(verdict.winBackOffer.findings == [.noPurchaseEvidence])
    }

    // product, evidence, the three answers under the policy
    @Test(
        arguments: [
            (
                "weekly", first,
                [
                    "undetermined/never-subscribed/-", "undetermined/never-subscribed/-",
                    "undetermined/never-subscribed/-",
                ]
            ),
            (
                "basic", first,
                [
                    "undetermined/lapsed/-", "eligible/current-or-lapsed-subscriber/proven",
                    "undetermined/auto-renew-unknown/-",
                ]
            ),
            // An app receipt lists all purchases.
            (
                "weekly", .receipt("2026-06-05", [Bought()]),
                [
                    "eligible/never-subscribed/as_of_receipt", "ineligible/never-subscribed/as_of_receipt",
                    "ineligible/never-subscribed/as_of_receipt",
                ]
            ),
            (
                "basic", .receipt("2026-06-05", [Bought(trial: true)]),
                [
                    "ineligible/offer-used/proven", "eligible/current-or-lapsed-subscriber/proven",
                    "undetermined/auto-renew-unknown/-",
                ]
            ),
        ] as [(String, Evidence, [String])])
    func thePolicyLeavesPartialEvidenceUndetermined(
        product: String, evidence: Evidence, answers: [String]
    ) throws {
        let policies = OfferPolicies(partialEvidence: .undetermined)
        let verdict = try verdicts(of: [product], [evidence], policies: policies)[0]
        let offers = [verdict.introductoryOffer, verdict.promotionalOffer, verdict.winBackOffer]
        #expect(offers.map(\.short) == answers)
    }

    // Promotional offers for subscribers of any group: product, purchase, answer
    @Test(arguments: [
        ("weekly", Bought(), "eligible/current-or-lapsed-subscriber/proven"),
        ("weekly", Bought(product: "gone"), "eligible/current-or-lapsed-subscriber/proven"),
        // A purchase that may not be the customer's own subscription does not prove a subscriber.
        ("weekly", Bought(assigned: true), "undetermined/unknown-ownership/-"),
        ("weekly", Bought(product: "gone", shared: true), "undetermined/uncatalogued-history/-"),
        ("weekly", Bought(product: "gone", assigned: true), "undetermined/uncatalogued-history/-"),
        ("weekly", Bought(type: .undocumented), "undetermined/uncatalogued-history/-"),
    ])
    func promotionalScopeCanBeTheApp(product: String, bought: Bought, answer: String) throws {
        let verdict = try verdicts(
            of: [product], [.jws("2026-06-05", bought)], policies: OfferPolicies(promotionalScope: .app))[0]
        #expect(verdict.promotionalOffer.short == answer)
        #expect(verdict.promotionalOffer.transactions == ["1"])
    }

    @Test func periodsOfAnUnknownOwner() throws {
        let verdict = try verdicts([.jws("2026-06-05", Bought(to: "2026-06-15", assigned: true))])[0]
        #expect(verdict.periods.map(\.kind) == [.unknown])
        #expect(verdict.introductoryOffer.explanation.contains("of unknown ownership, is running"))
    }
}
