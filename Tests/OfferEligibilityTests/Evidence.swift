import AppReceipt

@testable import OfferEligibility

/// Evidence for a test, with its signing date.
enum Evidence: Sendable {
    case receipt(String, [Bought])
    case jws(String, Bought)
    case transactionReceipt(String, Bought)
    case renewal(String, Renewal)
    case appTransaction(String)

    var object: ObjectEvidence {
        switch self {
        case .receipt(let date, let purchases):
            ObjectEvidence(history: history(purchases, created: date), form: .receipt)
        case .jws(let date, let bought):
            ObjectEvidence(history: history([bought], created: date, coverage: .single), form: .signed)
        case .transactionReceipt(let date, let bought):
            ObjectEvidence(
                history: history([bought], created: date, coverage: .single), form: .transactionReceipt)
        case .renewal(let date, let renewal):
            ObjectEvidence(
                history: history([], created: date, coverage: .nothing), form: .signed,
                renewal: renewal.signed(at(date)))
        case .appTransaction(let date):
            ObjectEvidence(history: history([], created: date, coverage: .nothing), form: .signed)
        }
    }
}

/// Renewal information for a test. The default is of basic and set to renew.
struct Renewal: Sendable {
    var product: String? = "basic"
    var next: String?
    var original: String? = "1"
    var renews: Bool? = true
    var retry = false
    var grace: String?
    var expired = false
    var ends: String?
    var offers: [String]?
    /// Whether `offerType` states an introductory offer, or an unknown one.
    var introductory = false
    /// The start of the latest series of periods.
    var series: String?

    func signed(_ date: Timestamp) -> SignedRenewal {
        SignedRenewal(
            entry: .init(
                productID: product, autoRenewProductID: next, originalTransactionID: original,
                willRenew: renews, isInBillingRetry: retry, gracePeriodEnd: grace.map(at)),
            signedDate: date, hasExpired: expired, periodEnd: ends.map(at), winBackOffers: offers,
            mayBeIntroductory: introductory, seriesStart: series.map(at))
    }
}

func verdicts(
    of products: [String] = ["basic"], _ evidence: [Evidence],
    asOf: EligibilityInstant = .date(at("2026-06-10")),
    catalog: SubscriptionCatalog = catalog, policies: OfferPolicies = OfferPolicies(),
    renewals: RenewalInformation? = nil, listings: Set<APIAnswer.Listing> = []
) throws -> [ProductVerdict] {
    OfferRules(catalog: catalog, policies: policies).verdicts(
        for: products, in: try PurchaseHistory(objects: evidence.map(\.object), listings), asOf: asOf,
        renewals: renewals)
}

/// The rows about owners, types, offers, conflicting evidence and groups.
extension EvidenceTests {
    /// Evidence of products of both catalog groups in one group that the catalog does not name.
    private static let joined = [
        later, .jws("2026-06-05", Bought(trial: true, group: "21000001")),
        .jws("2026-06-05", Bought(product: "weekly", id: "2", group: "21000001")),
    ]
    private static let joinedWithoutOffers = [
        later, .jws("2026-06-05", Bought(group: "21000001")),
        .jws("2026-06-05", Bought(product: "weekly", id: "2", group: "21000001")),
    ]
    /// Evidence that names the group of weekly, of which the customer bought nothing.
    private static let joining = Evidence.jws(
        "2026-06-05", Bought(product: "weekly", id: "2", group: "21000001", shared: true))
    private static let joinedWithUnlisted = [
        later, .jws("2026-06-05", Bought(group: "21000001")),
        .jws("2026-06-05", Bought(product: "weekly", id: "2", group: "21000001")),
        .jws("2026-06-05", Bought(product: "legacy", id: "3", trial: true, group: "21000001")),
    ]

