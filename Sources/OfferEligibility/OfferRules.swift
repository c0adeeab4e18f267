import AppReceipt

/// The rules that say which subscription offers a customer may still get.
///
/// Build one for a catalogue and use it from any thread; it reads no clock.
///
/// ```swift
/// let rules = OfferRules(catalog: try SubscriptionCatalog(storeKitConfiguration: data))
/// let verdicts = rules.verdicts(
///     for: ["com.example.monthly", "com.example.yearly"],
///     in: PurchaseHistory(receipt), asOf: .clock(now))
/// ```
public struct OfferRules: Sendable {
    /// Which product is of which group, and what is offered for it.
    public let catalog: SubscriptionCatalog
    /// What the rules leave to the business that asks.
    public let policies: OfferPolicies

    /// Rules for the products of a catalogue, under the policies of a business.
    public init(catalog: SubscriptionCatalog, policies: OfferPolicies = OfferPolicies()) {
        self.catalog = catalog
        self.policies = policies
    }

    /// The products that the customer of `history` is asked about where none is named: all of the catalog's, of a scoped
    /// catalog those of the customer's app, and none where it does not list that app.
    public func products(for history: PurchaseHistory) -> [String] {
        catalog.scope(of: history.bundleID)?.productIDs ?? []
    }

    /// A verdict for each product, in their order. Products share the work: one call for many costs little
    /// more than one for one, and answers the same.
    ///
    /// - Parameters:
    ///   - products: product identifiers, compared byte for byte.
    ///   - history: what the customer bought.
    ///   - asOf: the instant that is asked about.
    ///   - renewals: what the App Store said of coming renewals, where the caller has it unsigned. Signed information is
    ///     part of the history, and wins.
    public func verdicts(
        for products: [String], in history: PurchaseHistory, asOf: EligibilityInstant,
        renewals: RenewalInformation? = nil
    ) -> [ProductVerdict] {
        let scope = catalog.scope(of: history.bundleID)
        var sorting = Sorting(history, scope ?? .empty, asOf: asOf.timestamp)
        // Of an app that a scoped catalog does not list, no product is known.
        let asked = products.map { scope == nil ? nil : sorting.place(of: $0) }
        sorting.sortTransactions()
        sorting.sort(renewals)
        let inquiry = Inquiry(sorting, policies: policies, asOf: asOf)

        var decided: (slot: Int, group: GroupDecisions)?
        return products.indices.map { index in
            guard let (product, slot) = asked[index] else {
                return ProductVerdict(products[index], inquiry, nil, nil, .uncatalogued)
            }
            let group =
                decided.flatMap { $0.slot == slot ? $0.group : nil } ?? GroupDecisions(inquiry, slot: slot)
            decided = (slot, group)
            return ProductVerdict(
                products[index], inquiry, slot, product, group.decisions(for: product, inquiry, slot: slot))
        }
    }
}

/// The decisions about one product.
struct Decisions: Sendable {
    let introductory: Decision
    let promotional: Decision
    let winBack: Decision

    /// For a product that no group lists: nothing else is looked at.
    static let uncatalogued: Decisions = {
        var situation = Situation()
        situation.isCatalogued = false
        return Decisions(
            introductory: OfferRule.introductory.decide(situation),
            promotional: OfferRule.promotional.decide(situation),
            winBack: OfferRule.winBack.decide(situation))
    }()
}

/// The decisions that all products of a group share. Only the criteria of win-back offers are a product's
/// own.
private struct GroupDecisions {
    private let situation: Situation
    private let shared: Decisions

    init(_ inquiry: Inquiry, slot: Int) {
        situation = inquiry.situation(ofSlot: slot)
        shared = Decisions(
            introductory: OfferRule.introductory.decide(situation),
            promotional: OfferRule.promotional.decide(situation),
            winBack: OfferRule.winBack.decide(situation))
    }

    func decisions(for product: Int?, _ inquiry: Inquiry, slot: Int) -> Decisions {
        guard shared.winBack.rule == .criteria else { return shared }
        var situation = situation
        situation.meetsWinBackCriteria = inquiry.meetsWinBackCriteria(of: product, slot: slot)
        return Decisions(
            introductory: shared.introductory, promotional: shared.promotional,
            winBack: OfferRule.winBack.decide(situation))
    }
}
