/// The texts of a subscription of the Advanced Commerce API. A member of another type than Apple documents is
/// nil.
public struct AdvancedCommerceDescriptors: Hashable, Sendable {
    /// `description`: the description for the customer.
    public let description: String?
    /// `displayName`: the name for the customer.
    public let displayName: String?

    init(_ members: NestedMembers) {
        description = members.text("description")
        displayName = members.text("displayName")
    }
}
