/// The three offers that have rules.
public enum OfferKind: String, Sendable, CaseIterable {
    case introductory
    case promotional
    case winBack = "win_back"
}

/// The answer to "may this customer get this offer?".
public enum OfferOutcome: String, Sendable {
    case eligible
    case ineligible
    /// The evidence does not decide; ``OfferVerdict/explanation`` says what is missing.
    case undetermined
}

/// How long an answer stands.
public enum OfferCertainty: String, Sendable {
    /// Nothing that happens after the receipt can change it.
    case proven
    /// True when the receipt was created; later purchases and renewals may change it.
    case asOfReceipt = "as_of_receipt"
    /// True when the renewal information was saved.
    case asOfRenewalInformation = "as_of_renewal_info"
}

/// A doubt that is attached to an answer.
public enum OfferCaveat: String, Sendable {
    /// The last period was running when the receipt was created and is over now: it may have renewed since.
    case renewalPossible = "renewal-possible"
}

/// The rules by name. A rule may stand in the tables of several offers.
public enum OfferRuleID: UInt8, Sendable, CaseIterable {
    case unknownProduct
    case clockBeforeReceipt
    case offerUsed
    case inGracePeriod
    case subscribed
    case refunded
    case uncataloguedHistory
    case neverSubscribed
    case lapsed
    case currentOrLapsedSubscriber
    case inBillingRetry
    case autoRenewOn
    case autoRenewUnknown
    case criteria

    /// The name in reports and JSON, for example `offer-used`.
    public var name: String {
        switch self {
        case .unknownProduct: "unknown-product"
        case .clockBeforeReceipt: "clock-before-receipt"
        case .offerUsed: "offer-used"
        case .inGracePeriod: "in-grace-period"
        case .subscribed: "subscribed"
        case .refunded: "refunded"
        case .uncataloguedHistory: "uncatalogued-history"
        case .neverSubscribed: "never-subscribed"
        case .lapsed: "lapsed"
        case .currentOrLapsedSubscriber: "current-or-lapsed-subscriber"
        case .inBillingRetry: "in-billing-retry"
        case .autoRenewOn: "auto-renew-on"
        case .autoRenewUnknown: "auto-renew-unknown"
        case .criteria: "criteria"
        }
    }
}

/// A set of rules in two bytes: every verdict carries one.
struct RuleSet: Hashable, Sendable {
    private var bits: UInt16 = 0

    mutating func insert(_ rule: OfferRuleID) { bits |= 1 << UInt16(rule.rawValue) }

    func contains(_ rule: OfferRuleID) -> Bool { bits & 1 << UInt16(rule.rawValue) != 0 }
}
