package import AppReceipt

/// The environment that is demanded, in the words of options, settings and queries.
package enum EnvironmentDemand: String, Sendable, CaseIterable {
    case production, sandbox, xcode, any

    package var environment: ReceiptAudience.Environment {
        switch self {
        case .production: .production
        case .sandbox: .sandbox
        case .xcode: .xcode
        case .any: .anyEnvironment
        }
    }
}
