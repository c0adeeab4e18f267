/// A purchase with the Advanced Commerce API (`advancedCommerceInfo` of a transaction, App Store Server API
/// 1.21). A member of another type than Apple documents is nil; the signed JSON contains it.
public struct AdvancedCommerceTransactionInfo: Hashable, Sendable {
    /// `descriptors`: the name and description of the subscription.
    public let descriptors: AdvancedCommerceDescriptors?
    /// `estimatedTax`: the estimated tax in thousandths of the transaction's currency.
    public let estimatedTax: Int64?
    /// `items`: the items bought.
    public let items: [AdvancedCommerceTransactionItem]?
    /// `period`: the duration of the subscription, ISO 8601.
    public let period: String?
    /// `requestReferenceId`: the server's identifier of its request.
    public let requestReferenceID: String?
    /// `taxCode`: the tax category.
    public let taxCode: String?
    /// `taxExclusivePrice`: the price without tax in thousandths of the transaction's currency.
    public let taxExclusivePrice: Int64?
    /// `taxRate`: the tax rate.
    public let taxRate: String?

    init(_ members: NestedMembers) {
        descriptors = members.object("descriptors").map(AdvancedCommerceDescriptors.init)
        estimatedTax = members.integer("estimatedTax")
        items = members.objects("items")?.map(AdvancedCommerceTransactionItem.init)
        period = members.text("period")
        requestReferenceID = members.text("requestReferenceId")
        taxCode = members.text("taxCode")
        taxExclusivePrice = members.integer("taxExclusivePrice")
        taxRate = members.text("taxRate")
    }
}
