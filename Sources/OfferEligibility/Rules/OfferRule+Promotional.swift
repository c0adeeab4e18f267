extension OfferRule {
    /// The table for promotional offers, which the app itself grants to current and former subscribers.
    static let promotional: [OfferRule] = [
        unknownProduct(.promotional),
        OfferRule(
            .currentOrLapsedSubscriber, .promotional, certainty: .proven,
            summary:
                "A subscription of the group (policy promotional scope: of the app) was bought: eligible.",
            citation: .promotionalOffers,
            answer: { $0.isSubscriberInScope ? .eligible : nil }),
        OfferRule(
            .unknownOwnership, .promotional,
            summary: """
                No purchase in the group (policy promotional scope: in the app) is known to be the customer's own, but \
                a subscription there has an unknown owner.
                """,
            citation: .evidence,
            answer: { !$0.isSubscriberInScope && $0.hasUnknownOwnerInScope ? .undetermined : nil }),
        OfferRule(
            .uncataloguedHistory, .promotional,
            summary: """
                Nothing was bought in the group. But a subscription was bought that no group lists, or in a group that \
                Apple joins with this one, or a product of an unknown type that expires, or has a group or an offer.
                """,
            citation: .evidence,
            answer: {
                !$0.isSubscriberInScope && ($0.hasUncatalogued || $0.hasJoinedHistory) ? .undetermined : nil
            }),
        OfferRule(
            .noPurchaseEvidence, .promotional,
            summary: "No evidence lists purchases: app transactions and renewal information list none.",
            citation: .evidence,
            answer: { $0.coverage > .nothing ? nil : .undetermined }),
        OfferRule(
            .neverSubscribed, .promotional, .otherwise, certainty: .asOfReceipt,
            summary: "No subscription was bought: new subscribers are not eligible.",
            citation: .promotionalOffers,
            answer: { $0.unlessPartial(.ineligible) }),
    ]
}
