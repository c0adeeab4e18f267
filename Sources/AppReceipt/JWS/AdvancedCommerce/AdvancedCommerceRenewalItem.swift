/// An item of ``AdvancedCommerceRenewalInfo``. A member of another type than Apple documents is nil.
public struct AdvancedCommerceRenewalItem: Hashable, Sendable {
    /// `SKU`: the server's identifier of the item.
    public let sku: String?
    /// `description`: the description for the customer.
    public let description: String?
    /// `displayName`: the name for the customer.
    public let displayName: String?
    /// `offer`: the discount.
    public let offer: AdvancedCommerceOffer?
    /// `price`: the price in thousandths of the renewal information's currency.
    public let price: Int64?
    /// `priceIncreaseInfo`: the upcoming price increase.
    public let priceIncreaseInfo: AdvancedCommercePriceIncreaseInfo?

    init(_ members: NestedMembers) {
        sku = members.text("SKU")
        description = members.text("description")
        displayName = members.text("displayName")
        offer = members.object("offer").map(AdvancedCommerceOffer.init)
        price = members.integer("price")
        priceIncreaseInfo = members.object("priceIncreaseInfo").map(AdvancedCommercePriceIncreaseInfo.init)
    }
}
