import StrictJSON

/// A signed transaction of StoreKit 2 or the App Store Server API (JWSTransaction).
///
/// Properties that receipts also have use the same names as in ``InAppPurchase``. The others use Apple's
/// names.
public struct VerifiedTransaction: VerifiedJWS {
    /// The signed payload with its chain.
    public let signed: SignedPayload

    /// `subscriptionGroupIdentifier`.
    public var subscriptionGroupIdentifier: String? { members.text("subscriptionGroupIdentifier") }

    /// `webOrderLineItemId`; "0" in StoreKit Test.
    public var webOrderLineItemID: String? { members.text("webOrderLineItemId") }

    /// `type`, unchanged. ``productType`` has the same value if it is a documented one.
    public var type: String? { members.text("type") }

    /// `inAppOwnershipType`: PURCHASED, or FAMILY_SHARED if a family member bought it.
    public var inAppOwnershipType: String? { members.text("inAppOwnershipType") }

    /// `isUpgraded`: whether an upgrade replaced it.
    public var isUpgraded: Bool? { members.flag("isUpgraded") }

    /// `transactionReason`: PURCHASE or RENEWAL.
    public var transactionReason: String? { members.text("transactionReason") }

    /// `offerType`: 1 introductory, 2 promotional, 3 offer code, 4 win-back.
    public var offerType: Int64? { members.integer("offerType") }

    /// `offerIdentifier` of an offer of type 2, 3 or 4.
    public var offerIdentifier: String? { members.text("offerIdentifier") }

    /// `offerDiscountType`: FREE_TRIAL, PAY_AS_YOU_GO, PAY_UP_FRONT, ONE_TIME.
    public var offerDiscountType: String? { members.text("offerDiscountType") }

    /// `offerPeriod`: the duration of the offer, ISO 8601.
    public var offerPeriod: String? { members.text("offerPeriod") }

    /// `billingPlanType`: BILLED_UPFRONT, MONTHLY.
    public var billingPlanType: String? { members.text("billingPlanType") }

    /// `commitmentInfo`: the commitment of a monthly billed subscription.
    public var commitmentInfo: TransactionCommitmentInfo? {
        signed.members(of: "commitmentInfo").map(TransactionCommitmentInfo.init)
    }

    /// `advancedCommerceInfo`: items, taxes and descriptions of a purchase with the Advanced Commerce API.
    public var advancedCommerceInfo: AdvancedCommerceTransactionInfo? {
        signed.members(of: "advancedCommerceInfo").map(AdvancedCommerceTransactionInfo.init)
    }

    /// `storefront`: ISO 3166-1 alpha-3.
    public var storefront: String? { members.text("storefront") }

    /// `storefrontId`.
    public var storefrontID: String? { members.text("storefrontId") }

    /// `price` in thousandths of ``currency``.
    public var price: Int64? { members.integer("price") }

    /// `currency`: ISO 4217.
    public var currency: String? { members.text("currency") }

    /// `appAccountToken`: the UUID that the app assigned to the purchase.
    public var appAccountToken: String? { members.text("appAccountToken") }

    /// `appTransactionId`: unique for each Apple Account and app. Each family member has a different one.
    public var appTransactionID: String? { members.text("appTransactionId") }

    /// `previousOriginalTransactionId`: the first transaction of the subscription that this one replaced when the
    /// customer switched from or to a subscription bundle. Nil if the member is not a string.
    public var previousOriginalTransactionID: String? { members.text("previousOriginalTransactionId") }

    /// `revocationReason`: 1 if the customer named an issue with the app, else 0.
    public var revocationReason: Int64? { members.integer("revocationReason") }

    /// `revocationType`: REFUND_FULL, REFUND_PRORATED, FAMILY_REVOKE.
    public var revocationType: String? { members.text("revocationType") }

    /// `revocationPercentage`: the refunded or revoked share, in thousandths of a percent.
    public var revocationPercentage: Int64? { members.integer("revocationPercentage") }
}

extension VerifiedTransaction: AppStorePurchase {
    /// `quantity`.
    public var quantity: UInt32? { members.count("quantity") }
    /// `productId`.
    public var productID: String? { members.text("productId") }

    /// The product type from `type`. An undocumented value never maps to a known type.
    public var productType: InAppProductType? { type.map(InAppProductType.init(signed:)) }
    /// `transactionId`.
    public var transactionID: String? { members.text("transactionId") }
    /// `originalTransactionId`.
    public var originalTransactionID: String? { members.text("originalTransactionId") }
    /// `purchaseDate`.
    public var purchaseDate: Timestamp? { members.date("purchaseDate") }
    /// `originalPurchaseDate`.
    public var originalPurchaseDate: Timestamp? { members.date("originalPurchaseDate") }
    /// `expiresDate`.
    public var expiresDate: Timestamp? { members.date("expiresDate") }

    /// `revocationDate`.
    public var cancellationDate: Timestamp? { members.date("revocationDate") }

    /// `revocationReason`.
    public var cancellationReason: Int64? { revocationReason }

    /// Whether the purchase was an introductory offer with a free trial. Nil if the introductory offer has no
    /// discount type.
    public var isTrialPeriod: Bool? {
        guard offerType == Self.introductory else { return false }
        return offerDiscountType.map { $0.isExactly("FREE_TRIAL") }
    }

    /// Whether the purchase was an introductory offer that is not known to be a free trial.
    public var isInIntroOfferPeriod: Bool? {
        offerType == Self.introductory && offerDiscountType?.isExactly("FREE_TRIAL") != true
    }

    /// `offerIdentifier` of an offer of type 2.
    public var promotionalOfferIdentifier: String? { offerType == 2 ? offerIdentifier : nil }

    private static let introductory: Int64 = 1
}

extension InAppProductType {
    fileprivate init(signed type: String) {
        switch type.ifASCII {
        case "Non-Consumable": self = .nonConsumable
        case "Consumable": self = .consumable
        case "Non-Renewing Subscription": self = .nonRenewingSubscription
        case "Auto-Renewable Subscription": self = .autoRenewableSubscription
        default: self = .undocumented
        }
    }
}
