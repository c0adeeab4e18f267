import AppReceipt

extension VerifiedReceipt {
    /// Why the receipt proves less than one of the App Store's production; nil where the realm is Apple's.
    var realmReservation: String? {
        switch realm {
        case .appStore: nil
        case .storeKitTest: "StoreKit Test: proves nothing about the App Store"
        case .custom: "a root of your own: proves nothing about the App Store"
        }
    }

    /// The same of its environment; nil in production.
    var environmentReservation: String? {
        switch payload.environment {
        case .production: nil
        case .sandbox: "Sandbox: no money was paid"
        case .xcode: "Xcode: no money was paid"
        case nil: payload.receiptType.map { "unknown receipt type \"\($0)\"" } ?? "not named by the receipt"
        }
    }
}
