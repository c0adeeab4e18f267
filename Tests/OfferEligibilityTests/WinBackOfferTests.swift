import AppReceipt
import Testing

@testable import OfferEligibility

struct WinBackOfferTests {
    typealias Entry = RenewalInformation.Entry

    struct Row: CustomTestStringConvertible, Sendable {
        let name: String
        var purchases = [lapsed]
        var renewals: [Entry]?
        var product = "basic"
        var asOf = "2026-06-02T00:00:00Z"
        var clock = false
        let expected: String

        var testDescription: String { name }
    }

    static let lapsed = Bought(id: "1", from: "2026-01-01", to: "2026-02-01")
    static let off = Entry(productID: "basic", willRenew: false)

    @Test(arguments: [
        Row(
            name: "no purchases", purchases: [], renewals: [off],
            expected: "ineligible/never-subscribed/as_of_receipt"),
        Row(
            name: "running", purchases: [Bought(to: "2026-07-01")], renewals: [off],
            expected: "ineligible/subscribed/as_of_receipt"),
        Row(
            name: "grace",
            renewals: [Entry(productID: "basic", willRenew: true, gracePeriodEnd: at("2026-06-03"))],
            expected: "ineligible/in-grace-period/as_of_renewal_info"),
        Row(
            name: "billing retry",
            renewals: [Entry(productID: "basic", willRenew: true, isInBillingRetry: true)],
            expected: "ineligible/in-billing-retry/as_of_renewal_info"),
        Row(
            name: "auto-renew on", renewals: [Entry(productID: "basic", willRenew: true)],
            expected: "ineligible/auto-renew-on/as_of_renewal_info"),
        Row(
            name: "one of two subscriptions renews",
            renewals: [off, Entry(productID: "pro", willRenew: true), off],
            expected: "ineligible/auto-renew-on/as_of_renewal_info"),
        Row(name: "no information", expected: "undetermined/auto-renew-unknown/-"),
        Row(name: "information without entries", renewals: [], expected: "undetermined/auto-renew-unknown/-"),
        Row(
            name: "in another group", renewals: [Entry(productID: "weekly", willRenew: false)],
            expected: "undetermined/auto-renew-unknown/-"),
        Row(
            name: "auto-renew is absent", renewals: [Entry(productID: "basic")],
            expected: "undetermined/auto-renew-unknown/-"),
        Row(
            name: "the group of the next product, if its own is unlisted",
            renewals: [Entry(productID: "legacy", autoRenewProductID: "pro", willRenew: true)],
            expected: "ineligible/auto-renew-on/as_of_renewal_info"),
        Row(
            name: "its own product takes precedence",
            renewals: [Entry(productID: "weekly", autoRenewProductID: "pro", willRenew: true)],
            expected: "undetermined/auto-renew-unknown/-"),
        Row(name: "the catalog has no criteria", renewals: [off], expected: "undetermined/criteria/-"),
        Row(
            name: "refunded counts as lapsed",
            purchases: [Bought(from: "2026-05-01", to: "2026-07-01", cancelled: "2026-05-10")],
            expected: "undetermined/auto-renew-unknown/-"),
        Row(
            name: "uncatalogued only", purchases: [Bought(product: "legacy")], renewals: [off],
            expected: "undetermined/uncatalogued-history/-"),
        Row(
            name: "wrong clock", asOf: "2026-05-15", clock: true,
            expected: "undetermined/clock-before-receipt/-"),
        Row(name: "an unlisted product", product: "unlisted", expected: "undetermined/unknown-product/-"),
    ])
    func decides(_ row: Row) {
        let offer = verdict(
            of: row.product, row.purchases, asOf: row.asOf, clock: row.clock, renewals: row.renewals
        ).winBackOffer
        #expect(offer.short == row.expected)
        #expect(offer.findings.first == offer.rule)
        #expect(offer.caveats.isEmpty)
    }

    // MARK: - Criteria

    struct Criteria: CustomTestStringConvertible, Sendable {
        let name: String
        var offers: [WinBackOffer]
        /// The number of paid months before the lapse on 2026-02-01.
        var months = 6
        var more: [Bought] = []
        var asOf = "2026-06-02T00:00:00Z"
        /// Whether the customer is eligible, or nil if the criteria are undetermined.
        let isEligible: Bool?

