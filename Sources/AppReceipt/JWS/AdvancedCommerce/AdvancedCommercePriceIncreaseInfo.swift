/// The price increase of an item of the Advanced Commerce API. A member of another type than Apple documents
/// is nil.
public struct AdvancedCommercePriceIncreaseInfo: Hashable, Sendable {
    /// `dependentSKUs`: the items whose prices increase with this one.
    public let dependentSKUs: [String]?
    /// `price`: the new price in thousandths of the currency.
    public let price: Int64?
    /// `status`: SCHEDULED, PENDING, ACCEPTED.
    public let status: String?

    init(_ members: NestedMembers) {
        dependentSKUs = members.texts("dependentSKUs")
        price = members.integer("price")
        status = members.text("status")
    }
}
