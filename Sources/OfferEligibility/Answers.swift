/// The offers that the rules cover.
public enum OfferKind: String, Sendable, CaseIterable {
    /// A free trial or introductory price, for customers who never had an introductory offer in the
    /// subscription group.
    case introductory
    /// An offer to current and lapsed subscribers, signed by the app's server.
    case promotional
    /// An offer to lapsed subscribers, with criteria in App Store Connect.
    case winBack = "win_back"
}

/// The answer to whether a customer may get an offer.
public enum OfferOutcome: String, Sendable {
    /// The customer may get the offer.
    case eligible
    /// The customer may not get the offer.
    case ineligible
    /// The evidence is not sufficient. ``OfferVerdict/explanation`` states what is missing.
    case undetermined
}

/// The validity of an answer over time.
public enum OfferCertainty: String, Sendable {
    /// Nothing that happens after the receipt can change the answer.
    case proven
    /// The answer was true when the newest evidence, an app receipt or a JWS, was signed. If it depends on missing
    /// purchases, it was true when the newest evidence that lists all purchases was. Later purchases and renewals may
    /// change it.
    case asOfReceipt = "as_of_receipt"
    /// The answer was true when the caller's unsigned renewal information was saved.
    case asOfRenewalInformation = "as_of_renewal_info"
    /// The answer was true when the App Store signed the renewal information.
    case asOfSignedRenewalInformation = "as_of_signed_renewal_info"
}

/// A reservation about an answer.
public enum OfferCaveat: String, Sendable {
    /// The last period, or a shared one, may have renewed. Either it has ended since the receipt's creation, or no later
    /// signed evidence shows whether it renewed.
    case renewalPossible = "renewal-possible"
    /// No evidence lists all purchases: neither an app receipt nor a complete response of the App Store
    /// Server API. Or renewals in the group may be missing.
    case partialEvidence = "partial-evidence"
    /// Evidence of one date conflicts about a purchase in the group.
    case conflictingEvidence = "told-differently"
    /// The catalog and Apple's signed evidence differ on the group. Either the catalog lists a product in
    /// another group than Apple signed, or Apple combines or splits groups of the catalog.
    case groupDiffers = "group-differs"
    /// A family member shares a subscription of the group. It is not the customer's own purchase.
    case familyShared = "family-shared"
    /// A subscription of the group has an unknown ownership. It may be the customer's own.
    case unknownOwnership = "unknown-ownership"
    /// Some evidence was refused and left out.
    case evidenceRefused = "evidence-refused"
}

/// The names of the rules. The tables of several offers may contain the same rule.
public enum OfferRuleID: UInt8, Sendable, CaseIterable {
    /// The product is in no group.
    case unknownProduct
    /// The clock is wrong: its reading is earlier than the date of the evidence.
    case clockBeforeReceipt
    /// The customer used an introductory offer of the group, refunded or not.
    case offerUsed
    /// The renewal failed, and the grace period has not ended. Give access.
    case inGracePeriod
    /// A period of the group is running.
    case subscribed
    /// A purchase of the group was canceled, but not by a switch within the group.
    case refunded
    /// A subscription of the group has an unknown ownership.
    case unknownOwnership
    /// The group's history is uncertain. A subscription that no group lists, or a purchase of an unknown
    /// type, may belong to the group. Or a subscription of the group has an offer of an unknown type.
    case uncataloguedHistory
    /// No evidence lists purchases. App transactions and renewal information list none.
    case noPurchaseEvidence
    /// The customer bought nothing in the group.
    case neverSubscribed
    /// The customer subscribed before, never with an introductory offer, and no period is running.
    case lapsed
    /// The customer bought a subscription in the group, or in the app if the policy says so.
    case currentOrLapsedSubscriber
    /// The App Store still tries to charge the customer.
    case inBillingRetry
    /// The subscription lapsed, and the App Store states which win-back offers it grants.
    case appleOffers
    /// The period ended, and the subscription is set to renew.
    case autoRenewOn
    /// The period ended, and no renewal information states whether the subscription will renew.
    case autoRenewUnknown
    /// The subscription lapsed for good. The criteria of the product's win-back offers decide.
    case criteria

    /// The name in reports and JSON, such as `offer-used`.
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

/// A set of rules, stored in four bytes because every verdict contains one.
struct RuleSet: Hashable, Sendable {
    private var bits: UInt32 = 0

    mutating func insert(_ rule: OfferRuleID) { bits |= 1 << UInt32(rule.rawValue) }

    func contains(_ rule: OfferRuleID) -> Bool { bits & 1 << UInt32(rule.rawValue) != 0 }
}
