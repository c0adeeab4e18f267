/// Signed renewal information of a subscription (JWSRenewalInfo). It names no app.
public struct VerifiedRenewalInfo: VerifiedJWS {
    /// The signed payload with its chain.
    public let signed: SignedPayload

    /// `originalTransactionId`: the subscription's first transaction.
    public var originalTransactionID: String? { members.text("originalTransactionId") }
    /// `productId`: the product of the current period.
    public var productID: String? { members.text("productId") }

    /// `autoRenewProductId`: the product of the next period.
    public var autoRenewProductID: String? { members.text("autoRenewProductId") }

    /// `autoRenewStatus`: 1 if the subscription will renew, 0 if it will not.
    public var autoRenewStatus: Int64? { members.integer("autoRenewStatus") }

    /// `expirationIntent`: the reason why the subscription expired.
    public var expirationIntent: Int64? { members.integer("expirationIntent") }

    /// `priceIncreaseStatus`: 0 if the customer has not consented to a price increase yet, 1 if consent was
    /// given or is not necessary. Nil if there is no increase.
    public var priceIncreaseStatus: Int64? { members.integer("priceIncreaseStatus") }

    /// `isInBillingRetryPeriod`: whether Apple still tries to renew an expired subscription.
    public var isInBillingRetryPeriod: Bool? { members.flag("isInBillingRetryPeriod") }
    /// `gracePeriodExpiresDate`: the end of the billing grace period.
    public var gracePeriodExpiresDate: Timestamp? { members.date("gracePeriodExpiresDate") }

    /// `renewalDate`: the end of the current period.
    public var renewalDate: Timestamp? { members.date("renewalDate") }

    /// `recentSubscriptionStartDate`: the start of the latest uninterrupted series of periods.
    public var recentSubscriptionStartDate: Timestamp? { members.date("recentSubscriptionStartDate") }

    /// `offerType` of the next period.
    public var offerType: Int64? { members.integer("offerType") }
    /// `offerIdentifier` of the next period.
    public var offerIdentifier: String? { members.text("offerIdentifier") }

    /// `offerDiscountType` of the next period: FREE_TRIAL, PAY_AS_YOU_GO, PAY_UP_FRONT, ONE_TIME.
    public var offerDiscountType: String? { members.text("offerDiscountType") }
    /// `offerPeriod` of the next period's offer, ISO 8601.
    public var offerPeriod: String? { members.text("offerPeriod") }

    /// `appTransactionId`: unique for each Apple Account and app. Each family member has a different one.
    public var appTransactionID: String? { members.text("appTransactionId") }
    /// `appAccountToken`: the UUID that the app assigned to the purchase.
    public var appAccountToken: String? { members.text("appAccountToken") }

    /// `renewalBillingPlanType` of the next period: BILLED_UPFRONT, MONTHLY.
    public var renewalBillingPlanType: String? { members.text("renewalBillingPlanType") }

    /// `commitmentInfo`: the next commitment of a monthly billed subscription.
    public var commitmentInfo: RenewalCommitmentInfo? {
        signed.members(of: "commitmentInfo").map(RenewalCommitmentInfo.init)
    }

    /// `advancedCommerceInfo`: the items and the tax code of the next period, for a subscription of the
    /// Advanced Commerce API.
    public var advancedCommerceInfo: AdvancedCommerceRenewalInfo? {
        signed.members(of: "advancedCommerceInfo").map(AdvancedCommerceRenewalInfo.init)
    }

    /// `renewalPrice` in thousandths of `currency`.
    public var renewalPrice: Int64? { members.integer("renewalPrice") }
    /// `currency`: ISO 4217.
    public var currency: String? { members.text("currency") }

    /// `eligibleWinBackOfferIds`, in Apple's order of preference. Nil if the member is absent.
    public var eligibleWinBackOfferIDs: [String]? {
        guard let member = members["eligibleWinBackOfferIds"] else { return nil }
        // Verification has already read the elements, so there is no error.
        return try? SignedMembers.texts(of: signed.json.span, in: member.range, path: "")
    }
}