    static let owners = [
        Row(
            name: "a running subscription of an unknown owner",
            evidence: [later, .jws("2026-06-05", Bought(to: "2026-06-15", assigned: true))],
            introductory: subscribed, promotional: "undetermined/unknown-ownership/-", winBack: subscribed,
            state: .active, date: "2026-06-15", isAssigned: true),
        Row(
            name: "a trial of an unknown owner",
            evidence: [later, .jws("2026-06-05", Bought(trial: true, assigned: true))],
            introductory: "undetermined/unknown-ownership/-",
            promotional: "undetermined/unknown-ownership/-", winBack: "undetermined/unknown-ownership/-",
            state: .unknown, isAssigned: true),
        Row(
            name: "an unknown owner takes precedence over an unlisted product",
            evidence: [
                later, .jws("2026-06-05", Bought(assigned: true)),
                .jws("2026-06-05", Bought(product: "gone", id: "5")),
            ],
            introductory: "undetermined/unknown-ownership/-",
            promotional: "undetermined/unknown-ownership/-", winBack: "undetermined/unknown-ownership/-",
            state: .unknown, isAssigned: true),
        Row(
            name: "an unknown owner, in billing retry",
            evidence: [
                later, .jws("2026-06-05", Bought(assigned: true)),
                .renewal("2026-06-06", Renewal(retry: true)),
            ],
            introductory: "undetermined/unknown-ownership/-",
            promotional: "undetermined/unknown-ownership/-",
            winBack: "ineligible/in-billing-retry/as_of_signed_renewal_info", isAssigned: true),
        Row(
            name: "and an ended subscription of the customer",
            evidence: [
                .jws("2026-06-05", Bought(id: "5", assigned: true)), .receipt("2026-06-05", [Bought()]),
            ],
            introductory: "undetermined/unknown-ownership/-", winBack: "undetermined/auto-renew-unknown/-",
            state: .unknown, isAssigned: true),
        Row(
            name: "and a trial of the customer",
            evidence: [
                .jws("2026-06-05", Bought(id: "5", assigned: true)),
                .receipt("2026-06-05", [Bought(trial: true)]),
            ],
            introductory: used, state: .lapsed, isAssigned: true),
        Row(
            name: "in another group", product: "weekly",
            evidence: [later, .jws("2026-06-05", Bought(assigned: true))],
            introductory: never, promotional: none),
        Row(
            name: "of an unlisted product: may be of any group", product: "weekly",
            evidence: [later, .jws("2026-06-05", Bought(product: "gone", assigned: true))],
            introductory: "undetermined/uncatalogued-history/-",
            promotional: "undetermined/uncatalogued-history/-",
            winBack: "undetermined/uncatalogued-history/-", state: .unknown),
        Row(
            name: "a trial in a group that only Apple names may be of any catalog group",
            product: "weekly",
            evidence: [
                later, .jws("2026-06-05", Bought(product: "gone", trial: true, group: "21000001")),
            ],
            introductory: "undetermined/uncatalogued-history/-",
            promotional: "undetermined/uncatalogued-history/-",
            winBack: "undetermined/uncatalogued-history/-", state: .unknown),
        Row(
            name: "also of a group with other purchases",
            evidence: [
                .jws("2026-06-05", Bought(product: "gone", id: "5", group: "21000001")),
                .receipt("2026-06-05", [Bought()]),
            ],
            introductory: "undetermined/uncatalogued-history/-"),
        Row(
            name: "a trial in a catalog group may be of a group that only Apple names", product: "gone",
            evidence: [
                .receipt("2026-06-05", [Bought(id: "5", trial: true)]),
                .jws("2026-06-05", Bought(product: "gone", group: "21000001")),
            ],
            introductory: "undetermined/uncatalogued-history/-"),
        Row(
            name: "but not one of a group for which Apple has another name", product: "gone",
            evidence: [
                .jws("2026-06-05", Bought(id: "5", trial: true, group: "21000002")),
                .receipt("2026-06-05", [Bought(id: "5", trial: true)]),
                .jws("2026-06-05", Bought(product: "gone", group: "21000001")),
            ],
            introductory: lapsed),
        Row(
            name: "but not of a group for which Apple has another name",
            evidence: [
                later, .jws("2026-06-05", Bought(product: "gone", id: "5", group: "21000001")),
                .jws("2026-06-05", Bought(group: "21000002")),
            ],
            introductory: lapsed),
        Row(
            name: "a family member's running subscription of an unlisted product",
            evidence: [later, .jws("2026-06-05", Bought(product: "gone", to: "2026-07-01", shared: true))],
            introductory: "undetermined/uncatalogued-history/-",
            promotional: "undetermined/uncatalogued-history/-",
            winBack: "undetermined/uncatalogued-history/-", state: .unknown),
        Row(
            name: "a family member's unlisted product may be of any group", product: "weekly",
            evidence: [later, .jws("2026-06-05", Bought(product: "gone", shared: true))],
            introductory: "undetermined/uncatalogued-history/-",
            promotional: "undetermined/uncatalogued-history/-",
            winBack: "undetermined/uncatalogued-history/-", state: .unknown),
        Row(
            name: "bought after the evaluation date",
            evidence: [
                later, .jws("2026-06-12", Bought(from: "2026-06-11", to: "2026-07-11", assigned: true)),
            ],
            introductory: never, promotional: none),
        Row(
            name: "newer evidence has an unknown owner for the customer's trial",
            evidence: [
                .jws("2026-05-10", Bought(trial: true)), .jws("2026-06-05", Bought(assigned: true)),
            ],
            introductory: used, winBack: "undetermined/unknown-ownership/-", state: .unknown,
            isAssigned: true),
        Row(
            name: "older evidence has an unknown owner for the customer's trial",
            evidence: [
                .jws("2026-05-10", Bought(assigned: true)), .receipt("2026-06-05", [Bought(trial: true)]),
            ],
            introductory: used, state: .unknown, isAssigned: true),
        Row(
            name: "newer evidence has an unknown owner for the customer's purchase",
            evidence: [.receipt("2026-05-10", [Bought()]), .jws("2026-06-05", Bought(assigned: true))],
            introductory: "undetermined/unknown-ownership/-", state: .unknown, isAssigned: true),
        Row(
            name: "a trial of an unknown owner is not that of an older purchase of the customer",
            evidence: [
                .jws("2026-05-10", Bought()), .jws("2026-06-05", Bought(trial: true, assigned: true)),
            ],
            introductory: "undetermined/unknown-ownership/-", state: .unknown, isAssigned: true),
        Row(
            name: "newer evidence has an unknown owner for a family purchase",
            evidence: [
                .receipt("2026-05-10", [Bought(trial: true)]), .jws("2026-05-20", Bought(shared: true)),
                .jws("2026-06-05", Bought(assigned: true)),
            ],
            introductory: "undetermined/unknown-ownership/-",
            promotional: "undetermined/unknown-ownership/-", state: .unknown, isAssigned: true),
        Row(
            name: "newer evidence has a family member for the trial",
            evidence: [
                .receipt("2026-05-10", [Bought(trial: true)]), .jws("2026-06-05", Bought(shared: true)),
            ],
            caveats: [.familyShared], introductory: never, promotional: none),
    ]

