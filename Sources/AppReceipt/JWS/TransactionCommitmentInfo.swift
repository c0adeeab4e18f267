/// The commitment of a monthly billed subscription (`commitmentInfo` of a transaction, App Store Server API
/// 1.21). A member of another type than Apple documents is nil; the signed JSON contains it.
public struct TransactionCommitmentInfo: Hashable, Sendable {
    /// `billingPeriodNumber`: the billing period that the transaction pays for.
    public let billingPeriodNumber: Int64?
    /// `totalBillingPeriods`: the number of billing periods of the commitment.
    public let totalBillingPeriods: Int64?
    /// `commitmentExpiresDate`: the end of the commitment.
    public let commitmentExpiresDate: Timestamp?
    /// `commitmentPrice` in thousandths of the transaction's currency.
    public let commitmentPrice: Int64?

    init(_ members: NestedMembers) {
        billingPeriodNumber = members.integer("billingPeriodNumber")
        totalBillingPeriods = members.integer("totalBillingPeriods")
        commitmentExpiresDate = members.date("commitmentExpiresDate")
        commitmentPrice = members.integer("commitmentPrice")
    }
}
