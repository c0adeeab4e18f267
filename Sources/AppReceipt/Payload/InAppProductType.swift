/// What was bought: attribute 1707.
public enum InAppProductType: Hashable, Sendable {
    /// Number 0: bought once, for good.
    case nonConsumable
    /// Number 1: used up, and bought again.
    case consumable
    /// Number 2: a subscription for a fixed time, whose end the app keeps.
    case nonRenewingSubscription
    /// Number 3: a subscription that renews until it is cancelled.
    case autoRenewableSubscription
    /// Number 4: a free subscription of Newsstand's time.
    case freeSubscription
    /// A number that no published receipt explains.
    case unknown(UInt32)
    /// A text in a signed transaction that Apple does not document: ``VerifiedTransaction/type`` has it.
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