    static let types = [
        Row(
            name: "an unknown type with an expiry, also of a listed product",
            evidence: [later, .jws("2026-06-05", Bought(type: .undocumented))],
            introductory: "undetermined/uncatalogued-history/-",
            promotional: "undetermined/uncatalogued-history/-",
            winBack: "undetermined/uncatalogued-history/-", state: .unknown),
        Row(
            name: "an unknown type with a group",
            evidence: [later, .jws("2026-06-05", Bought(to: nil, type: .undocumented, group: "news"))],
            introductory: "undetermined/uncatalogued-history/-",
            promotional: "undetermined/uncatalogued-history/-"),
        Row(
            name: "an unknown number in a receipt",
            evidence: [.receipt("2026-06-05", [Bought(type: .unknown(5), trial: true)])],
            introductory: "undetermined/uncatalogued-history/-",
            promotional: "undetermined/uncatalogued-history/-"),
        Row(
            name: "an unknown type with a trial",
            evidence: [.receipt("2026-06-05", [Bought(to: nil, type: .unknown(9), trial: true)])],
            introductory: "undetermined/uncatalogued-history/-",
            promotional: "undetermined/uncatalogued-history/-"),
        Row(
            name: "an unknown type with the identifier of an offer",
            evidence: [later, .jws("2026-06-05", Bought(to: nil, type: .undocumented, offer: "promo"))],
            introductory: "undetermined/uncatalogued-history/-",
            promotional: "undetermined/uncatalogued-history/-"),
        Row(
            name: "an unknown type with an unknown offer",
            evidence: [later, .jws("2026-06-05", Bought(to: nil, type: .undocumented, unknownOffer: true))],
            introductory: "undetermined/uncatalogued-history/-",
            promotional: "undetermined/uncatalogued-history/-"),
        Row(
            name: "no type, but a group",
            evidence: [later, .jws("2026-06-05", Bought(to: nil, type: nil, group: "main"))],
            introductory: "undetermined/uncatalogued-history/-",
            promotional: "undetermined/uncatalogued-history/-"),
        Row(
            name: "an unknown type without expiry and group is no subscription",
            evidence: [later, .jws("2026-06-05", Bought(to: nil, type: .undocumented))],
            introductory: never, promotional: none),
        Row(
            name: "and a subscription of the customer",
            evidence: [
                .receipt("2026-06-05", [Bought()]), .jws("2026-06-05", Bought(id: "5", type: .undocumented)),
            ],
            introductory: "undetermined/uncatalogued-history/-", winBack: "undetermined/auto-renew-unknown/-",
            state: .lapsed),
    ]

    static let offers = [
        Row(
            name: "an ended offer of an unknown type",
            evidence: [later, .jws("2026-06-05", Bought(unknownOffer: true))],
            introductory: "undetermined/uncatalogued-history/-", winBack: "undetermined/auto-renew-unknown/-",
            state: .lapsed),
        Row(
            name: "a running offer of an unknown type",
            evidence: [.jws("2026-06-05", Bought(to: "2026-07-01", unknownOffer: true))],
            introductory: subscribed, winBack: subscribed, state: .active),
        Row(
            name: "an offer of an unknown type and a trial",
            evidence: [
                later, .jws("2026-06-05", Bought(unknownOffer: true)),
                .jws("2026-06-05", Bought(id: "2", trial: true)),
            ],
            introductory: used),
        Row(
            name: "an offer of an unknown type in another group", product: "weekly",
            evidence: [later, .jws("2026-06-05", Bought(unknownOffer: true))],
            introductory: never, promotional: none),
        Row(
            name: "a family member's offer of an unknown type",
            evidence: [later, .jws("2026-06-05", Bought(unknownOffer: true, shared: true))],
            caveats: [.familyShared], introductory: never, promotional: none),
        Row(
            name: "an offer of an unknown type, absent from a JWS of the same date",
            evidence: [
                later, .jws("2026-06-05", Bought(unknownOffer: true)), .jws("2026-06-05", Bought()),
            ],
            introductory: "undetermined/uncatalogued-history/-", winBack: "undetermined/auto-renew-unknown/-",
            state: .lapsed),
        Row(
            name: "an offer of an unknown type, absent from a newer receipt",
            evidence: [.jws("2026-05-05", Bought(unknownOffer: true)), .receipt("2026-06-05", [Bought()])],
            introductory: "undetermined/uncatalogued-history/-"),
    ]

