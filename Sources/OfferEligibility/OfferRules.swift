import AppReceipt

/// The rules that determine which subscription offers a customer may still get.
///
/// Create one instance for a catalog and use it from any thread. It does not read a clock.
///
/// ```swift
/// let rules = OfferRules(catalog: try SubscriptionCatalog(storeKitConfiguration: data))
/// let verdicts = rules.verdicts(
///     for: ["com.example.monthly", "com.example.yearly"],
///     in: PurchaseHistory(receipt), asOf: .clock(now))
/// ```
public struct OfferRules: Sendable {
    /// The subscription groups, their products and the configured offers.
    public let catalog: SubscriptionCatalog
    /// The choices that the rules leave to the app's developer.
    public let policies: OfferPolicies

    /// Creates rules for the products of a catalog, with policies.
    public init(catalog: SubscriptionCatalog, policies: OfferPolicies = OfferPolicies()) {
        self.catalog = catalog
        self.policies = policies
    }

    /// Returns the products to evaluate for the customer of `history` if the caller names none.
    ///
    /// These are all products of the catalog. For a scoped catalog, they are the products of the customer's
    /// app, or none if the catalog does not list the app.
    public func products(for history: PurchaseHistory) -> [String] {
        catalog.scope(of: history.bundleID)?.productIDs ?? []
    }

    /// Returns a verdict for each product, in the order of `products`.
    ///
    /// Products share the work. One call for many products costs little more than a call for one, and gives
    /// the same verdicts.
    ///
    /// - Parameters:
    ///   - products: The product identifiers, compared byte for byte.
    ///   - history: The customer's purchases.
    ///   - asOf: The evaluation date.
    ///   - renewals: Unsigned renewal information of the App Store, for which the caller vouches. Signed
    ///     renewal information in `history` overrides it.
    public func verdicts(
        for products: [String], in history: PurchaseHistory, asOf: EligibilityInstant,
        renewals: RenewalInformation? = nil
    ) -> [ProductVerdict] {
        let scope = catalog.scope(of: history.bundleID)
        var sorter = TransactionSorter(history, scope ?? .empty, asOf: asOf.timestamp)
        // A scoped catalog contains no products of an app that it does not list.
        let asked = products.map { scope == nil ? nil : sorter.place(of: $0) }
        sorter.sortTransactions()
        sorter.sort(renewals)
        let customer = CustomerFacts(
            sorter, policies: policies, asOf: asOf, slots: Set(asked.compactMap { $0?.slot }))

        var decided: [Int: GroupDecisions] = [:]
        return products.indices.map { index in
            guard let (product, slot) = asked[index] else {
                return ProductVerdict(
                    productID: products[index], customer: customer, slot: nil, product: nil,
                    decisions: .uncatalogued)
            }
            let group = decided[slot] ?? GroupDecisions(customer, slot: slot)
            decided[slot] = group
            let offers = product.flatMap { customer.catalog.products[$0].winBackOffers }
            return ProductVerdict(
                productID: products[index], customer: customer, slot: slot, product: product,
                decisions: group.decisions(winBackOffers: offers))
        }
    }
}

/// The decisions about one product.
struct Decisions: Sendable {
    let introductory: Decision
    let promotional: Decision
    fileprivate(set) var winBack: Decision
    /// The facts for the criteria of win-back offers. Nil if other rules decide.
    fileprivate(set) var winBackFacts: WinBackFacts?
    /// Whether the customer meets the criteria of an offer. Nil if this is unknown, or if other rules decide.
    fileprivate(set) var meetsWinBackCriteria: Bool?

    fileprivate init(_ input: RuleInput) {
        introductory = OfferRule.introductory.decide(input)
        promotional = OfferRule.promotional.decide(input)
        winBack = OfferRule.winBack.decide(input)
    }

    /// The decisions about a product in no group. No other fact is evaluated.
    static let uncatalogued = Decisions(RuleInput(isCatalogued: false))
}

/// The decisions that all products of a group share. Only win-back offers differ between products.
private struct GroupDecisions {
    private let input: RuleInput
    private let instant: Timestamp
    private var shared: Decisions
    /// The offers that Apple grants, or none if the catalog does not list all of them.
    private var appleOffers: Set<[UInt8]> = []

    init(_ customer: CustomerFacts, slot: Int) {
        input = customer.input(ofSlot: slot)
        instant = customer.asOf.timestamp
        shared = Decisions(input)
        if shared.winBack.rule == .criteria { shared.winBackFacts = WinBackFacts(customer, slot: slot) }
        guard shared.winBack.rule == .appleOffers, input.hasAppleOffers == true else { return }
        let known = WinBackOffer.ids(of: customer.catalog.products.flatMap { $0.winBackOffers ?? [] })
        let offers = customer.signed(ofSlot: slot)?.renewal?.winBackOffers ?? []
        let granted = Set(offers.map { Array($0.utf8) })
        if granted.isSubset(of: known) { appleOffers = granted }
    }

    /// Returns the decisions about a product.
    /// - Parameter offers: The product's win-back offers, or nil if the catalog does not contain them.
    func decisions(winBackOffers offers: [WinBackOffer]?) -> Decisions {
        guard let offers else { return shared }
        var (input, decisions) = (input, shared)
        let available = offers.filter { $0.isAvailable(at: instant) != false }
        input.areAppleOffersOfOthers =
            !appleOffers.isEmpty && WinBackOffer.ids(of: available).isDisjoint(with: appleOffers)
        guard let facts = shared.winBackFacts else {
            if input.areAppleOffersOfOthers { decisions.winBack = OfferRule.winBack.decide(input) }
            return decisions
        }
        let isUnknown = input.areMonthsUnknown && !available.isEmpty
        input.meetsWinBackCriteria = isUnknown ? nil : facts.meetsAny(of: offers)
        if input.meetsWinBackCriteria == true, input.hasUnknownEnd { input.meetsWinBackCriteria = nil }
        decisions.meetsWinBackCriteria = input.meetsWinBackCriteria
        decisions.winBack = OfferRule.winBack.decide(input)
        return decisions
    }
}
