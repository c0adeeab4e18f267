/// An item of ``AdvancedCommerceTransactionInfo``. A member of another type than Apple documents is nil.
public struct AdvancedCommerceTransactionItem: Hashable, Sendable {
    /// `SKU`: the server's identifier of the item.
    public let sku: String?
    /// `description`: the description for the customer.
    public let description: String?
    /// `displayName`: the name for the customer.
    public let displayName: String?
    /// `offer`: the discount.
    public let offer: AdvancedCommerceOffer?
    /// `price`: the price in thousandths of the transaction's currency.
    public let price: Int64?
    /// `refunds`: the refunds of the item.
    public let refunds: [AdvancedCommerceRefund]?
    /// `revocationDate`: the date of the item's revocation.
    public let revocationDate: Timestamp?

    init(_ members: NestedMembers) {
        sku = members.text("SKU")
        description = members.text("description")
        displayName = members.text("displayName")
        offer = members.object("offer").map(AdvancedCommerceOffer.init)
        price = members.integer("price")
        refunds = members.objects("refunds")?.map(AdvancedCommerceRefund.init)
        revocationDate = members.date("revocationDate")
    }
}
