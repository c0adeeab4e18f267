/// The next commitment of a monthly billed subscription (`commitmentInfo` of renewal information, App Store
/// Server API 1.21). A member of another type than Apple documents is nil; the signed JSON contains it.
public struct RenewalCommitmentInfo: Hashable, Sendable {
    /// `commitmentAutoRenewProductId`: the product of the next commitment.
    public let commitmentAutoRenewProductID: String?
    /// `commitmentAutoRenewStatus`: 1 if the commitment renews, 0 if it does not.
    public let commitmentAutoRenewStatus: Int64?
    /// `commitmentRenewalBillingPlanType`: the billing plan of the next commitment.
    public let commitmentRenewalBillingPlanType: String?
    /// `commitmentRenewalDate`: the start of the next commitment.
    public let commitmentRenewalDate: Timestamp?
    /// `commitmentRenewalPrice` in thousandths of the renewal information's currency.
    public let commitmentRenewalPrice: Int64?

    init(_ members: NestedMembers) {
        commitmentAutoRenewProductID = members.text("commitmentAutoRenewProductId")
        commitmentAutoRenewStatus = members.integer("commitmentAutoRenewStatus")
        commitmentRenewalBillingPlanType = members.text("commitmentRenewalBillingPlanType")
        commitmentRenewalDate = members.date("commitmentRenewalDate")
        commitmentRenewalPrice = members.integer("commitmentRenewalPrice")
    }
}
