/// The contents of a catalog. They never change.
final class CatalogContents: Sendable {
    /// The groups and products. For a scoped catalog, only the products of every app.
    let listed: CatalogBuilder
    /// Whether every product is a subscription of the only group, which has no name.
    let isSingleGroup: Bool
    let productIDs: [String]
    /// The catalogs of the apps, or nil if the catalog is not scoped.
    let scopes: [CatalogScope]?
    let scopeTable: IdentifierTable

    init(_ listed: CatalogBuilder = CatalogBuilder(), isSingleGroup: Bool = false) {
        (scopes, scopeTable) = (nil, IdentifierTable())
        productIDs = listed.products.map(\.id)
        (self.listed, self.isSingleGroup) = (listed, isSingleGroup)
    }

    /// Creates the contents of a scoped catalog.
    ///
    /// - Parameter scopes: The catalogs of the apps, in the order of `scopeTable`, which contains the apps.
    init(_ scopes: [CatalogScope], _ scopeTable: IdentifierTable) {
        (self.scopes, self.scopeTable, isSingleGroup) = (scopes, scopeTable, false)
        listed = CatalogBuilder(products: scopes.flatMap(\.catalog.products))
        var table = IdentifierTable()
        productIDs = listed.products.map(\.id).filter { table.append($0) }
    }
}
