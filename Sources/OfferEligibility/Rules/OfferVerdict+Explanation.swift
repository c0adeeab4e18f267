import AppReceipt

extension OfferVerdict {
    /// The reason in one or two sentences for people, with the relevant dates.
    ///
    /// Programs must not match this text. They use ``rule`` and ``findings``. The text may contain unescaped
    /// text from the evidence, the catalog and the product identifier.
    public var explanation: String {
        switch rule {
        case .unknownProduct:
            "No group of the catalog lists \(verdict.productID), so its group's history is unknown."
        case .clockBeforeReceipt:
            """
            The clock's time is before \(creation), \(date(verdict.evidenceDate)): the clock is wrong, so the answer \
            is undetermined.
            """
        case .offerUsed:
            """
            The group's introductory offer was used with the purchase of \
            \(purchases(verdict.facts?.used ?? [])). A customer gets one per group, even if it was refunded.
            """
        case .inGracePeriod:
            """
            The renewal failed and the grace period runs until \(date(verdict.facts?.graceEnd)): give access \
            and offer nothing.
            """
        case .subscribed:
            """
            A period of the group\(owner) is running until \
            \(date(verdict.subscription.until)), as of the receipt.
            """
        case .refunded:
            """
            The purchase of \(purchases(verdict.facts?.refunded ?? [])) was cancelled, and not by a switch \
            within the group, as of the receipt.
            """
        case .unknownOwnership:
            "The owner of the purchase of \(purchases(evidence)) is unknown: it may be the customer's."
        case .uncataloguedHistory: uncataloguedExplanation
        case .noPurchaseEvidence:
            """
            None of the evidence lists purchases: an app receipt, the transaction history or the subscription statuses \
            would.
            """
        case .neverSubscribed where verdict.input?.isUnlistedRunning == true:
            "\(noPurchase)\(horizon), but renewal information shows a running period."
        case .neverSubscribed where offer == .introductory && verdict.signed?.mayHaveSharedRenewal == true:
            "\(noPurchase)\(horizon), but a shared subscription may have been renewed: it may run."
        case .neverSubscribed where caveats.contains(.partialEvidence):
            """
            \(noPurchase)\(horizon), and \
            \(isListed ? "a renewal may be missing" : "none of the evidence lists all purchases").
            """
        case .neverSubscribed where verdict.signed?.showsMissingEvidence == true:
            "\(noPurchase)\(horizon), but renewal information shows one."
        case .neverSubscribed where verdict.signed?.superseded.isEmpty == false:
            "The newest evidence shows no purchase in the group\(horizon)."
        case .neverSubscribed:
            """
            \(newestEvidenceIsReceipt ? "Nothing was bought in the group" : noPurchase)\(horizon): \
            \(offer == .introductory ? "a new subscriber" : "neither a current nor a lapsed subscriber").
            """
        case .lapsed: lapsedExplanation
        case .currentOrLapsedSubscriber: "A current or lapsed subscriber: bought \(purchases(evidence))."
        case .inBillingRetry where isRetryOfOthers:
            "The App Store still tries to charge for a subscription of the group, which is shared or of unknown ownership."
        case .inBillingRetry:
            "The period ended \(lapseDate) and the App Store still tries to charge the customer."
        case .appleOffers:
            """
            The period ended \(lapseDate). Renewal information signed since then grants \
            \(offers.flatMap { $0.isEmpty ? nil : $0.joined(separator: ", ") } ?? "no win-back offer")\
            \(outcome == .undetermined ? ", which the catalog has for other products or dates" : "").
            """
        case .autoRenewOn where mayInformationPredateLapse:
            """
            The period ended \(lapseDate). Renewal information, which may be older, says that the subscription will renew.
            """
        case .autoRenewOn:
            "The period ended \(lapseDate), but the subscription is set to renew, so the customer has not left."
        case .autoRenewUnknown:
            """
            The period ended \(lapseDate); receipts do not show whether it will renew, and no renewal \
            information of the group states it.
            """
        case .criteria: criteriaExplanation
        }
    }

    private var lapsedExplanation: String {
        let base = "Subscribed until \(lapseDate) and never had an introductory offer of the group"
        if verdict.signed?.mayHaveSharedRenewal == true {
            return "\(base). \(sharedDoubt)\(reserve)"
        }
        guard caveats.contains(.renewalPossible) else { return base + ", as of the receipt." + reserve }
        return "\(base). \(doubt): it may have renewed since.\(reserve)"
    }

