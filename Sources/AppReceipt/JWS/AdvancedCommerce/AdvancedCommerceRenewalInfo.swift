/// The next period of a subscription of the Advanced Commerce API (`advancedCommerceInfo` of renewal
/// information, App Store Server API 1.21). A member of another type than Apple documents is nil; the signed
/// JSON contains it.
public struct AdvancedCommerceRenewalInfo: Hashable, Sendable {
    /// `consistencyToken`: the token for requests that change the subscription.
    public let consistencyToken: String?
    /// `descriptors`: the name and description of the subscription.
    public let descriptors: AdvancedCommerceDescriptors?
    /// `items`: the items of the next period.
    public let items: [AdvancedCommerceRenewalItem]?
    /// `period`: the duration of the subscription, ISO 8601.
    public let period: String?
    /// `requestReferenceId`: the server's identifier of its request.
    public let requestReferenceID: String?
    /// `taxCode`: the tax category.
    public let taxCode: String?

    init(_ members: NestedMembers) {
        consistencyToken = members.text("consistencyToken")
        descriptors = members.object("descriptors").map(AdvancedCommerceDescriptors.init)
        items = members.objects("items")?.map(AdvancedCommerceRenewalItem.init)
        period = members.text("period")
        requestReferenceID = members.text("requestReferenceId")
        taxCode = members.text("taxCode")
    }
}
