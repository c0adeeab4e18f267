/// Where the purchases of a receipt were made, in verifyReceipt's words.
public enum ReceiptEnvironment: String, Sendable, CaseIterable {
    /// The App Store.
    case production = "Production"
    /// The App Store's sandbox, and TestFlight: nobody paid.
    case sandbox = "Sandbox"
    /// StoreKit Test in Xcode: signed by whoever runs it.
    case xcode = "Xcode"
    /// StoreKit Test outside Xcode; only JWS name it.
    case localTesting = "LocalTesting"

    /// Nil for a receipt type that is not settled: an unknown type is never taken for production.
    public init?(receiptType: String) {
        switch receiptType {
        case "Production", "ProductionVPP": self = .production
        case "ProductionSandbox", "ProductionVPPSandbox": self = .sandbox
        case "Xcode": self = .xcode
        default: return nil
        }
    }
}
