/// A refund of an item of the Advanced Commerce API. A member of another type than Apple documents is nil here.
public struct AdvancedCommerceRefund: Hashable, Sendable {
    /// `refundAmount`: the amount in thousandths of the currency.
    public let refundAmount: Int64?
    /// `refundDate`: when it was refunded.
    public let refundDate: Timestamp?
    /// `refundReason`: the reason that the request gave.
    public let refundReason: String?
    /// `refundType`: FULL, PRORATED, CUSTOM.
    public let refundType: String?

    init(_ members: NestedMembers) {
        refundAmount = members.integer("refundAmount")
        refundDate = members.date("refundDate")
        refundReason = members.text("refundReason")
        refundType = members.text("refundType")
    }
}
