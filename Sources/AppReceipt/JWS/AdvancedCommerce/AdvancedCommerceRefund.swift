/// A refund of an item of the Advanced Commerce API. A member of another type than Apple documents is nil.
public struct AdvancedCommerceRefund: Hashable, Sendable {
    /// `refundAmount`: the amount in thousandths of the currency.
    public let refundAmount: Int64?
    /// `refundDate`: the date of the refund.
    public let refundDate: Timestamp?
    /// `refundReason`: the reason in the request.
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
