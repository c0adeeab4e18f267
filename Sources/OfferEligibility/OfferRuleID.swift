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
