import AppReceipt
import OfferEligibility
import ReceiptJSON

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

extension ReceiptEnvironment {
    /// Why it proves less than production; nil there.
    var reservation: String? {
        switch self {
        case .production: nil
        case .sandbox: "Sandbox: no money was paid"
        case .xcode, .localTesting: "Xcode: no money was paid"
        }
    }
}

extension PurchaseHistory {
    /// Why the evidence proves less than that of the App Store's production; empty where it does not.
    var reservations: [String] {
        let place = environment.map(\.reservation) ?? "not named by the evidence"
        return [realm?.reservation, place.map { "environment: \($0)" }].compactMap(\.self)
    }
}

extension VerifiedReceipt {
    /// Why the receipt proves less than one of the App Store's production; nil where the realm is Apple's.
    var realmReservation: String? { realm.reservation }

    /// The same of its environment; nil in production.
    var environmentReservation: String? {
        if let environment = payload.environment { return environment.reservation }
        return payload.receiptType.map { "unknown receipt type \"\($0)\"" } ?? "not named by the receipt"
    }
}

extension CustomerEvidence {
    /// Why the evidence proves less than that of the App Store's production; empty where it does not.
    func reservations(_ history: PurchaseHistory) -> [String] {
        if objects.count == 1, case .receipt(let receipt) = objects[0] {
            return [
                receipt.realmReservation, receipt.environmentReservation.map { "environment: \($0)" },
            ].compactMap(\.self)
        }
        return history.reservations
    }
}