        var testDescription: String { name }
    }

    static func offer(
        _ id: String? = "BACK", paid: Int? = nil, from minimum: Int? = nil, to maximum: Int? = nil,
        wait: Int? = nil, starts: String? = nil, ends: String? = nil
    ) -> WinBackOffer {
        var offer = WinBackOffer(offerID: id)
        offer.paidMonths = paid
        offer.minimumMonthsSinceLapse = minimum
        offer.maximumMonthsSinceLapse = maximum
        offer.waitMonths = wait
        (offer.startDate, offer.endDate) = (starts.map(at), ends.map(at))
        return offer
    }

    /// Returns a catalog with the win-back offers of basic. The others have none.
    private static func catalog(_ offers: [WinBackOffer]) -> SubscriptionCatalog {
        var product = SubscriptionProduct(id: "basic", group: "main")
        product.winBackOffers = offers
        var builder = CatalogBuilder()
        precondition(builder.addGroup("main"))
        precondition(builder.add(product))
        precondition(builder.add(SubscriptionProduct(id: "premium", group: "main")))
        precondition(builder.add(SubscriptionProduct(id: "top", group: "main")))
        return builder.catalog
    }

    static let partlyRefunded = Bought(
        id: "x", from: "2024-01-01", to: "2025-01-01", cancelled: "2024-06-01", partlyRefunded: true)
    static let redemption = Bought(id: "r", from: "2025-02-01", to: "2025-08-01", offer: "BACK")
    static let unlisted = Bought(
        product: "retired", id: "r", from: "2025-02-01", to: "2025-08-01", offer: "BACK")

