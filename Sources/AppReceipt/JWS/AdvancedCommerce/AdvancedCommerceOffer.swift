/// The discount of an item of the Advanced Commerce API. A member of another type than Apple documents is
/// nil.
public struct AdvancedCommerceOffer: Hashable, Sendable {
    /// `period`: the duration of one period, ISO 8601.
    public let period: String?
    /// `periodCount`: the number of periods.
    public let periodCount: Int64?
    /// `price`: the price in thousandths of the currency.
    public let price: Int64?
    /// `reason`: ACQUISITION, WIN_BACK, RETENTION.
    public let reason: String?

    init(_ members: NestedMembers) {
        period = members.text("period")
        periodCount = members.integer("periodCount")
        price = members.integer("price")
        reason = members.text("reason")
    }
}
