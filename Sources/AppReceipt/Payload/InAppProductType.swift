/// The type of a product: attribute 1707.
public enum InAppProductType: Hashable, Sendable {
    /// Number 0: bought once and permanent.
    case nonConsumable
    /// Number 1: used up and can be bought again.
    case consumable
    /// Number 2: a subscription of a fixed duration, whose end the app has to track.
    case nonRenewingSubscription
    /// Number 3: a subscription that renews until it is canceled.
    case autoRenewableSubscription
    /// Number 4: a free subscription, from Newsstand.
    case freeSubscription
    /// A number whose meaning no published receipt shows.
    case unknown(UInt32)
    /// An undocumented text in a signed transaction, available as ``VerifiedTransaction/type``.
    case undocumented

    package init(_ number: UInt32) {
        switch number {
        case 0: self = .nonConsumable
        case 1: self = .consumable
        case 2: self = .nonRenewingSubscription
        case 3: self = .autoRenewableSubscription
        case 4: self = .freeSubscription
        default: self = .unknown(number)
        }
    }

    /// The name in the JSON contract, for example `auto_renewable_subscription` or `unknown_7`.
    public var name: String {
        switch self {
        case .nonConsumable: "non_consumable"
        case .consumable: "consumable"
        case .nonRenewingSubscription: "non_renewing_subscription"
        case .autoRenewableSubscription: "auto_renewable_subscription"
        case .freeSubscription: "free_subscription"
        case .unknown(let number): "unknown_\(number)"
        case .undocumented: "unknown"
        }
    }
}
