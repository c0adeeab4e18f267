import AppReceipt
import Foundation

@testable import OfferEligibility

/// Returns 9:00 in UTC of a day such as "2026-05-01", or the instant of a longer text in RFC 3339.
func at(_ text: String) -> Timestamp {
    guard let date = Timestamp(rfc3339: text.count == 10 ? text + "T09:00:00Z" : text) else {
        preconditionFailure("no date: \(text)")
    }
    return date
}

/// A purchase for a test. The default is a subscription for one month without flags.
struct Bought {
    var product: String? = "basic"
    var id: String? = "1"
    var original: String?
    var from: String? = "2026-05-01"
    var to: String? = "2026-06-01"
    var cancelled: String?
    /// The reason of the cancellation.
    var reason: Int64?
    var type: InAppProductType? = .autoRenewableSubscription
    var trial: Bool?
    var intro: Bool?
    var offer: String?
    var group: String?
    var upgraded = false
    /// Whether the period was free under any offer. Nil if its discount type is one that no rule knows.
    var free: Bool? = false
    /// Whether `offerType` is one that no rule knows.
    var unknownOffer = false
    /// Whether `revocationType` is one that no rule knows.
    var unknownRevocation = false
    var partlyRefunded = false
    var shared = false
    /// Whether `inAppOwnershipType` is one that no rule knows.
    var assigned = false
}

func history(
    _ purchases: [Bought], created: String? = "2026-06-01T10:00:00Z", app: String? = nil,
    environment: ReceiptEnvironment? = .production, realm: TrustAnchorKind? = .appStore,
    coverage: PurchaseCoverage = .complete
) -> PurchaseHistory {
    var builder = PurchaseHistory()
    for bought in purchases {
        var transaction = Transaction()
        transaction.product = builder.slice(bought.product)
        transaction.id = builder.slice(bought.id)
        transaction.original = builder.slice(bought.original)
        transaction.offer = builder.slice(bought.offer)
        transaction.purchased = bought.from.map(at)
        transaction.expires = bought.to.map(at)
        transaction.cancelled = bought.cancelled.map(at)
        transaction.type = bought.type
        transaction.isTrial = bought.trial
        transaction.isIntro = bought.intro
        transaction.group = builder.slice(bought.group)
        transaction.isUpgraded = bought.upgraded
        transaction.isFree = bought.free
        transaction.hasUnknownOffer = bought.unknownOffer
        transaction.hasUnknownRevocation = bought.unknownRevocation
        transaction.isPartlyRefunded = bought.partlyRefunded
        transaction.take(reason: bought.reason)
        transaction.standing = bought.shared ? .familyShared : bought.assigned ? .unknownOwner : .own
        builder.transactions.append(transaction)
    }
    builder.bundle = builder.slice(app)
    builder.environment = environment
    builder.realm = realm
    builder.coverage = coverage
    builder.evidenceDate = created.map(at)
    return builder
}

/// A catalog with two groups. All products except pro have introductory offers.
///
/// Group "main": premium (rank 1), premium.yearly (1), pro (2), basic (3). Group "news": weekly (1), paper
/// (2).
let catalog: SubscriptionCatalog = {
    var builder = CatalogBuilder()
    func add(_ id: String, _ group: String, rank: Int, intro: Bool = true) {
        var product = SubscriptionProduct(id: id, group: group)
        product.rank = rank
        product.hasIntroductoryOffer = intro
        product.hasPromotionalOffer = false
        precondition(builder.add(product))
    }
    precondition(builder.addGroup("main"))
    add("premium", "main", rank: 1)
    add("premium.yearly", "main", rank: 1)
    add("pro", "main", rank: 2, intro: false)
    add("basic", "main", rank: 3)
    precondition(builder.addGroup("news"))
    add("weekly", "news", rank: 1)
    add("paper", "news", rank: 2)
    return builder.catalog
}()

/// A catalog with one group. The win-back offer of basic requires six paid months; premium has no offers.
let winBackCatalog: SubscriptionCatalog = {
    var builder = CatalogBuilder()
    var offer = WinBackOffer(offerID: "back")
    offer.paidMonths = 6
    var product = SubscriptionProduct(id: "basic", group: "main")
    product.winBackOffers = [offer]
    precondition(builder.addGroup("main"))
    precondition(builder.add(product))
    precondition(builder.add(SubscriptionProduct(id: "premium", group: "main")))
    return builder.catalog
}()

func verdict(
    of product: String = "basic", _ purchases: [Bought], asOf: String = "2026-06-02T00:00:00Z",
    created: String? = "2026-06-01T10:00:00Z", clock: Bool = false, catalog: SubscriptionCatalog = catalog,
    policies: OfferPolicies = OfferPolicies(), renewals: [RenewalInformation.Entry]? = nil,
    coverage: PurchaseCoverage = .complete
) -> ProductVerdict {
    OfferRules(catalog: catalog, policies: policies).verdicts(
        for: [product], in: history(purchases, created: created, coverage: coverage),
        asOf: clock ? .clock(at(asOf)) : .date(at(asOf)),
        renewals: renewals.map(RenewalInformation.init(entries:)))[0]
}

/// The content of a verdict, for comparing two verdicts.
struct VerdictSummary: Hashable {
    let product: String
    let group: String?
    let offers: [[String]]
    let subscription: SubscriptionState
    let periods: [SubscriptionPeriod]

    init(_ verdict: ProductVerdict) {
        product = verdict.productID
        group = verdict.subscriptionGroup
        offers = [verdict.introductoryOffer, verdict.promotionalOffer, verdict.winBackOffer].map { offer in
            [
                offer.outcome.rawValue, offer.rule.name, offer.certainty?.rawValue ?? "",
                "\(offer.configured as Any)",
            ]
                + offer.findings.map(\.name) + offer.caveats.map(\.rawValue) + offer.transactions
                + (offer.offers ?? [])
                + [offer.explanation]
        }
        subscription = verdict.subscription
        periods = verdict.periods
    }
}

extension OfferVerdict {
    /// The outcome, the rule and the certainty as one text.
    var short: String { "\(outcome.rawValue)/\(rule.name)/\(certainty?.rawValue ?? "-")" }
}

extension Timestamp {
    /// Returns a day in RFC 3339, counted from 2025-01-01T09:00:00Z.
    static func day(_ number: Int) -> String {
        Timestamp(millisecondsSince1970: at("2025-01-01").millisecondsSince1970 + Int64(number) * 86_400_000)
            .rfc3339
    }
}
