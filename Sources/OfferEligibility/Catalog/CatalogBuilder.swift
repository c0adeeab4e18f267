/// A builder that collects the groups and products of a catalog.
struct CatalogBuilder: Sendable {
    private(set) var products: [SubscriptionProduct] = []
    private(set) var groups: [String] = []
    private(set) var table = IdentifierTable()
    private(set) var groupTable = IdentifierTable()
    /// The index in `groups` of each product's group.
    private(set) var groupOfProduct: [Int] = []

    var catalog: SubscriptionCatalog { SubscriptionCatalog(CatalogContents(self)) }

    /// Adds a group. Returns false if there is already a group with that name.
    mutating func addGroup(_ name: String) -> Bool {
        guard groupTable.append(name) else { return false }
        groups.append(name)
        return true
    }

    /// Adds a product to the group that was added last. Returns false if any group already contains it.
    mutating func add(_ product: SubscriptionProduct) -> Bool {
        guard table.append(product.id) else { return false }
        products.append(product)
        groupOfProduct.append(groups.count - 1)
        return true
    }
}
