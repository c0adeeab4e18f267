/// Signed renewal information of a subscription (JWSRenewalInfo). It names no app.
public struct VerifiedRenewalInfo: VerifiedJWS {
    /// What was signed, with its chain.
    public let signed: SignedPayload

    init(_ signed: SignedPayload) { self.signed = signed }

    /// `originalTransactionId`: the subscription's first transaction.
    public var originalTransactionID: String? { members.text("originalTransactionId") }
    /// `productId`: what the current period is of.
    public var productID: String? { members.text("productId") }

    /// `autoRenewProductId`: what the next period is of.
    public var autoRenewProductID: String? { members.text("autoRenewProductId") }

    /// `autoRenewStatus`: 1 where the subscription will renew, 0 where it will not.
    public var autoRenewStatus: Int64? { members.integer("autoRenewStatus") }

    /// `expirationIntent`: why a subscription expired.
    public var expirationIntent: Int64? { members.integer("expirationIntent") }

    /// `priceIncreaseStatus`: 0 where the customer has yet to consent to a price increase, 1 where none is needed or it was
    /// given; nil where there is no increase.
    public var priceIncreaseStatus: Int64? { members.integer("priceIncreaseStatus") }

    /// `isInBillingRetryPeriod`: whether Apple still tries to renew an expired subscription.
    public var isInBillingRetryPeriod: Bool? { members.flag("isInBillingRetryPeriod") }
    /// `gracePeriodExpiresDate`: when the billing grace period ends.
    public var gracePeriodExpiresDate: Timestamp? { members.date("gracePeriodExpiresDate") }

    /// `renewalDate`: when the current period ends.
    public var renewalDate: Timestamp? { members.date("renewalDate") }

    /// `recentSubscriptionStartDate`: when the latest unbroken run of periods began.
    public var recentSubscriptionStartDate: Timestamp? { members.date("recentSubscriptionStartDate") }

    /// `offerType` of the next period.
    public var offerType: Int64? { members.integer("offerType") }
    /// `offerIdentifier` of the next period.
    public var offerIdentifier: String? { members.text("offerIdentifier") }

    /// `offerDiscountType` of the next period: FREE_TRIAL, PAY_AS_YOU_GO, PAY_UP_FRONT, ONE_TIME.
    public var offerDiscountType: String? { members.text("offerDiscountType") }
    /// `offerPeriod` of the next period's offer, ISO 8601.
    public var offerPeriod: String? { members.text("offerPeriod") }

    /// `appTransactionId`: one for each Apple Account and app; each member of a family has another.
    public var appTransactionID: String? { members.text("appTransactionId") }
    /// `appAccountToken`: the UUID that the app gave to the purchase.
    public var appAccountToken: String? { members.text("appAccountToken") }

    /// `renewalBillingPlanType` of the next period: BILLED_UPFRONT, MONTHLY.
    public var renewalBillingPlanType: String? { members.text("renewalBillingPlanType") }

    /// `commitmentInfo`: the next commitment of a monthly billed subscription.
    public var commitmentInfo: RenewalCommitmentInfo? {
        signed.members(of: "commitmentInfo").map(RenewalCommitmentInfo.init)
    }

    /// `advancedCommerceInfo`: items and tax code of the next period, of a subscription by the Advanced Commerce API.
    public var advancedCommerceInfo: AdvancedCommerceRenewalInfo? {
        signed.members(of: "advancedCommerceInfo").map(AdvancedCommerceRenewalInfo.init)
    }

    /// `renewalPrice` in thousandths of `currency`.
    public var renewalPrice: Int64? { members.integer("renewalPrice") }
    /// `currency`: ISO 4217.
    public var currency: String? { members.text("currency") }

    /// `eligibleWinBackOfferIds`, Apple's first choice first; nil where the member is absent.
    public var eligibleWinBackOfferIDs: [String]? {
        guard let member = members["eligibleWinBackOfferIds"] else { return nil }
        // Its elements were read when it was checked.
        return try? SignedMembers.texts(of: signed.json.span, in: member.range, path: "")
    }
}
