import AppReceipt
import OfferEligibility
import ReceiptServices

extension TrustAnchorKind {
    /// The reason why this trust anchor kind proves less than the App Store's roots, or nil for those.
    var reservation: String? {
        switch self {
        case .appStore: nil
        case .storeKitTest: "StoreKit Test: proves nothing about the App Store"
        case .custom: "a root of your own: proves nothing about the App Store"
        }
    }
}

extension ReceiptEnvironment {
    /// The reason why this environment proves less than production, or nil for production.
    var reservation: String? {
        switch self {
        case .production: nil
        case .sandbox: "Sandbox: no money was paid"
        case .xcode, .localTesting: "Xcode: no money was paid"
        }
    }
}

extension VerifiedReceipt {
    /// The reason why the receipt's environment proves less than production, or nil for production.
    var environmentReservation: String? {
        if let environment = payload.environment { return environment.reservation }
        return payload.receiptType.map { "unknown receipt type \"\($0)\"" } ?? "not named by the receipt"
    }
}

extension CustomerEvidence {
    /// Returns the reasons why the evidence proves less than evidence from the App Store's production
    /// environment.
    func reservations(_ history: PurchaseHistory) -> [String] {
        var realm = history.realm
        var place = history.environment.map(\.reservation) ?? "not named by the evidence"
        if objects.count == 1, case .receipt(let receipt) = objects[0] {
            (realm, place) = (receipt.realm, receipt.environmentReservation)
        }
        return [realm?.reservation, place.map { "environment: \($0)" }].compactMap(\.self)
    }
}
