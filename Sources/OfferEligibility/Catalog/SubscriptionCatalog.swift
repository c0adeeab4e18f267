/// The subscription groups, their products, and the offers that are configured for them.
///
/// A receipt does not name the group of a subscription, so the rules need a catalog. It is the StoreKit
/// configuration file that Xcode writes, plain JSON `{"groups": {"<group>": ["<product>", …]}}`, or
/// ``singleGroup``.
///
/// A scoped catalog, `{"apps": {"<bundle id>": {…}}}`, contains one of these for each app. A product is
/// evaluated only for the customers of its app.
///
/// Other members of the file, such as private keys, are skipped and never stored.
public struct SubscriptionCatalog: Sendable {
    /// The contents as one reference, so that copying the catalog retains one object instead of five.
    private let contents: CatalogContents

    /// The subscriptions in the order of the file. For a scoped catalog, those of every app.
    public var products: [SubscriptionProduct] { contents.listed.products }

    /// The product identifiers in the order of the file, without duplicates.
    public var productIDs: [String] { contents.productIDs }

    /// The bundle identifiers of a scoped catalog in the order of the file, or nil if the catalog is not
    /// scoped.
    public var apps: [String]? { contents.scopes.map { $0.map(\.app) } }

    /// The maximum number of products that a customer can have verdicts on.
    package var mostProducts: Int {
        contents.scopes.map { $0.map(\.catalog.products.count).max() ?? 0 } ?? products.count
    }

    /// Returns the catalog for customers of `app`.
    ///
    /// This is the catalog itself if it is not scoped, and nil if a scoped catalog does not list the app.
    /// Bundle identifiers are compared byte for byte. Evidence without one belongs to no listed app.
    public func scope(of app: @autoclosure () -> String?) -> SubscriptionCatalog? {
        guard let scopes = contents.scopes else { return self }
        return app().flatMap { contents.scopeTable.index(of: $0) }.map { scopes[$0].catalog }
    }

    /// The groups in the order of the file, including empty ones. Empty for a scoped catalog, whose apps have
    /// their own groups.
    public var groups: [String] { contents.listed.groups }

    /// A catalog for apps with one group. The group contains every subscription.
    public static let singleGroup = SubscriptionCatalog(CatalogContents(isSingleGroup: true))

    /// A catalog without products, for evidence that names its groups itself, such as signed transactions.
    public static let empty = SubscriptionCatalog(CatalogContents())

    /// Whether every product belongs to the only group, which has no name.
    var isSingleGroup: Bool { contents.isSingleGroup }

    init(_ contents: CatalogContents) { self.contents = contents }

    /// Returns the product with an identifier, compared byte for byte, or nil if no group lists it.
    public func product(_ id: String) -> SubscriptionProduct? {
        contents.listed.table.index(of: id).map { products[$0] }
    }

    /// The position of a product in the catalog.
    struct Place: Sendable {
        /// The index in ``groups``, or 0 for every product of ``singleGroup``.
        let group: Int
        /// The index in ``products``, or nil for ``singleGroup``.
        let product: Int?
    }

    /// Returns the position of a product, or nil if no group lists it.
    func place(of product: String) -> Place? {
        var product = product
        return product.withUTF8 { unsafe place(of: $0.span) }
    }

    /// Returns the index in ``groups`` of the group with a name, or nil if there is none.
    func group(named name: Span<UInt8>) -> Int? { contents.listed.groupTable.index(of: name) }

    func place(of product: Span<UInt8>) -> Place? {
        if contents.isSingleGroup { return Place(group: 0, product: nil) }
        guard let index = contents.listed.table.index(of: product) else { return nil }
        return Place(group: contents.listed.groupOfProduct[index], product: index)
    }
}

/// The catalog of one app.
typealias CatalogScope = (app: String, catalog: SubscriptionCatalog)
