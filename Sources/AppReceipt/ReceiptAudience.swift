/// Whose receipts are asked for: those of an app and an environment, or in so many words anybody's.
///
/// Every verification names one. There is no default and no optional that means "no check", so that a setting that is
/// missing cannot let a receipt of somebody else's app pass, which may well hold products of the same names.
///
/// ```swift
/// let receipt = try verifier.verify(bytes, for: .app("com.example.app", .production))
/// ```
public struct ReceiptAudience: Hashable, Sendable {
    /// Where the purchases must have been made.
    public enum Environment: Hashable, Sendable {
        /// There and nowhere else. A receipt that names no environment, or one that is not known, is of none.
        case only(ReceiptEnvironment)
        /// Anywhere, also where the receipt does not say where: for auditors.
        case anyEnvironment

        /// In the App Store, with money.
        public static let production = Environment.only(.production)
        /// In the App Store's sandbox or in TestFlight, without money.
        public static let sandbox = Environment.only(.sandbox)
        /// In Xcode, under StoreKit Test.
        public static let xcode = Environment.only(.xcode)
    }

    /// Nil: of any app.
    package let bundleID: String?
    /// Nil: of any environment.
    package let environment: ReceiptEnvironment?

    /// Whether everything that is genuine is for it.
    var isAnyone: Bool { bundleID == nil && environment == nil }

    /// - Parameter bundleID: nil: of any app.
    init(_ bundleID: String?, _ environment: Environment) {
        self.bundleID = bundleID
        self.environment = if case .only(let environment) = environment { environment } else { nil }
    }

    /// The same of whatever app: for what names none.
    package var ofAnyApp: ReceiptAudience {
        ReceiptAudience(nil, environment.map(Environment.only) ?? .anyEnvironment)
    }

    /// Receipts of this app.
    /// - Parameters:
    ///   - bundleID: compared byte for byte. The empty one is nobody's: no receipt is without a bundle id.
    ///   - environment: where the purchases must have been made.
    public static func app(_ bundleID: String, _ environment: Environment) -> ReceiptAudience {
        ReceiptAudience(bundleID, environment)
    }

    /// Receipts of whatever app: for auditors.
    /// - Parameter environment: where the purchases must have been made.
    public static func anyApp(_ environment: Environment) -> ReceiptAudience {
        ReceiptAudience(nil, environment)
    }

    /// Receipts of whatever app and environment: for auditors, who look at both themselves.
    public static let anyApp = ReceiptAudience(nil, .anyEnvironment)
}
