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

/// The catalog of one app.
typealias CatalogScope = (app: String, catalog: SubscriptionCatalog)

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

/// A subscription in a catalog.
public struct SubscriptionProduct: Hashable, Sendable {
    /// The product identifier.
    public internal(set) var id: String
    /// The subscription group.
    public internal(set) var group: String
    /// The level of service, where 1 is the highest. Nil if the catalog does not state it.
    public var rank: Int?
    /// Whether an introductory offer is configured, or nil if the catalog does not state it.
    public var hasIntroductoryOffer: Bool?
    /// Whether a promotional offer is configured, or nil if the catalog does not state it.
    public var hasPromotionalOffer: Bool?
    /// The win-back offers, or nil if the catalog does not state them.
    public var winBackOffers: [WinBackOffer]?

    /// Creates a product with no known facts except its group.
    public init(id: String, group: String) {
        self.id = id
        self.group = group
    }
}

/// A win-back offer with its criteria, named as in the App Store Connect API. A nil criterion requires
/// nothing.
public struct WinBackOffer: Hashable, Sendable {
    /// The promotional offer identifier in a redemption.
    public var offerID: String?
    /// The minimum number of paid months in the group: `customerEligibilityPaidSubscriptionDurationInMonths`.
    public var paidMonths: Int?
    /// The minimum number of months since the lapse: `minimum` in
    /// `customerEligibilityTimeSinceLastSubscribedInMonths`.
    public var minimumMonthsSinceLapse: Int?
    /// The maximum number of months since the lapse: `maximum` in
    /// `customerEligibilityTimeSinceLastSubscribedInMonths`.
    public var maximumMonthsSinceLapse: Int?
    /// The minimum number of months since the last redemption of this offer ended:
    /// `customerEligibilityWaitBetweenOffersInMonths`.
    public var waitMonths: Int?

    /// Creates an offer without criteria.
    public init(offerID: String? = nil) { self.offerID = offerID }
}
