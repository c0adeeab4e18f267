import AppReceipt
import StrictJSON

// A log may contain these descriptions. They include no transaction identifiers, which are personal data, and
// no bytes of a receipt.

extension ProductVerdict: CustomStringConvertible {
    /// The product and the three answers.
    public var description: String {
        "\(productID.onOneLine): \(introductoryOffer); \(promotionalOffer); \(winBackOffer)"
    }
}

extension OfferVerdict: CustomStringConvertible {
    /// The offer, the outcome, the deciding rule, the certainty and the caveats.
    public var description: String {
        let parts = [rule.name, certainty?.rawValue].compactMap { $0 } + caveats.map(\.rawValue)
        return "\(offer.rawValue) offer \(outcome.rawValue) (\(parts.joined(separator: ", ")))"
    }
}

extension SubscriptionState: CustomStringConvertible {
    /// The state and its dates.
    public var description: String {
        ([kind.rawValue]
            + [("since", since), ("until", until)].compactMap { word, date in
                date.map { "\(word) \($0)" }
            }).joined(separator: " ")
    }
}

extension SubscriptionPeriod: CustomStringConvertible {
    /// The kind of the period and its dates.
    public var description: String {
        "\(kind.rawValue) from \(start?.rfc3339 ?? "an unknown date") to \(end)"
    }
}

extension PurchaseHistory: CustomStringConvertible {
    /// The app, environment, date and number of purchases.
    public var description: String {
        let app = bundleID?.onOneLine ?? "an app without id"
        let place = environment?.rawValue ?? "no known environment"
        return
            "history of \(app), \(place), as of \(evidenceDate?.rfc3339 ?? "an unknown date"), \(count) purchases"
    }
}

extension RenewalInformation: CustomStringConvertible {
    /// The number of entries.
    public var description: String { "renewal information of \(entries.count) subscriptions" }
}

extension RenewalInformation.Entry: CustomStringConvertible {
    /// The product, and whether the subscription will renew.
    public var description: String {
        let renewal = willRenew.map { $0 ? "will renew" : "will not renew" } ?? "renewal unknown"
        return "\((productID ?? autoRenewProductID ?? "a product without id").onOneLine): \(renewal)"
    }
}

extension HistoryMergeError: CustomStringConvertible {
    /// The reason why two evidence objects cannot be merged, with their indices from 0.
    public var description: String {
        let (what, first, second): (String, Evidence, Evidence) =
            switch self {
            case .conflict(_, let fact, let first, let second):
                ("conflict in \(fact.rawValue) of one transaction", first, second)
            case .differentApps(let first, let second): ("belong to different apps", first, second)
            case .differentAccounts(let first, let second):
                ("belong to different Apple Accounts", first, second)
            case .differentEnvironments(let first, let second):
                ("are not known to belong to the same environment", first, second)
            case .differentRealms(let first, let second):
                ("are signed under different kinds of trust anchor", first, second)
            }
        return "evidence \(first.index) and \(second.index) \(what)"
    }
}

extension HistoryMergeError.Evidence: CustomDebugStringConvertible {
    /// The index of the evidence. The value may be personal data and is omitted.
    public var debugDescription: String { "evidence \(index)" }
}

extension SavedAnswerError: CustomStringConvertible {
    /// The problem with the response.
    public var description: String {
        switch self {
        case .unreadable(let error): error.description
        case .contradiction(let error): "its purchase lists contradict each other: \(error)"
        }
    }
}
