/// What was bought: attribute 1707.
public enum InAppProductType: Hashable, Sendable {
    case nonConsumable
    case consumable
    case nonRenewingSubscription
    case autoRenewableSubscription
    case freeSubscription
    /// A number that no published receipt explains.
    case unknown(UInt32)
    /// A text in a signed transaction that Apple does not document: ``VerifiedTransaction/type`` has it.
    case undocumented

    init(_ number: UInt32) {
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
