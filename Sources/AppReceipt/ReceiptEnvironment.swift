import StrictJSON

/// The environment of a receipt's purchases, with the names that verifyReceipt uses.
public enum ReceiptEnvironment: String, Sendable, CaseIterable {
    /// The App Store.
    case production = "Production"
    /// The App Store's sandbox and TestFlight, where customers do not pay.
    case sandbox = "Sandbox"
    /// StoreKit Test in Xcode, signed by the developer's own certificate.
    case xcode = "Xcode"
    /// StoreKit Test outside Xcode. Only JWS name it.
    case localTesting = "LocalTesting"

    /// Creates the environment of a receipt type. Returns nil for an unknown type, which never counts as
    /// production.
    public init?(receiptType: String) {
        switch receiptType.ifASCII {
        case "Production", "ProductionVPP": self = .production
        case "ProductionSandbox", "ProductionVPPSandbox": self = .sandbox
        case "Xcode": self = .xcode
        default: return nil
        }
    }
}
