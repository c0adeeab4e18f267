import AppReceipt

extension TrustRealm {
    /// Why it proves less than the App Store; nil where it is Apple's.
    var reservation: String? {
        switch self {
        case .appStore: nil
        case .storeKitTest: "StoreKit Test: proves nothing about the App Store"
        case .custom: "a root of your own: proves nothing about the App Store"
        }
    }
}

extension VerifiedReceipt {
    /// Why the receipt proves less than one of the App Store's production; nil where the realm is Apple's.
    var realmReservation: String? { realm.reservation }

    /// The same of its environment; nil in production.
    var environmentReservation: String? {
        switch payload.environment {
        case .production: nil
        case .sandbox: "Sandbox: no money was paid"
        case .xcode, .localTesting: "Xcode: no money was paid"
        case nil: payload.receiptType.map { "unknown receipt type \"\($0)\"" } ?? "not named by the receipt"
        }
    }
}
