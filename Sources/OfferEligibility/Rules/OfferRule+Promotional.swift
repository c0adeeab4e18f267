extension OfferRule {
    /// Offers that the app itself grants to those who are or were subscribers.
    static let promotional: [OfferRule] = [
        OfferRule(
            .unknownProduct, .promotional, .alone,
            summary:
                "Neither the catalogue nor a signed transaction names the product's group: undetermined.",
            citation: .evidence,
            answer: { $0.isCatalogued ? nil : .undetermined }),
        OfferRule(
            .currentOrLapsedSubscriber, .promotional, certainty: .proven,
            summary:
                "A subscription of the group (policy promotional scope: of the app) was bought: eligible.",
            citation: .promotionalOffers,
            answer: {
                $0.hasHistory || $0.hasSuperseded
                    || ($0.policies.promotionalScope == .app && $0.hasSubscriptionInApp)
                    ? .eligible : nil
            }),
        OfferRule(
            .uncataloguedHistory, .promotional, .otherwise,
            summary: "Nothing was bought in the group, but a subscription that no group lists.",
            citation: .evidence,
            answer: { $0.hasUncatalogued ? .undetermined : nil }),
        OfferRule(
            .neverSubscribed, .promotional, .otherwise, certainty: .asOfReceipt,
            summary: "No subscription was bought: new subscribers are not eligible.",
            citation: .promotionalOffers,
            answer: { _ in .ineligible }),
    ]
}