    /// Evidence of one date that only an unusual App Store could sign: any of it may be right.
    static let ties = [
        Row(
            name: "an unknown type and a subscription",
            evidence: [
                later, .jws("2026-06-05", Bought(type: .undocumented)), .jws("2026-06-05", Bought()),
            ],
            introductory: "undetermined/uncatalogued-history/-", winBack: "undetermined/auto-renew-unknown/-",
            state: .lapsed),
        Row(
            name: "an unknown type and a trial",
            evidence: [
                later, .jws("2026-06-05", Bought(type: .undocumented)),
                .jws("2026-06-05", Bought(trial: true)),
            ],
            introductory: used),
        Row(
            name: "an unknown type and a consumable",
            evidence: [
                later, .jws("2026-06-05", Bought(type: .undocumented)),
                .jws("2026-06-05", Bought(type: .consumable)),
            ],
            introductory: "undetermined/uncatalogued-history/-",
            promotional: "undetermined/uncatalogued-history/-",
            winBack: "undetermined/uncatalogued-history/-", state: .unknown),
        Row(
            name: "an unknown type, older",
            evidence: [
                later, .jws("2026-06-04", Bought(type: .undocumented)), .jws("2026-06-05", Bought()),
            ],
            introductory: lapsed),
        Row(
            name: "a consumable, and a running subscription in the same second",
            evidence: [
                later, .jws("2026-06-05T00:00:00.000Z", Bought(to: "2026-07-01")),
                .jws("2026-06-05T00:00:00.001Z", Bought(to: "2026-07-01", type: .consumable)),
            ],
            introductory: "undetermined/uncatalogued-history/-",
            winBack: "undetermined/uncatalogued-history/-"),
        Row(
            name: "a consumable and a subscription in one receipt",
            evidence: [.receipt("2026-06-05", [Bought(), Bought(to: "2026-06-02", type: .consumable)])],
            caveats: [.conflictingEvidence], introductory: "undetermined/uncatalogued-history/-",
            winBack: "undetermined/uncatalogued-history/-"),
        Row(
            name: "a revocation, and one by an upgrade",
            evidence: [
                later, .jws("2026-06-05", Bought(cancelled: "2026-05-10")),
                .jws("2026-06-05", Bought(cancelled: "2026-05-10", upgraded: true)),
            ],
            introductory: "ineligible/refunded/as_of_receipt", state: .refunded),
        Row(
            name: "two revocations",
            evidence: [
                later, .jws("2026-06-05", Bought(cancelled: "2026-05-10")),
                .jws("2026-06-05", Bought(cancelled: "2026-06-20")),
            ],
            introductory: "ineligible/refunded/as_of_receipt", state: .lapsed),
        Row(
            name: "a revocation, and none in the same second",
            evidence: [
                later, .jws("2026-06-05T00:00:00.000Z", Bought(cancelled: "2026-05-10")),
                .jws("2026-06-05T00:00:00.001Z", Bought()),
            ],
            introductory: "ineligible/refunded/as_of_receipt", state: .lapsed),
        Row(
            name: "a revocation, and a running period",
            evidence: [
                .jws("2026-06-05", Bought(to: "2026-07-01", cancelled: "2026-05-10")),
                .jws("2026-06-05", Bought(to: "2026-07-01")),
            ],
            introductory: subscribed, winBack: subscribed, state: .active),
        Row(
            name: "a revocation at a switch, and a later one",
            evidence: [
                later, .jws("2026-06-05", Bought(cancelled: "2026-05-10")),
                .jws("2026-06-05", Bought(cancelled: "2026-05-20")),
                .jws("2026-06-05", Bought(product: "premium", id: "2", from: "2026-05-10", to: "2026-06-01")),
            ],
            introductory: "ineligible/refunded/as_of_receipt"),
        Row(
            name: "contested groups of a consumable of an unknown owner", product: "weekly",
            evidence: [
                later, .jws("2026-06-05", Bought(type: .consumable, assigned: true)),
                .jws("2026-06-04", Bought(type: .consumable, group: "main")),
                .jws("2026-06-04", Bought(type: .consumable, group: "other")),
                .jws("2026-06-03", Bought(product: "weekly", id: "2", trial: true, group: "news")),
            ],
            introductory: used),
        Row(
            name: "an upgrade with two revocations",
            evidence: [
                later, .jws("2026-06-05", Bought(cancelled: "2026-05-10", upgraded: true)),
                .jws("2026-06-05", Bought(cancelled: "2026-05-20", upgraded: true)),
            ],
            introductory: lapsed),
        Row(
            name: "a newer receipt with another product than the JWS", product: "weekly",
            evidence: [
                .jws("2026-06-04", Bought(group: "main")),
                .receipt("2026-06-05", [Bought(product: "weekly", trial: true)]),
            ],
            caveats: [.groupDiffers], introductory: used),
        Row(
            name: "an older group of the same product", product: "weekly",
            evidence: [
                later,
                .jws("2026-06-04", Bought(product: "legacy", from: "2026-04-01", trial: true, group: "news")),
                .jws("2026-06-05", Bought(product: "legacy", group: "main")),
            ],
            introductory: never, promotional: none),
        Row(
            name: "a later expiration, and a revocation",
            evidence: [
                later, .jws("2026-06-05", Bought(cancelled: "2026-05-10")),
                .jws("2026-06-05", Bought(to: "2026-06-02")),
            ],
            caveats: [.conflictingEvidence], introductory: lapsed),
        Row(
            name: "an unknown type in a receipt, and an unknown owner in a newer JWS", product: "weekly",
            evidence: [
                .receipt("2026-06-05", [Bought(type: .unknown(7))]),
                .jws("2026-06-06", Bought(assigned: true)),
            ],
            introductory: never, promotional: none),
        Row(
            name: "an unknown owner and the customer, where another fact decides",
            evidence: [
                later, .jws("2026-06-05", Bought(assigned: true)), .jws("2026-06-05", Bought(trial: false)),
            ],
            introductory: "undetermined/unknown-ownership/-", state: .unknown, isAssigned: true),
        Row(
            name: "an unknown owner and a trial of the customer",
            evidence: [
                later, .jws("2026-06-05", Bought(assigned: true)), .jws("2026-06-05", Bought(trial: true)),
            ],
            introductory: used, isAssigned: true),
        Row(
            name: "a family member and the customer, where another fact decides",
            evidence: [
                later, .jws("2026-06-05", Bought(shared: true)), .jws("2026-06-05", Bought(trial: false)),
            ],
            introductory: "undetermined/unknown-ownership/-",
            promotional: "undetermined/unknown-ownership/-", winBack: "undetermined/unknown-ownership/-",
            state: .unknown, isAssigned: true),
        Row(
            name: "an offer of an unknown type and a purchase after the evaluation date",
            evidence: [
                later, .jws("2026-06-05", Bought(unknownOffer: true)),
                .jws("2026-06-05", Bought(from: "2026-06-15", to: "2026-07-15")),
            ],
            caveats: [.conflictingEvidence], introductory: "undetermined/uncatalogued-history/-"),
        Row(
            name: "renewal information that renews, and with a grace period",
            evidence: [
                later, .jws("2026-05-10", Bought()), .renewal("2026-06-03", Renewal()),
                .renewal("2026-06-03", Renewal(renews: false, grace: "2026-06-17")),
            ],
            introductory: "ineligible/in-grace-period/as_of_signed_renewal_info",
            winBack: "ineligible/in-grace-period/as_of_signed_renewal_info"),
        Row(
            name: "renewal information that renews, and in billing retry",
            evidence: [
                later, .jws("2026-05-10", Bought()), .renewal("2026-06-03", Renewal()),
                .renewal("2026-06-03", Renewal(renews: false, retry: true)),
            ],
            introductory: lapsed, winBack: "ineligible/in-billing-retry/as_of_signed_renewal_info"),
        Row(
            name: "renewal information that does not renew, and with an unknown status",
            evidence: [
                later, .jws("2026-05-10", Bought()), .renewal("2026-06-03", Renewal(renews: false)),
                .renewal("2026-06-03", Renewal(renews: nil)),
            ],
            introductory: lapsed, winBack: "undetermined/auto-renew-unknown/-"),
        Row(
            name: "renewal information with a win-back offer, and without any",
            evidence: [
                later, .jws("2026-05-10", Bought()),
                .renewal("2026-06-03", Renewal(renews: false, offers: ["A"])),
                .renewal("2026-06-03", Renewal(renews: false, offers: [])),
            ],
            introductory: lapsed, winBack: "ineligible/apple-offers/as_of_signed_renewal_info"),
        Row(
            name: "renewal information with a win-back offer, and without the list",
            evidence: [
                later, .jws("2026-05-10", Bought()),
                .renewal("2026-06-03", Renewal(renews: false, offers: ["A"])),
                .renewal("2026-06-03", Renewal(renews: false)),
            ],
            introductory: lapsed, winBack: "eligible/apple-offers/as_of_signed_renewal_info"),
    ]

