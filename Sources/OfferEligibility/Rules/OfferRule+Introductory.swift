extension OfferRule {
    /// The table for introductory offers: free trial, pay as you go, pay up front. Customers are eligible if
    /// they have not had one in the group.
    static let introductory: [OfferRule] = [
        unknownProduct(.introductory),
        clockBeforeReceipt(.introductory),
        OfferRule(
            .offerUsed, .introductory, certainty: .proven,
            summary:
                "A purchase in the group was an introductory offer, refunded or not: ineligible for good.",
            citation: .introductoryOffers,
            answer: { $0.usedOffer ? .ineligible : nil }),
        OfferRule(
            .inGracePeriod, .introductory, certainty: .asOfRenewalInformation,
            summary: "The grace period has not ended: give access and offer nothing.",
            citation: .apphud,
            answer: { $0.isInGracePeriod ? .ineligible : nil }),
        OfferRule(
            .subscribed, .introductory, certainty: .asOfReceipt,
            summary:
                "A period of the group is running, shared by the family or not: existing subscribers are never eligible.",
            citation: .introductoryOffers,
            answer: { $0.isRunning ? .ineligible : nil }),
        OfferRule(
            .refunded, .introductory, certainty: .asOfReceipt,
            summary: "A purchase in the group was cancelled, and not by an upgrade (policy refunds: block).",
            citation: .apphud,
            answer: { $0.wasRefunded && $0.policies.refunds == .block ? .ineligible : nil }),
        OfferRule(
            .unknownOwnership, .introductory,
            summary: """
                A subscription of the group has an unknown owner: it may be the customer's.
                """,
            citation: .evidence,
            answer: { $0.hasUnknownOwner ? .undetermined : nil }),
        OfferRule(
            .uncataloguedHistory, .introductory,
            summary: """
                A subscription was bought that no group lists, or a product of an unknown type that expires, or has a \
                group or an offer: it may have belonged to this one. Or a subscription of the group was bought under an offer of an \
                unknown type: it may have been an introductory offer. Or one was cancelled for an unknown reason: it may have been \
                refunded. Or renewal information states one for the next period. Or a group that Apple joins with this one has a used \
                offer, a refund, an unknown owner, or a period or grace period that runs.
                """,
            citation: .evidence,
            answer: {
                $0.hasUncatalogued || $0.hasUnknownOffer || $0.mayBeRefunded && $0.policies.refunds == .block
                    ? .undetermined : nil
            }),
        OfferRule(
            .noPurchaseEvidence, .introductory,
            summary: "No evidence lists purchases: app transactions and renewal information list none.",
            citation: .evidence,
            answer: { $0.hasHistory || $0.coverage > .nothing ? nil : .undetermined }),
        OfferRule(
            .neverSubscribed, .introductory, certainty: .asOfReceipt,
            summary: "Nothing was bought in the group: new subscribers are eligible.",
            citation: .introductoryOffers,
            answer: { $0.hasHistory ? nil : $0.unlessStale($0.unlessPartial(.eligible)) }),
        OfferRule(
            .lapsed, .introductory, .otherwise, certainty: .asOfReceipt,
            summary: "Subscribed before without an introductory offer: lapsed subscribers are eligible.",
            citation: .introductoryOffers,
            answer: { $0.unlessStale($0.unlessPartial(.eligible)) }),
    ]
}