    @Test(arguments: [
        Criteria(name: "no win-back offer configured", offers: [], isEligible: false),
        Criteria(name: "an offer without criteria", offers: [offer()], isEligible: true),
        Criteria(name: "exactly enough paid months", offers: [offer(paid: 6)], isEligible: true),
        Criteria(name: "a month too few", offers: [offer(paid: 7)], isEligible: false),
        Criteria(
            name: "a trial is not paid", offers: [offer(paid: 7)],
            more: [Bought(id: "t", from: "2025-07-01", to: "2025-08-01", trial: true)], isEligible: false),
        Criteria(
            name: "a trial of a year is not paid", offers: [offer(paid: 7)],
            more: [Bought(id: "t", from: "2023-08-01", to: "2024-08-01", trial: true)], isEligible: false),
        Criteria(
            name: "a trial and the paid year after it, as one purchase", offers: [offer(paid: 7)],
            more: [Bought(id: "t", from: "2024-07-18", to: "2025-08-01", trial: true)], isEligible: nil),
        Criteria(
            name: "pay as you go is paid", offers: [offer(paid: 7)],
            more: [Bought(id: "i", from: "2025-07-01", to: "2025-08-01", intro: true)], isEligible: true),
        Criteria(
            name: "a payment with an offer of an unknown type", offers: [offer(paid: 7)],
            more: [Bought(id: "u", from: "2025-07-01", to: "2025-08-01", unknownOffer: true)],
            isEligible: nil),
        Criteria(
            name: "a payment with a discount of an unknown type", offers: [offer(paid: 7)],
            more: [Bought(id: "u", from: "2025-07-01", to: "2025-08-01", free: nil)], isEligible: nil),
        Criteria(
            name: "a trial with a discount of an unknown type is not paid", offers: [offer(paid: 7)],
            more: [Bought(id: "u", from: "2025-07-01", to: "2025-08-01", trial: true, free: nil)],
            isEligible: false),
        Criteria(
            name: "no criterion of paid months, and a discount of an unknown type", offers: [offer()],
            more: [Bought(id: "u", from: "2025-07-01", to: "2025-08-01", free: nil)], isEligible: true),
        Criteria(
            name: "no win-back offer configured, and an offer of an unknown type", offers: [],
            more: [Bought(id: "u", from: "2025-07-01", to: "2025-08-01", unknownOffer: true)],
            isEligible: false),
        Criteria(
            name: "a refund is not paid", offers: [offer(paid: 7)],
            more: [Bought(id: "x", from: "2025-01-01", to: "2026-01-01", cancelled: "2025-06-01")],
            isEligible: false),
        Criteria(
            name: "a period that may be refunded", offers: [offer(paid: 7)],
            more: [Bought(id: "x", from: "2024-01-01", to: "2025-01-01", cancelled: "2024-06-01", reason: 2)],
            isEligible: nil),
        Criteria(
            name: "a period that may be refunded, of less than a month", offers: [offer(paid: 6)],
            more: [Bought(id: "x", from: "2024-01-01", to: "2025-01-01", cancelled: "2024-01-09", reason: 2)],
            isEligible: true),
        Criteria(
            name: "a period that was refunded in part", offers: [offer(paid: 7)], more: [partlyRefunded],
            isEligible: nil),
        Criteria(
            name: "a period that was refunded in part, and enough others", offers: [offer(paid: 6)],
            more: [partlyRefunded], isEligible: true),
        Criteria(
            name: "another product of the group counts", offers: [offer(paid: 7)],
            more: [Bought(product: "pro", id: "p", from: "2024-07-01", to: "2024-08-01")], isEligible: true),
        Criteria(
            name: "two simultaneous periods count once", offers: [offer(paid: 7)],
            more: [Bought(product: "pro", id: "p", from: "2025-09-01", to: "2025-10-01")], isEligible: false),
        Criteria(
            name: "another group does not count", offers: [offer(paid: 7)],
            more: [Bought(product: "weekly", id: "w", from: "2024-07-01", to: "2025-07-01")],
            isEligible: false),
        // Lapsed on 2026-02-01T09:00:00Z.
        Criteria(name: "lapsed long enough", offers: [offer(from: 4)], asOf: "2026-06-01", isEligible: true),
        Criteria(
            name: "a millisecond too short", offers: [offer(from: 4)], asOf: "2026-06-01T08:59:59.999Z",
            isEligible: false),
        Criteria(name: "not too long", offers: [offer(to: 3)], asOf: "2026-05-31", isEligible: true),
        Criteria(name: "too long", offers: [offer(to: 3)], asOf: "2026-06-01", isEligible: false),
        // Redeemed until 2025-08-01T09:00:00Z.
        Criteria(
            name: "waited", offers: [offer(wait: 10)], more: [redemption], asOf: "2026-06-01",
            isEligible: true),
        Criteria(
            name: "the waiting time has not passed", offers: [offer(wait: 10)], more: [redemption],
            asOf: "2026-05-31",
            isEligible: false),
        Criteria(
            name: "the waiting time applies to the same offer only", offers: [offer("OTHER", wait: 10)],
            more: [redemption],
            asOf: "2026-05-31", isEligible: true),
        // A product that no group lists may have belonged to this group.
        Criteria(
            name: "the waiting time after the same offer for an unlisted product has not passed",
            offers: [offer(wait: 10)], more: [unlisted], asOf: "2026-05-31", isEligible: nil),
        Criteria(
            name: "waited after the same offer for an unlisted product", offers: [offer(wait: 10)],
            more: [unlisted], asOf: "2026-06-01", isEligible: true),
        Criteria(
            name: "another offer for an unlisted product", offers: [offer("OTHER", wait: 10)],
            more: [unlisted], asOf: "2026-05-31", isEligible: true),
        Criteria(
            name: "the same offer for an unlisted product, and too few paid months",
            offers: [offer(paid: 7, wait: 10)], more: [unlisted], asOf: "2026-05-31", isEligible: false),
        Criteria(
            name: "the waiting time after the same offer of an unknown owner has not passed",
            offers: [offer(wait: 10)],
            more: [Bought(id: "r", from: "2025-02-01", to: "2025-08-01", offer: "BACK", assigned: true)],
            asOf: "2026-05-31", isEligible: nil),
        Criteria(
            name: "the waiting time after the same offer for an unlisted product of the family",
            offers: [offer(wait: 10)],
            more: [
                Bought(
                    product: "retired", id: "r", from: "2025-02-01", to: "2025-08-01", offer: "BACK",
                    shared: true)
            ], asOf: "2026-05-31", isEligible: true),
        // The question's date is the first instant of 2026-06-02. The days are those of an unknown time zone.
        Criteria(
            name: "begins in two days", offers: [offer(starts: "2026-06-04T00:00:00Z")], isEligible: false),
        Criteria(name: "begins in a day", offers: [offer(starts: "2026-06-03T00:00:00Z")], isEligible: nil),
        Criteria(name: "began a day ago", offers: [offer(starts: "2026-06-01T00:00:00Z")], isEligible: true),
        Criteria(name: "ended a day ago", offers: [offer(ends: "2026-05-31T00:00:00Z")], isEligible: false),
        Criteria(name: "ends now", offers: [offer(ends: "2026-06-01T00:00:00Z")], isEligible: nil),
        Criteria(name: "ends in a day", offers: [offer(ends: "2026-06-02T00:00:00Z")], isEligible: nil),
        Criteria(name: "ends in two days", offers: [offer(ends: "2026-06-03T00:00:00Z")], isEligible: true),
        Criteria(
            name: "begins in a day, and too few paid months",
            offers: [offer(paid: 7, starts: "2026-06-03T00:00:00Z")], isEligible: false),
        Criteria(
            name: "ended, and a purchase of an unknown type", offers: [offer(ends: "2026-05-01T00:00:00Z")],
            more: [Bought(id: "u", from: "2025-07-01", to: "2025-08-01", unknownOffer: true)],
            isEligible: false),
        Criteria(
            name: "one of two offers fits", offers: [offer(paid: 36), offer("SHORT", paid: 1)],
            isEligible: true),
    ])
    func criteria(_ row: Criteria) {
        var product = SubscriptionProduct(id: "basic", group: "main")
        product.winBackOffers = row.offers
        var builder = CatalogBuilder()
        _ = builder.addGroup("main")
        _ = builder.add(product)
        _ = builder.add(SubscriptionProduct(id: "pro", group: "main"))
        _ = builder.addGroup("news")
        _ = builder.add(SubscriptionProduct(id: "weekly", group: "news"))
        let end = at("2026-02-01")
        let renewed = (0..<row.months).map { month in
            Bought(
                id: "m\(month)", from: end.adding(months: -month - 1).rfc3339,
                to: end.adding(months: -month).rfc3339)
        }
        let offer = verdict(
            renewed + row.more, asOf: row.asOf, catalog: builder.catalog, renewals: [Self.off]
        )
        .winBackOffer
        let answer = row.isEligible.map { ($0 ? "eligible" : "ineligible") + "/criteria/as_of_renewal_info" }
        #expect(offer.short == answer ?? "undetermined/criteria/-")
        #expect(offer.configured == !row.offers.isEmpty)
    }