    static let precedence = [
        Row(
            name: "the newer evidence has a later expiry",
            evidence: [.receipt("2026-05-10", [Bought()]), .jws("2026-05-11", Bought(to: "2026-06-15"))],
            introductory: subscribed, state: .active, date: "2026-06-15"),
        Row(
            name: "the newer evidence has an earlier expiry",
            evidence: [.jws("2026-05-10", Bought(to: "2026-06-15")), .receipt("2026-06-05", [Bought()])],
            introductory: lapsed, state: .lapsed, date: "2026-06-01"),
        Row(
            name: "equal dates: the JWS counts",
            evidence: [.receipt("2026-05-10", [Bought(to: "2026-06-15")]), .jws("2026-05-10", Bought())],
            caveats: [.conflictingEvidence, .renewalPossible], introductory: lapsed),
        Row(
            name: "two JWS of one date: the later expiry counts",
            evidence: [.jws("2026-05-10", Bought()), .jws("2026-05-10", Bought(to: "2026-06-15"))],
            caveats: [.conflictingEvidence], introductory: subscribed, date: "2026-06-15"),
        Row(
            name: "a single receipt with a purchase twice",
            evidence: [
                .receipt(
                    "2026-05-10",
                    [
                        Bought(), Bought(id: "2", from: "2026-04-01", to: "2026-05-01"),
                        Bought(to: "2026-06-15"),
                    ])
            ],
            caveats: [.conflictingEvidence], introductory: subscribed, date: "2026-06-15"),
        Row(
            name: "a single receipt with a purchase twice, unchanged",
            evidence: [.receipt("2026-06-05", [Bought(), Bought()])], introductory: lapsed),
        Row(
            name: "a single receipt with purchases without identifiers",
            evidence: [
                .receipt(
                    "2026-06-05",
                    [Bought(id: "0"), Bought(id: "0", to: "2026-06-02"), Bought(id: nil), Bought(id: "")])
            ],
            introductory: lapsed),
        Row(
            name: "the same second, different instants: the newer counts, and the conflict is reported",
            evidence: [
                .jws("2026-05-10T09:00:00.900Z", Bought()),
                .jws("2026-05-10T09:00:00.100Z", Bought(to: "2026-06-15")),
            ],
            caveats: [.conflictingEvidence, .renewalPossible], introductory: lapsed),
        Row(
            name: "milliseconds of the purchase date do not conflict",
            evidence: [
                .jws("2026-06-10", Bought(from: "2026-05-01T09:00:00.250Z")),
                .receipt("2026-06-10", [Bought()]),
            ],
            introductory: lapsed),
        Row(
            name: "an older conflict that newer evidence settles",
            evidence: [
                .jws("2026-05-10", Bought()), .jws("2026-05-10", Bought(product: "pro")),
                .receipt("2026-06-05", [Bought()]),
            ],
            caveats: [.conflictingEvidence], introductory: lapsed),
        Row(
            name: "a conflict about a purchase after the evaluation date",
            evidence: [
                later, .jws("2026-06-20", Bought(from: "2026-06-11", to: "2026-07-11")),
                .jws("2026-06-20", Bought(from: "2026-06-12", to: "2026-07-11")),
            ],
            caveats: [.conflictingEvidence], introductory: never, promotional: none),
        Row(
            name: "one of two objects dates the purchase after the evaluation date",
            evidence: [
                .jws("2026-06-20", Bought()),
                .jws("2026-06-20", Bought(from: "2026-06-12", to: "2026-07-11")), later,
            ],
            caveats: [.conflictingEvidence], introductory: never),
        Row(
            name: "equal dates, any order: an unknown type",
            evidence: [
                later, .jws("2026-06-05", Bought(type: .consumable)),
                .jws("2026-06-05", Bought(type: .undocumented)),
            ],
            introductory: "undetermined/uncatalogued-history/-",
            promotional: "undetermined/uncatalogued-history/-",
            winBack: "undetermined/uncatalogued-history/-", state: .unknown),
        Row(
            name: "an offer recorded as used stays used if newer evidence dates the purchase later",
            evidence: [
                .jws("2026-05-10", Bought(trial: true)),
                .jws("2026-06-20", Bought(from: "2026-06-15", to: "2026-07-15", trial: false)),
            ],
            introductory: used),
        Row(
            name: "an offer recorded as used stays used",
            evidence: [
                .jws("2026-05-10", Bought(trial: true)), .receipt("2026-06-05", [Bought(trial: false)]),
            ],
            introductory: used),
        Row(
            name: "also if newer evidence has another product",
            evidence: [
                .receipt("2026-05-10", [Bought(trial: true)]), .jws("2026-06-05", Bought(product: "weekly")),
            ],
            introductory: used),
        Row(
            name: "a subscription whose group changed",
            evidence: [
                .receipt("2026-05-10", [Bought()]), .receipt("2026-06-05", [Bought(product: "weekly")]),
            ],
            introductory: never),
        Row(
            name: "a subscription whose dates moved",
            evidence: [
                .receipt("2026-05-10", [Bought()]),
                .jws("2026-06-20", Bought(from: "2026-06-15", to: "2026-07-15")),
            ],
            introductory: never),
        Row(
            name: "empty identifiers are never merged",
            evidence: [
                .receipt("2026-05-10", [Bought(id: "0", trial: true)]),
                .jws("2026-06-05", Bought(id: "0", to: "2026-06-15")),
            ],
            introductory: used, state: .active),
        Row(
            name: "the refund was reversed",
            evidence: [
                .jws("2026-05-20", Bought(to: "2026-06-15", cancelled: "2026-05-19")),
                .jws("2026-05-25", Bought(to: "2026-06-15")),
            ],
            introductory: subscribed),
        Row(
            name: "a refunded subscription is not renewed",
            evidence: [
                .receipt("2026-05-10", [Bought(to: "2026-06-15")]),
                .jws("2026-05-20", Bought(to: "2026-06-15", cancelled: "2026-05-15")),
            ],
            introductory: "ineligible/refunded/as_of_receipt", state: .refunded, date: "2026-05-15"),
    ]

