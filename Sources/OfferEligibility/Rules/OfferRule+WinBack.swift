extension OfferRule {
    /// The table for win-back offers to customers whose period is over and will not renew.
    static let winBack: [OfferRule] = [
        unknownProduct(.winBack),
        clockBeforeReceipt(.winBack),
        OfferRule(
            .neverSubscribed, .winBack, certainty: .asOfReceipt,
            summary: "No subscription was bought: there is no customer to win back.",
            citation: .winBackOffers,
            answer: {
                $0.hasHistory || $0.hasUnknownOwner || $0.hasUncatalogued || $0.hasJoinedHistory
                    || $0.coverage == .nothing ? nil : $0.unlessPartial(.ineligible)
            }),
        OfferRule(
            .subscribed, .winBack, certainty: .asOfReceipt,
            summary: "A period of the group is running.",
            citation: .winBackOffers,
            answer: { $0.isRunning ? .ineligible : nil }),
        OfferRule(
            .inGracePeriod, .winBack, certainty: .asOfRenewalInformation,
            summary: "The grace period has not ended.",
            citation: .winBackOffers,
            answer: { $0.isInGracePeriod ? .ineligible : nil }),
        OfferRule(
            .inBillingRetry, .winBack, certainty: .asOfRenewalInformation,
            summary:
                "The App Store still tries to charge for a subscription of the group, the customer's own or a shared one.",
            citation: .winBackOffers,
            answer: { $0.isInBillingRetry ? .ineligible : nil }),
        OfferRule(
            .appleOffers, .winBack, certainty: .asOfSignedRenewalInformation,
            summary: """
                Lapsed, and renewal information that was signed since lists the win-back offers that the App Store \
                grants: eligible if there is one, unless there may be a later period. Undetermined if the catalog has \
                all of these offers for other products or dates.
                """,
            citation: .appleOffers,
            answer: {
                guard $0.hasLapsed, !$0.hasJoinedFacts, let isOffered = $0.hasAppleOffers else { return nil }
                if !isOffered { return .ineligible }
                if $0.hasLaterUncatalogued || $0.hasLaterUnknownOwner { return nil }
                return $0.areAppleOffersOfOthers ? .undetermined : .eligible
            }),
        OfferRule(
            .unknownOwnership, .winBack,
            summary: """
                A subscription of the group has an unknown owner. The customer has no own purchase there, or the last one \
                ended earlier and will not renew.
                """,
            citation: .evidence,
            answer: {
                $0.hasUnknownOwner && !$0.hasHistory || $0.hasLaterUnknownOwner && $0.mayGetWinBackOffer
                    ? .undetermined : nil
            }),
        OfferRule(
            .uncataloguedHistory, .winBack,
            summary: """
                Nothing was bought in the group. But a subscription was bought that no group lists, or a product of an \
                unknown type that expires, or has a group or an offer. Or such a purchase ends after the last one of the group, which \
                lapsed and will not renew. Or the customer is or was a subscriber of a group that Apple joins with this one.
                """,
            citation: .evidence,
            answer: {
                $0.hasUncatalogued && !$0.hasHistory || $0.hasJoinedFacts
                    || $0.hasLaterUncatalogued && $0.mayGetWinBackOffer ? .undetermined : nil
            }),
        OfferRule(
            .noPurchaseEvidence, .winBack,
            summary: "No evidence lists purchases: app transactions and renewal information list none.",
            citation: .evidence,
            answer: { $0.hasHistory || $0.coverage > .nothing ? nil : .undetermined }),
        OfferRule(
            .autoRenewOn, .winBack, certainty: .asOfRenewalInformation,
            summary: "Lapsed, but set to renew, so the customer has not left.",
            citation: .winBackOffers,
            answer: { $0.hasLapsed && $0.willRenew == true ? .ineligible : nil }),
        OfferRule(
            .autoRenewUnknown, .winBack,
            summary: "Lapsed, and no renewal information says whether it will renew.",
            citation: .winBackOffers,
            answer: { $0.hasLapsed && $0.willRenew == nil ? .undetermined : nil }),
        OfferRule(
            .criteria, .winBack, .otherwise, certainty: .asOfRenewalInformation,
            summary: """
                Lapsed and will not renew: the catalog's criteria decide (dates of the offer, paid months, months since the \
                lapse, wait between offers). Undetermined if the catalog does not contain them, if \
                purchases are missing, or if the wait may count from a purchase of an unknown group or owner.
                """,
            citation: .winBackOffers,
            answer: {
                switch $0.meetsWinBackCriteria {
                case .some(true):
                    $0.mayHaveRenewedSinceInformation || $0.mayHaveSharedRenewal
                        ? $0.unlessStale(.eligible) : .eligible
                case .some(false): .ineligible
                case nil: .undetermined
                }
            }),
    ]
}