    @Test(arguments: [
        // the year 2025, less a day and whole; four weeks, twice; remainders of 31 and 30 days
        ([(0, 364)], 11), ([(0, 365)], 12), ([(0, 28), (100, 128)], 1), ([(0, 15), (100, 116)], 1),
        ([(0, 15), (100, 115)], 0),
    ])
    func paidMonthsOfWeeksAndGaps(stretches: [(Int, Int)], expected: Int) {
        var purchases: [Bought] = []
        for (first, last) in stretches {
            for day in stride(from: first, to: last, by: 7) {
                purchases.append(Bought(from: Timestamp.day(day), to: Timestamp.day(min(day + 7, last))))
            }
        }
        #expect(paidMonths(purchases) == expected)
    }

    /// Checks a free period whose JWS, from before 2024, does not state the discount, and a receipt that does.
    @Test(arguments: [
        (true, "eligible/criteria/as_of_signed_renewal_info"), (false, "undetermined/criteria/-"),
    ])
    func discountThatOnlyAReceiptStates(isFree: Bool, expected: String) throws {
        var (told, signed) = (
            Bought(from: "2025-01-01", to: "2025-02-01"), Bought(from: "2025-01-01", to: "2025-02-01")
        )
        (told.free, signed.free) = (isFree, nil)
        let paid = Bought(id: "2", original: "1", from: "2025-02-01", to: "2025-12-01")
        let evidence: [Evidence] = [
            .receipt("2026-01-01", [told, paid]), .jws("2026-01-02", signed),
            .renewal("2026-01-03", Renewal(renews: false, expired: true)),
        ]
        let verdict = try verdicts(evidence, catalog: winBackCatalog)[0]
        #expect(verdict.winBackOffer.short == expected)
    }