    /// The reason why the last period may have renewed.
    private var doubt: String {
        let history = verdict.customer.history
        guard history.signed == nil, let created = history.evidenceDate, let last = verdict.facts?.last else {
            return "No evidence excludes a later period"
        }
        return history.transactions[last.index].wasBought(by: created)
            ? "That period was running when the receipt was created"
            : "That period began after the receipt was created"
    }

    private var uncataloguedExplanation: String {
        let (history, offers) = (verdict.unknownHistory, verdict.facts?.unknownOffers ?? [])
        let refunds = verdict.customer.policies.refunds == .block ? verdict.facts?.unknownRefunds ?? [] : []
        let what = purchases(history.first, of: history.count)
        let uncatalogued = history.count - history.joined - offers.count - refunds.count
        if history.count == 0, verdict.signed?.mayHaveIntroductoryRenewal == true {
            return
                "Renewal information states an introductory or unknown offer for the next period: an introductory one may have been used."
        }
        if !refunds.isEmpty {
            return history.count == refunds.count
                ? "The purchase of \(what) was cancelled for an unknown reason: it may have been refunded."
                : "The purchase of \(what) may have used the group's introductory offer, or was cancelled for an unknown reason."
        }
        if uncatalogued == 0, history.joined == 0, !offers.isEmpty {
            return
                "The purchase of \(what) is under an offer of an unknown type: it may be an introductory offer."
        }
        if uncatalogued == 0, offers.isEmpty {
            return history.joined == 0
                ? "Apple joins this group with another one, in which the customer is or was a subscriber."
                : "The purchase of \(what) belongs to a group that Apple joins with this one: the offer may have been used."
        }
        let kind =
            verdict.customer.hasUnknownType
            ? "an unknown type, or no group lists it"
            : verdict.isBeyondCatalog
                ? "a subscription whose group at Apple is unknown" : "a subscription that no group lists"
        guard history.joined > 0 || !offers.isEmpty else {
            return "The purchase of \(what) is of \(kind): it may have belonged to this group."
        }
        let joined = history.joined > 0 ? "it belongs to a group that Apple joins with this one" : nil
        let offer = offers.isEmpty ? nil : "its offer is of an unknown type"
        let other = uncatalogued == 0 ? nil : "it is of \(kind)"
        let reasons = [joined, offer, other].compactMap(\.self).joined(separator: ", or ")
        return "The purchase of \(what) may have used the group's introductory offer: \(reasons)."
    }

    /// The creation or signing of the newest evidence.
    private var creation: String {
        verdict.customer.history.signed == nil
            ? "the receipt's creation" : "the newest evidence was signed"
    }

    private var reserve: String {
        guard caveats.contains(.partialEvidence) else {
            return verdict.signed?.showsMissingEvidence == true
                ? " The evidence shows a purchase or refund that it does not contain." : ""
        }
        return isListed ? " A renewal may be missing." : " None of the evidence lists all purchases."
    }

    /// Whether the App Store tries to charge the payer of another owner's subscription, and not the customer.
    private var isRetryOfOthers: Bool {
        guard verdict.facts?.last != nil else { return true }
        return verdict.signed?.hasUnpaidPeriod == true
            && verdict.signed?.renewal?.entry.isInBillingRetry != true
    }

    /// Whether the renewal information may be from before the period's end.
    private var mayInformationPredateLapse: Bool {
        guard let signed = verdict.signed?.renewal?.signedDate, let end = verdict.facts?.last?.end else {
            return false
        }
        return signed <= end
    }

    private var noPurchase: String {
        let owner = verdict.signed?.shared.isEmpty == false ? " of the customer's own" : ""
        return "No purchase\(owner) in the group is among the evidence"
    }

    /// Whether a receipt, which lists all purchases until its date, is the newest evidence.
    private var newestEvidenceIsReceipt: Bool {
        let history = verdict.customer.history
        return history.signed.map { $0.newestReceipt == history.evidenceDate } ?? true
    }

    /// Whether some evidence lists all purchases until its date.
    private var isListed: Bool { verdict.customer.history.coverage == .complete }

    /// The owner of the running period that ends last, or an empty text if it is the customer.
    private var owner: String {
        switch verdict.runningPeriod.map({ verdict.customer.history.transactions[$0].standing }) {
        case .familyShared: ", shared by the family,"
        case .unknownOwner: ", of unknown ownership,"
        case .own, .superseded, nil: ""
        }
    }

