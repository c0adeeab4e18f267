/// The three offers that have rules.
public enum OfferKind: String, Sendable, CaseIterable {
    /// For those who never had an introductory offer of the subscription group: a trial or a lower price.
    case introductory
    /// For current and lapsed subscribers, signed by the app's server.
    case promotional
    /// For those who let their subscription end, by criteria in App Store Connect.
    case winBack = "win_back"
}

/// The answer to "may this customer get this offer?".
public enum OfferOutcome: String, Sendable {
    /// The customer may get the offer.
    case eligible
    /// The customer may not get the offer.
    case ineligible
    /// The evidence does not decide; ``OfferVerdict/explanation`` says what is missing.
    case undetermined
}

/// How long an answer stands.
public enum OfferCertainty: String, Sendable {
    /// Nothing that happens after the receipt can change it.
    case proven
    /// True when the newest evidence was signed, be it a receipt or JWS; later purchases and renewals may change it.
    case asOfReceipt = "as_of_receipt"
    /// True when the renewal information was saved, as the caller has it.
    case asOfRenewalInformation = "as_of_renewal_info"
    /// True when the App Store signed the renewal information.
    case asOfSignedRenewalInformation = "as_of_signed_renewal_info"
}

/// A doubt that is attached to an answer.
public enum OfferCaveat: String, Sendable {
    /// The last period was running when the receipt was created and is over now, or nothing signed since shows what
    /// became of it: it may have renewed.
    case renewalPossible = "renewal-possible"
    /// No evidence lists all purchases: neither an app receipt nor a complete answer of the App Store Server API.
    case partialEvidence = "partial-evidence"
    /// Evidence of one date tells a purchase of the group differently.
    case toldDifferently = "told-differently"
    /// The catalog has a product of the group in another one than Apple signed, or Apple joins or splits groups of the catalog.
    case groupDiffers = "group-differs"
    /// A member of the family shares a subscription of the group, which is no purchase of the customer.
    case familyShared = "family-shared"
    /// The App Store names an ownership that no rule knows for a subscription of the group, which may be the customer's.
    case unknownOwnership = "unknown-ownership"
    /// Something that was to be evidence was refused and is left out.
    case evidenceRefused = "evidence-refused"
}

/// The rules by name. A rule may stand in the tables of several offers.
public enum OfferRuleID: UInt8, Sendable, CaseIterable {
    /// No group lists the product that was asked about.
    case unknownProduct
    /// The clock reads earlier than the evidence was made: it is wrong.
    case clockBeforeReceipt
    /// An introductory offer of the group was used, refunded or not.
    case offerUsed
    /// The renewal failed and the grace period still runs: give access.
    case inGracePeriod
    /// A period of the group is running.
    case subscribed
    /// A purchase of the group was cancelled, and not by a switch within it.
    case refunded
    /// The App Store names an ownership that no rule knows for a subscription of the group.
    case unknownOwnership
    /// A subscription was bought that no group lists, or something of an unknown type: it may have belonged to this one. Or a
    /// subscription of this one was bought under an offer of an unknown type.
    case uncataloguedHistory
    /// No evidence lists purchases: app transactions and renewal information list none.
    case noPurchaseEvidence
    /// Nothing was bought in the group.
    case neverSubscribed
    /// Subscribed once, never with an introductory offer, and no period runs.
    case lapsed
    /// Something was bought in the group, or in the app where the policy says so.
    case currentOrLapsedSubscriber
    /// The App Store still tries to charge the customer.
    case inBillingRetry
    /// Lapsed, and the App Store itself says which win-back offers it grants.
    case appleOffers
    /// The period ended, and the subscription is set to renew.
    case autoRenewOn
    /// The period ended, and no renewal information speaks of the group.
    case autoRenewUnknown
    /// Lapsed for good: the criteria of the product's win-back offers decide.
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
        case .unknownOwnership: "unknown-ownership"
        case .uncataloguedHistory: "uncatalogued-history"
        case .noPurchaseEvidence: "no-purchase-evidence"
        case .neverSubscribed: "never-subscribed"
        case .lapsed: "lapsed"
        case .currentOrLapsedSubscriber: "current-or-lapsed-subscriber"
        case .inBillingRetry: "in-billing-retry"
        case .appleOffers: "apple-offers"
        case .autoRenewOn: "auto-renew-on"
        case .autoRenewUnknown: "auto-renew-unknown"
        case .criteria: "criteria"
        }
    }
}

/// A set of rules in four bytes: every verdict carries one.
struct RuleSet: Hashable, Sendable {
    private var bits: UInt32 = 0

    mutating func insert(_ rule: OfferRuleID) { bits |= 1 << UInt32(rule.rawValue) }

    func contains(_ rule: OfferRuleID) -> Bool { bits & 1 << UInt32(rule.rawValue) != 0 }
}