    @Test(arguments: [
        // Three months in winter and in summer.
        ("2025-12-10T20:00:00Z", "2026-03-10T19:00:00Z", 3),
        ("2025-04-10T19:00:00Z", "2025-07-10T19:00:00Z", 3),
        // A second less.
        ("2025-12-10T20:00:00Z", "2026-03-10T18:59:59Z", 2),
        // From the last evening of April to that of May, and to the one before.
        ("2025-05-01T03:00:00Z", "2025-05-31T03:00:00Z", 1),
        ("2025-05-01T03:00:00Z", "2025-05-30T03:00:00Z", 0),
        // Published by a developer: a month across the end of daylight saving time.
        ("2016-10-30T04:46:42Z", "2016-11-30T05:46:42Z", 1),
        // Months in UTC, as other stores of test data bill.
        ("2025-01-10T20:00:00Z", "2025-04-10T20:00:00Z", 3),
        ("2025-10-10T20:00:00Z", "2025-12-10T20:00:00Z", 2),
    ])
    func paidMonthsOnPacificClocks(from: String, to: String, expected: Int) {
        #expect(paidMonths([Bought(from: from, to: to)]) == expected)
    }

    private func paidMonths(_ purchases: [Bought]) -> Int? {
        var sorter = TransactionSorter(history(purchases), .singleGroup, asOf: at("2026-12-01"))
        sorter.sortTransactions()
        let customer = CustomerFacts(
            sorter, policies: OfferPolicies(), asOf: .date(at("2026-12-01")), slots: [0])
        return WinBackFacts(customer, slot: 0)?.paidMonths?.upperBound
    }

    /// Checks Apple's list of offers for a product whose offers the catalog states. Of other products, it states "back" alone.
    @Test(
        arguments: [
            // The offer of another product, also beside an offer that the catalog does not have.
            (["back"], "own", "undetermined/apple-offers/-"),
            (["back"], nil, "undetermined/apple-offers/-"),
            (["back", "unlisted"], "own", "eligible/apple-offers/as_of_signed_renewal_info"),
            // The product's own offer, also beside the other.
            (["own"], "own", "eligible/apple-offers/as_of_signed_renewal_info"),
            (["back", "own"], "own", "eligible/apple-offers/as_of_signed_renewal_info"),
            (["unlisted"], "own", "eligible/apple-offers/as_of_signed_renewal_info"),
            ([], "own", "ineligible/apple-offers/as_of_signed_renewal_info"),
        ] as [([String], String?, String)])
    func appleOffersOfOtherProducts(granted: [String], own: String?, expected: String) throws {
        var builder = CatalogBuilder()
        precondition(builder.addGroup("main"))
        for (id, offer) in [("basic", own), ("premium", "back")] {
            var product = SubscriptionProduct(id: id, group: "main")
            product.winBackOffers = offer.map { [WinBackOffer(offerID: $0)] } ?? []
            precondition(builder.add(product))
        }
        let evidence = [
            Evidence.receipt("2026-06-05", [Bought()]),
            .renewal("2026-06-06", Renewal(renews: false, offers: granted)),
        ]
        let offer = try verdicts(evidence, catalog: builder.catalog)[0].winBackOffer
        #expect(offer.short == expected)
        #expect(offer.offers == granted)
    }

    // Apple's list of June 6, the last day of the offer "own", the answer on June 10, and the offers to show
    @Test(
        arguments: [
            (["own"], "2026-06-08", "undetermined/apple-offers/-", ["own"]),
            (["own"], "2026-06-30", "eligible/apple-offers/as_of_signed_renewal_info", ["own"]),
            // Another offer of the product
            (["own", "back"], "2026-06-08", "eligible/apple-offers/as_of_signed_renewal_info", ["back"]),
            (
                ["own", "back"], "2026-06-30", "eligible/apple-offers/as_of_signed_renewal_info",
                ["own", "back"]
            ),
            // An offer that has not begun
            (
                ["future", "back"], "2026-06-30", "eligible/apple-offers/as_of_signed_renewal_info", ["back"]
            ),
            // An offer that the catalog does not have
            (
                ["own", "unlisted"], "2026-06-08", "eligible/apple-offers/as_of_signed_renewal_info",
                ["unlisted"]
            ),
        ] as [([String], String, String, [String])])
    func appleOffersThatEnd(granted: [String], day: String, expected: String, shown: [String]) throws {
        let catalog = Self.catalog([
            Self.offer("own", ends: day + "T00:00:00Z"), Self.offer("back", ends: "2026-01-01T00:00:00Z"),
            Self.offer("back"), Self.offer("future", starts: "2026-07-01T00:00:00Z"),
        ])
        let evidence = [
            Evidence.receipt("2026-06-05", [Bought()]),
            .renewal("2026-06-06", Renewal(renews: false, offers: granted)),
        ]
        let offer = try verdicts(evidence, catalog: catalog)[0].winBackOffer
        #expect(offer.short == expected)
        #expect(offer.offers == shown)
    }

