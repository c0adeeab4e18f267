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
