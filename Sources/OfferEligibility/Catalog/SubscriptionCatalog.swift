/// Which subscriptions belong to which group, and which offers are configured for them.
///
/// A receipt does not name the group of a subscription, so the rules need a catalogue: the StoreKit
/// configuration file that Xcode writes, plain JSON `{"groups": {"<group>": ["<product>", …]}}`, or
/// ``singleGroup``. A scoped catalog, `{"apps": {"<bundle id>": {…}}}`, holds one of these for each app, and a product is
/// asked of the customers of its app alone. Other members of the file, private keys among them, are skipped and never kept.
public struct SubscriptionCatalog: Sendable {
    /// One reference, so that handing the catalogue on counts one and not five.
    private let contents: CatalogContents

    /// The subscriptions in the file's order; of a scoped catalog those of every app.
    public var products: [SubscriptionProduct] { contents.products }

    /// The product identifiers in the file's order, each once.
    public var productIDs: [String] { contents.productIDs }

    /// The bundle identifiers of a scoped catalog in the file's order; nil where the catalog is not scoped.
    public var apps: [String]? { contents.scopes.map { $0.map(\.app) } }

    /// Returns the catalog that a customer of `app` is asked about: itself where it is not scoped, and nil where it is and
    /// lists no such app. Bundle identifiers are compared byte for byte; evidence without one is of no listed app.
    public func scope(of app: @autoclosure () -> String?) -> SubscriptionCatalog? {
        guard let scopes = contents.scopes else { return self }
        return app().flatMap { contents.scopeTable.index(of: $0) }.map { scopes[$0].catalog }
    }

    /// The groups in the file's order, empty ones included; none of a scoped catalog, whose apps have groups of their own.
    public var groups: [String] { contents.groups }

    /// For apps with one group and no catalogue at hand: every subscription, known or not, belongs to it.
    public static let singleGroup = SubscriptionCatalog(CatalogContents(isSingleGroup: true))

    /// For evidence that names its groups itself, as signed transactions do: lists nothing.
    public static let empty = SubscriptionCatalog(CatalogContents())

    /// Every product, known or not, is of the one group, which has no name.
    var isSingleGroup: Bool { contents.isSingleGroup }

    init(_ contents: CatalogContents) { self.contents = contents }

    /// The product of that identifier, compared byte for byte; nil where no group lists it.
    public func product(_ id: String) -> SubscriptionProduct? {
        contents.table.index(of: id).map { products[$0] }
    }

    /// Where a product stands.
    struct Place: Sendable {
        /// In ``groups``; 0 for every product of ``singleGroup``.
        let group: Int
        /// In ``products``; nil where the catalogue is ``singleGroup``.
        let product: Int?
    }

    /// Nil for a product that no group lists.
    func place(of product: String) -> Place? {
        var product = product
        return product.withUTF8 { unsafe place(of: $0.span) }
    }

    /// The place in ``groups`` of the group of that name; nil where there is none.
    func group(named name: Span<UInt8>) -> Int? { contents.groupTable.index(of: name) }

    func place(of product: Span<UInt8>) -> Place? {
        if contents.isSingleGroup { return Place(group: 0, product: nil) }
        guard let index = contents.table.index(of: product) else { return nil }
        return Place(group: contents.groupOfProduct[index], product: index)
    }
}

/// What a catalogue holds; never changed once it is made.
final class CatalogContents: Sendable {
    let products: [SubscriptionProduct]
    let groups: [String]
    let table: IdentifierTable
    let groupTable: IdentifierTable
    /// The place of each product's group in `groups`.
    let groupOfProduct: [Int]
    /// Every product is a subscription of the one group, which has no name.
    let isSingleGroup: Bool
    let productIDs: [String]
    /// The catalogs of the apps; nil where the catalog is not scoped.
    let scopes: [CatalogScope]?
    let scopeTable: IdentifierTable

    init(_ builder: CatalogBuilder = CatalogBuilder(), isSingleGroup: Bool = false) {
        (scopes, scopeTable) = (nil, IdentifierTable())
        productIDs = builder.products.map(\.id)
        products = builder.products
        groups = builder.groups
        table = builder.table
        groupTable = builder.groupTable
        groupOfProduct = builder.groupOfProduct
        self.isSingleGroup = isSingleGroup
    }

    /// - Parameter scopes: in the order of `scopeTable`, which holds their apps.
    init(_ scopes: [CatalogScope], _ scopeTable: IdentifierTable) {
        (self.scopes, self.scopeTable) = (scopes, scopeTable)
        products = scopes.flatMap(\.catalog.products)
        var table = IdentifierTable()
        productIDs = products.map(\.id).filter { table.append($0) }
        (groups, self.table, groupTable, groupOfProduct) = ([], IdentifierTable(), IdentifierTable(), [])
        isSingleGroup = false
    }
}

/// The catalog of one app.
struct CatalogScope: Sendable {
    let app: String
    let catalog: SubscriptionCatalog
}

/// Collects the groups and products of a catalogue.
struct CatalogBuilder {
    private(set) var products: [SubscriptionProduct] = []
    private(set) var groups: [String] = []
    private(set) var table = IdentifierTable()
    private(set) var groupTable = IdentifierTable()
    private(set) var groupOfProduct: [Int] = []

    var catalog: SubscriptionCatalog { SubscriptionCatalog(CatalogContents(self)) }

    /// False where a group of that name is there already.
    mutating func addGroup(_ name: String) -> Bool {
        guard groupTable.append(name) else { return false }
        groups.append(name)
        return true
    }

    /// Adds a product to the group that was added last; false where some group has it already.
    mutating func add(_ product: SubscriptionProduct) -> Bool {
        guard table.append(product.id) else { return false }
        products.append(product)
        groupOfProduct.append(groups.count - 1)
        return true
    }
}

/// A subscription of a catalogue.
public struct SubscriptionProduct: Hashable, Sendable {
    /// The product identifier.
    public internal(set) var id: String
    /// The subscription group.
    public internal(set) var group: String
    /// The level of service, 1 the highest; nil where the catalogue has no ranks.
    public var rank: Int?
    /// Whether an introductory offer is configured; nil where the catalogue's form can't say.
    public var hasIntroductoryOffer: Bool?
    /// Whether a promotional offer is configured; nil where the catalogue's form can't say.
    public var hasPromotionalOffer: Bool?
    /// The win-back offers; nil where the catalogue's form can't say.
    public var winBackOffers: [WinBackOffer]?

    /// A product of which nothing but its group is known.
    public init(id: String, group: String) {
        self.id = id
        self.group = group
    }
}

/// Whom a win-back offer is for, under the names of the App Store Connect API. What is nil demands nothing.
public struct WinBackOffer: Hashable, Sendable {
    /// What a redemption carries as its promotional offer identifier.
    public var offerID: String?
    /// `customerEligibilityPaidSubscriptionDurationInMonths`: at least so many paid months in the group.
    public var paidMonths: Int?
    /// `customerEligibilityTimeSinceLastSubscribedInMonths`, minimum: lapsed for at least so many months.
    public var minimumMonthsSinceLapse: Int?
    /// `customerEligibilityTimeSinceLastSubscribedInMonths`, maximum: lapsed for at most so many months.
    public var maximumMonthsSinceLapse: Int?
    /// `customerEligibilityWaitBetweenOffersInMonths`: since the end of the last redemption of this offer.
    public var waitMonths: Int?

    /// An offer without criteria, to be filled in.
    public init(offerID: String? = nil) { self.offerID = offerID }
}