    // The last day of the only offer, if a renewal may be missing
    @Test(arguments: [
        ("2026-06-30", "undetermined/criteria/-"),
        // No purchase makes it available.
        ("2026-06-07", "ineligible/criteria/as_of_signed_renewal_info"),
    ])
    func missingRenewalsDoNotMatterForUnavailableOffers(day: String, expected: String) throws {
        let catalog = Self.catalog([Self.offer("own", ends: day + "T00:00:00Z")])
        let evidence = [
            Evidence.jws("2026-05-20", Bought(original: "1")),
            .renewal("2026-06-09", Renewal(renews: false, ends: "2026-06-08")),
        ]
        #expect(try verdicts(evidence, catalog: catalog)[0].winBackOffer.short == expected)
    }

    // Billing retry of the customer's own subscription, and of a shared one beside it
    @Test(
        arguments: [
            (
                [.receipt("2026-06-05", [Bought(original: "9")])],
                "2026-06-01T09:00:00Z and the App Store still"
            ),
            (
                [
                    .receipt("2026-06-05", [Bought(original: "1")]),
                    .jws("2026-06-05", Bought(id: "9", original: "9", shared: true)),
                ], "which is shared or of unknown ownership"
            ),
        ] as [([Evidence], String)])
    func billingRetryNamesWhoPays(evidence: [Evidence], expected: String) throws {
        let offer = try verdicts(
            evidence + [.renewal("2026-06-06", Renewal(original: "9", retry: true))])[0].winBackOffer
        #expect(offer.rule == .inBillingRetry)
        #expect(offer.explanation.contains(expected))
    }

    // The date of information that states a renewal, and a part of the explanation
    @Test(arguments: [
        ("2026-05-20", "which may be older"),
        ("2026-06-02", "the customer has not left"),
    ])
    func explanationOfRenewalsThatAreStated(signed: String, expected: String) throws {
        let evidence = [Evidence.receipt("2026-06-05", [Bought(original: "1")]), .renewal(signed, Renewal())]
        let offer = try verdicts(evidence)[0].winBackOffer
        #expect(offer.short == "ineligible/auto-renew-on/as_of_signed_renewal_info")
        #expect(offer.explanation.contains(expected))
    }