    static let groups = [
        Row(
            name: "a signed group", product: "legacy",
            evidence: [.jws("2026-06-05", Bought(product: "legacy", group: "main")), later],
            introductory: lapsed),
        Row(
            name: "a signed group of an unlisted product", product: "premium",
            evidence: [.jws("2026-06-05", Bought(product: "legacy", trial: true, group: "main"))],
            introductory: used),
        Row(
            name: "of an unsigned purchase of the product",
            evidence: [
                .receipt(
                    "2026-06-05",
                    [Bought(product: "legacy", id: "9", from: "2026-01-01", to: "2026-02-01", trial: true)]),
                .jws("2026-06-05", Bought(product: "legacy", group: "main")),
            ],
            introductory: used),
        Row(
            name: "Apple's group takes precedence over the catalog's", product: "weekly",
            evidence: [.jws("2026-06-05", Bought(trial: true, group: "news"))], caveats: [.groupDiffers],
            introductory: used),
        Row(
            name: "so the catalog's group loses the purchase",
            evidence: [.jws("2026-06-05", Bought(product: "pro", trial: true, group: "news"))],
            caveats: [.groupDiffers], introductory: never, promotional: none),
        Row(
            name: "a catalog with its own group names",
            evidence: [.jws("2026-06-05", Bought(to: "2026-06-15", group: "21000001"))],
            introductory: subscribed),
        Row(
            name: "its group equals the signed one, also for unlisted products",
            evidence: [
                .jws("2026-06-05", Bought(to: "2026-06-15", group: "21000001")),
                .jws("2026-06-05", Bought(product: "legacy", id: "2", trial: true, group: "21000001")),
            ],
            introductory: used),
        Row(
            name: "equal dates: the group that the catalog names", product: "premium",
            evidence: [
                later, .jws("2026-06-05", Bought(product: "legacy", trial: true, group: "aaa")),
                .jws("2026-06-05", Bought(product: "legacy", trial: true, group: "main")),
            ],
            caveats: [.groupDiffers], introductory: used),
        Row(
            name: "equal dates: the catalog's group of the product", product: "weekly",
            evidence: [
                later, .jws("2026-06-05", Bought(product: "paper", trial: true, group: "main")),
                .jws("2026-06-05", Bought(product: "paper", trial: true, group: "news")),
            ],
            caveats: [.groupDiffers], introductory: used),
        Row(
            name: "equal dates: also the group of an unsigned purchase", product: "premium",
            evidence: [
                .receipt("2026-06-05", [Bought(product: "legacy", id: "9", trial: true)]),
                .jws("2026-06-05", Bought(product: "legacy", group: "aaa")),
                .jws("2026-06-05", Bought(product: "legacy", id: "2", group: "main")),
            ],
            caveats: [.groupDiffers], introductory: used),
        Row(
            name: "different dates: the newer counts", product: "premium",
            evidence: [
                later, .jws("2026-06-04", Bought(product: "legacy", trial: true, group: "aaa")),
                .jws("2026-06-05", Bought(product: "legacy", trial: true, group: "main")),
            ],
            introductory: used),
        Row(
            name: "Apple joins two groups of the catalog: the first",
            evidence: joined, caveats: [.groupDiffers], introductory: used),
        Row(
            name: "Apple joins two groups of the catalog: the second", product: "weekly",
            evidence: joined, caveats: [.groupDiffers],
            introductory: "undetermined/uncatalogued-history/-"),
        Row(
            name: "Apple joins two groups of the catalog: a product without purchases", product: "paper",
            evidence: joined, caveats: [.groupDiffers],
            introductory: "undetermined/uncatalogued-history/-"),
        Row(
            name: "Apple joins two groups of the catalog: no offer was used", product: "weekly",
            evidence: joinedWithoutOffers, caveats: [.groupDiffers], introductory: lapsed),
        Row(
            name: "a purchase in a joined group", product: "weekly",
            evidence: [later, .jws("2026-06-05", Bought(group: "21000001")), joining],
            caveats: [.groupDiffers, .familyShared], introductory: never,
            promotional: "undetermined/uncatalogued-history/-",
            winBack: "undetermined/uncatalogued-history/-", state: .unknown),
        Row(
            name: "a grace period in a joined group", product: "weekly",
            evidence: joinedWithoutOffers + [.renewal("2026-06-06", Renewal(grace: "2026-06-17"))],
            caveats: [.groupDiffers], introductory: "undetermined/uncatalogued-history/-",
            winBack: "undetermined/uncatalogued-history/-"),
        Row(
            name: "a period of a joined group that only renewal information shows", product: "weekly",
            evidence: joinedWithoutOffers + [.renewal("2026-06-06", Renewal(ends: "2026-07-01"))],
            caveats: [.groupDiffers], introductory: "undetermined/uncatalogued-history/-",
            winBack: "undetermined/uncatalogued-history/-"),
        Row(
            name: "a subscription whose last product is in a joined group",
            evidence: [
                later, .jws("2026-06-05", Bought(original: "1", to: "2026-05-20", group: "21000001")),
                .jws(
                    "2026-06-05",
                    Bought(
                        product: "weekly", id: "2", original: "1", from: "2026-05-20", to: "2026-06-01",
                        group: "21000001")),
                .renewal("2026-06-06", Renewal(renews: false, ends: "2026-06-01")),
            ],
            caveats: [.groupDiffers], introductory: lapsed, winBack: "undetermined/uncatalogued-history/-"),
        Row(
            name: "billing retry in a joined group", product: "weekly",
            evidence: joinedWithoutOffers + [.renewal("2026-06-06", Renewal(retry: true))],
            caveats: [.groupDiffers], introductory: lapsed, winBack: "undetermined/uncatalogued-history/-"),
        Row(
            name: "a running period in a joined group", product: "weekly",
            evidence: joinedWithoutOffers + [
                .jws("2026-06-05", Bought(id: "3", from: "2026-06-01", to: "2026-07-01", group: "21000001"))
            ],
            caveats: [.groupDiffers], introductory: "undetermined/uncatalogued-history/-",
            winBack: "undetermined/uncatalogued-history/-"),
        Row(
            name: "an unknown owner in a joined group", product: "weekly",
            evidence: joinedWithoutOffers + [
                .jws("2026-06-05", Bought(id: "3", trial: true, group: "21000001", assigned: true))
            ],
            caveats: [.groupDiffers], introductory: "undetermined/uncatalogued-history/-"),
        Row(
            name: "an unlisted product of another group is not in joined groups", product: "weekly",
            evidence: joinedWithoutOffers + [
                .jws("2026-06-05", Bought(product: "legacy", id: "3", trial: true, group: "21000009"))
            ],
            caveats: [.groupDiffers], introductory: lapsed),
        Row(
            name: "a newer offer of a known type replaces an unknown one",
            evidence: [
                later, .jws("2026-06-04", Bought(unknownOffer: true)), .jws("2026-06-05", Bought()),
            ],
            introductory: lapsed),
        Row(
            name: "an unlisted product of joined groups counts for the first",
            evidence: joinedWithUnlisted, caveats: [.groupDiffers], introductory: used),
        Row(
            name: "an unlisted product of joined groups may be of the others", product: "weekly",
            evidence: joinedWithUnlisted, caveats: [.groupDiffers],
            introductory: "undetermined/uncatalogued-history/-"),
        Row(
            name: "Apple splits a group of the catalog",
            evidence: [
                later, .jws("2026-06-05", Bought(group: "21000001")),
                .jws("2026-06-05", Bought(product: "premium", id: "2", group: "21000002")),
            ],
            caveats: [.groupDiffers], introductory: lapsed),
        Row(
            name: "Apple splits a group of the catalog, which names one part", product: "pro",
            evidence: [
                later, .jws("2026-06-05", Bought(group: "main")),
                .jws("2026-06-05", Bought(product: "premium", id: "2", group: "21000002")),
            ],
            caveats: [.groupDiffers], introductory: lapsed),
        Row(
            name: "Apple splits another group of the catalog", product: "weekly",
            evidence: [
                later, .jws("2026-06-05", Bought(group: "21000001")),
                .jws("2026-06-05", Bought(product: "premium", id: "2", group: "21000002")),
            ],
            introductory: never, promotional: none),
        Row(
            name: "two groups of the catalog under two names of Apple's", product: "weekly",
            evidence: [
                later, .jws("2026-06-05", Bought(trial: true, group: "21000001")),
                .jws("2026-06-05", Bought(product: "weekly", id: "2", group: "21000002")),
            ],
            introductory: lapsed),
        Row(
            name: "a consumable is in no group, even with a signed one",
            evidence: [
                .jws(
                    "2026-06-05",
                    Bought(product: "coins", to: nil, type: .consumable, trial: true, group: "main"))
            ],
            introductory: never, promotional: none),
        Row(
            name: "offers that are not introductory",
            evidence: [
                .jws("2026-06-05", Bought(trial: false, intro: false, offer: "CODE", free: true)), later,
            ],
            introductory: lapsed),
    ]
}