    private var criteriaExplanation: String {
        switch (outcome, configured) {
        case (.undetermined, true) where verdict.input?.areMonthsUnknown == true:
            "Lapsed \(lapseDate) and will not renew. Purchases may be missing, so the paid time and the waits are unknown."
        case (_, true)
        where verdict.decisions.meetsWinBackCriteria == true
            && (caveats.contains(.renewalPossible) || verdict.signed?.mayHaveSharedRenewal == true):
            "Lapsed \(lapseDate); meets the criteria of \(offers(met: true)). \(renewalDoubt)"
        case (.undetermined, _) where dependsOnDates:
            "Lapsed \(lapseDate) and will not renew, but an offer begins or ends within a day, in an unknown time zone."
        case (.undetermined, _) where mayHaveToWait:
            "Lapsed \(lapseDate) and will not renew. A product that no group lists, or a purchase of an unknown owner, had the same offer, so the wait may not be over."
        case (.undetermined, _) where verdict.catalogued?.winBackOffers != nil:
            "Lapsed \(lapseDate) and will not renew. A period was under an offer or discount of an unknown type, cancelled for an unknown reason, refunded in part, or perhaps replaced by an upgrade, so the paid time or the lapse is unknown."
        case (.undetermined, _):
            "Lapsed \(lapseDate) and will not renew, but the catalog does not contain win-back criteria."
        case (_, false):
            "Lapsed \(lapseDate) and will not renew, but no win-back offer is configured for the product."
        case (.eligible, _):
            "Lapsed \(lapseDate) and will not renew; meets the criteria of \(offers(met: true))."
        case (.ineligible, _):
            "Lapsed \(lapseDate) and will not renew; does not meet the criteria of \(offers(met: false))."
        }
    }

    /// Whether an offer is undetermined because it begins or ends at about the question's date.
    private var dependsOnDates: Bool {
        verdict.catalogued?.winBackOffers?.contains {
            $0.isAvailable(at: verdict.asOf.timestamp) == nil
                && verdict.decisions.winBackFacts?.meets($0) == nil
        } ?? false
    }

    /// Whether an offer is undetermined because of a purchase that may not be the customer's, or not of the group.
    private var mayHaveToWait: Bool {
        guard let facts = verdict.decisions.winBackFacts else { return false }
        let offers = verdict.catalogued?.winBackOffers ?? []
        return offers.contains { facts.meets($0) == nil && facts.mayHaveToWait(for: $0) }
    }

    private var sharedDoubt: String { "A shared subscription may have been renewed: it may run." }

    private var renewalDoubt: String {
        verdict.signed?.mayHaveSharedRenewal == true
            ? sharedDoubt
            : "Renewal was off, but no receipt or renewal information signed since then shows that it stayed off."
    }

    /// The date until which the customer is known to have bought nothing, as a phrase. It contains no clock
    /// reading, so two answers to the same question do not differ.
    private var horizon: String {
        let instant = verdict.asOf.timestamp
        guard let created = verdict.evidenceDate, instant < created else { return ", as of the receipt" }
        return switch verdict.asOf {
        case .clock: " by the time of the clock"
        case .date: " by \(date(instant))"
        }
    }

    private var lapseDate: String { date(verdict.facts?.last?.statedEnd) }

    private func offers(met: Bool) -> String {
        let names = (verdict.catalogued?.winBackOffers ?? [])
            .filter { verdict.decisions.winBackFacts?.meets($0) == met }
            .map { offer in
                let name = offer.offerID ?? "an offer without an id"
                let isOver = offer.isAvailable(at: verdict.asOf.timestamp) == false
                return isOver ? "\(name) (not available on that date)" : name
            }
        let more = names.count > 100 ? " and \(names.count - 100) more" : ""
        return names.prefix(100).joined(separator: ", ") + more
    }

    private func date(_ timestamp: Timestamp?) -> String { timestamp?.rfc3339 ?? "an unknown date" }

    private func purchases(_ indices: [Int]) -> String { purchases(indices, of: indices.count) }

    /// Returns the first purchase as text, and the number of the others.
    private func purchases(_ indices: [Int], of count: Int) -> String {
        let history = verdict.customer.history
        guard let first = verdict.customer.first(indices).first else { return "nothing" }
        let transaction = history.transactions[first]
        let name = history.string(transaction.product) ?? "an unnamed product"
        let more = count > 1 ? " and \(count - 1) more" : ""
        return "\(name) on \(date(transaction.purchased))\(more)"
    }
}