    /// Checks that a catalog without offers says nothing about Apple's.
    // A criterion in the catalog, beside 0 paid months
    @Test(arguments: [
        (#""startDate": null"#, "eligible/criteria/as_of_renewal_info"),
        // A future criterion, or a misspelt one
        (#""customerEligibilityPaidMonths": 1"#, "undetermined/criteria/-"),
        (
            #""customerEligibilityTimeSinceLastSubscribedInMonths": {"atLeast": 1}"#,
            "undetermined/criteria/-"
        ),
        // A known criterion is not met.
        (
            #""customerEligibilityPaidMonths": 1, "customerEligibilityPaidSubscriptionDurationInMonths": 99"#,
            "ineligible/criteria/as_of_renewal_info"
        ),
    ])
    func unknownCriterion(criterion: String, expected: String) throws {
        let text = """
            {"subscriptionGroups": [{"id": "main", "subscriptions": [
              {"productID": "basic", "winbackOffers": [{"offerID": "back", \(criterion)}]}]}]}
            """
        let verdict = OfferRules(catalog: try SubscriptionCatalog(parsing: text.utf8)).verdicts(
            for: ["basic"], in: history([Self.lapsed]), asOf: .date(at("2026-06-02")),
            renewals: RenewalInformation(entries: [Self.off]))[0]
        #expect(verdict.winBackOffer.short == expected)
    }

    @Test func appleOffersWithoutACatalogOfOffers() throws {
        let evidence = [
            Evidence.receipt("2026-06-05", [Bought(product: "premium")]),
            .renewal("2026-06-06", Renewal(product: "premium", renews: false, offers: ["back"])),
        ]
        let offer = try verdicts(of: ["premium"], evidence, catalog: winBackCatalog)[0].winBackOffer
        #expect(offer.short == "eligible/apple-offers/as_of_signed_renewal_info")
    }

    // A year of basic began on January 1, 2025, and the paid months of its win-back offer are six.
    @Test(arguments: [
        // Premium was bought on the next day, and ended after a month.
        (Bought(product: "premium", id: "2", original: "1"), "undetermined/criteria/-"),
        // Another subscription, the same product, and an unknown subscription.
        (Bought(product: "premium", id: "2", original: "2"), "eligible/criteria/as_of_renewal_info"),
        (Bought(id: "2", original: "1"), "eligible/criteria/as_of_renewal_info"),
        (Bought(product: "premium", id: "2", original: "0"), "eligible/criteria/as_of_renewal_info"),
        // It was refunded, also after the question's date.
        (
            Bought(product: "premium", id: "2", original: "1", cancelled: "2025-01-05"),
            "undetermined/criteria/-"
        ),
        (
            Bought(product: "premium", id: "2", original: "1", cancelled: "2026-03-01"),
            "undetermined/criteria/-"
        ),
    ])
    func unstatedUpgrade(upgrade: Bought, expected: String) {
        var upgrade = upgrade
        (upgrade.from, upgrade.to) = ("2025-01-02", "2025-02-02")
        let year = Bought(original: upgrade.original == "0" ? "0" : "1", from: "2025-01-01", to: "2026-01-01")
        for purchases in [[year, upgrade], [upgrade, year]] {
            let verdict = verdict(
                of: "basic", purchases, asOf: "2026-02-10T00:00:00Z", catalog: winBackCatalog,
                renewals: [Self.off])
            #expect(verdict.winBackOffer.short == expected)
        }
    }

    // The paid months of an offer, after a month that a half year may have replaced after nine days
    @Test(arguments: [
        // The half year is enough.
        (6, "eligible/criteria/as_of_renewal_info"),
        // Together, both are six months and nine days.
        (7, "ineligible/criteria/as_of_renewal_info"),
    ])
    func unstatedUpgradeToALongerPeriod(paid: Int, expected: String) {
        let purchases = [
            Bought(original: "1", from: "2025-01-01", to: "2025-02-01"),
            Bought(product: "premium", id: "2", original: "1", from: "2025-01-10", to: "2025-07-10"),
        ]
        #expect(winBack(purchases, paid: paid).short == expected)
    }

    // The paid months of an offer, after a month that a week may have replaced after two days, and a later half year
    @Test(arguments: [
        (6, "eligible/criteria/as_of_renewal_info"), (7, "undetermined/criteria/-"),
        (8, "ineligible/criteria/as_of_renewal_info"),
    ])
    func unstatedUpgradeToAShorterPeriod(paid: Int, expected: String) {
        let purchases = [
            Bought(original: "1", from: "2024-06-01", to: "2024-07-01"),
            Bought(product: "premium", id: "2", original: "1", from: "2024-06-03", to: "2024-06-10"),
            Bought(id: "3", original: "1", from: "2025-01-01", to: "2025-07-01"),
        ]
        #expect(winBack(purchases, paid: paid).short == expected)
        // The end of the replaced period decides.
        #expect(
            winBack(Array(purchases.prefix(2)), paid: 1).short == "undetermined/criteria/-", "the last period"
        )
        var offered = purchases
        offered[0].offer = "summer"
        #expect(winBack(offered, paid: 6).short == "undetermined/criteria/-", "an offer")
    }

    /// Checks a week that replaced a renewal which was charged ahead. No evidence states it, so the renewal may not have run.
    @Test func unstatedUpgradeOfARenewalChargedAhead() {
        let purchases = [
            Bought(original: "1", from: "2025-01-01", to: "2025-02-01"),
            Bought(
                product: "premium", id: "2", original: "1", from: "2025-01-31T20:00:00Z",
                to: "2025-02-07T20:00:00Z"),
            Bought(id: "3", original: "1", from: "2025-02-01", to: "2025-03-01"),
        ]
        #expect(winBack(purchases, paid: 1).short == "undetermined/criteria/-")
    }

    /// Checks an unstated upgrade to a period that was upgraded itself.
    @Test func unstatedUpgradeBeforeAStatedOne() {
        let purchases = [
            Bought(original: "1", from: "2024-06-01", to: "2024-07-01", offer: "BACK"),
            Bought(
                product: "premium", id: "2", original: "1", from: "2024-06-03", to: "2024-12-03",
                cancelled: "2024-08-01", upgraded: true),
            Bought(product: "top", id: "3", original: "1", from: "2024-08-01", to: "2024-11-01"),
        ]
        #expect(winBack(purchases, paid: 1).short == "undetermined/criteria/-")
    }

    private func winBack(_ purchases: [Bought], paid: Int) -> OfferVerdict {
        verdict(
            of: "basic", purchases, asOf: "2026-02-10T00:00:00Z",
            catalog: Self.catalog([Self.offer(paid: paid)]),
            renewals: [Self.off]
        ).winBackOffer
    }

    /// Checks an upgrade that a cancellation states, and the renewal that it replaced before it began.
    @Test func statedUpgradeAndReplacedRenewal() {
        func premium(_ id: String, from: String, to: String, cancelled: String) -> Bought {
            Bought(product: "premium", id: id, original: "1", from: from, to: to, cancelled: cancelled)
        }
        let purchases = [
            premium("1", from: "2024-12-02", to: "2025-01-02", cancelled: "2025-01-01"),
            Bought(id: "2", original: "1", from: "2025-01-01", to: "2026-01-01"),
            premium("3", from: "2025-01-02", to: "2025-02-02", cancelled: "2025-01-02T17:00:00Z"),
        ]
        let verdict = verdict(
            of: "basic", purchases, asOf: "2026-02-10T00:00:00Z", catalog: winBackCatalog,
            renewals: [Self.off])
        #expect(verdict.winBackOffer.short == "eligible/criteria/as_of_renewal_info")
    }

    /// Checks a change of plan that takes effect when a period ends, as downgrades do.
    @Test func changeAtTheEndIsNoUpgrade() {
        let purchases = [
            Bought(original: "1", from: "2025-01-01", to: "2025-07-01"),
            Bought(product: "premium", id: "2", original: "1", from: "2025-07-01", to: "2025-08-01"),
        ]
        let verdict = verdict(
            of: "basic", purchases, asOf: "2026-02-10T00:00:00Z", catalog: winBackCatalog,
            renewals: [Self.off])
        #expect(verdict.winBackOffer.short == "eligible/criteria/as_of_renewal_info")
    }
}

struct CalendarMonthTests {
    @Test(arguments: [
        ("2026-03-01", "2026-04-30", 1), ("2026-03-01", "2026-05-01", 2), ("2026-01-31", "2026-02-28", 1),
        ("2026-01-31", "2026-02-27", 0), ("2024-02-29", "2025-02-28", 12), ("2024-02-29", "2024-03-28", 0),
        ("2026-05-01", "2026-05-01", 0), ("2025-12-15", "2026-01-15", 1), ("1999-12-31", "2000-02-29", 2),
        ("2026-05-01T09:00:00.001Z", "2026-06-01", 0), ("2026-06-01", "2026-05-15", -1),
    ])
    func wholeMonths(from: String, to: String, months: Int) {
        #expect(at(from).wholeMonths(until: at(to)) == months)
    }

    @Test func daysAgreeWithTheDateParser() {
        for number in stride(from: -700_000, to: 2_900_000, by: 997) {
            let day = Timestamp(millisecondsSince1970: Int64(number) * 86_400_000 + 12_345)
            #expect(day.adding(months: 0) == day)
            #expect(
                day.adding(months: 12).rfc3339.dropFirst(4).prefix(3) == day.rfc3339.dropFirst(4).prefix(3))
        }
    }
}
