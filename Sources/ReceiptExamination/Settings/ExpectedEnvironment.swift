package import AppReceipt

/// An allowed environment, by its name in options, settings and queries.
package enum ExpectedEnvironment: String, Sendable, CaseIterable {
    case production, sandbox, xcode, any

    fileprivate var environments: VerificationPolicy.Environments {
        switch self {
        case .production: .production
        case .sandbox: .sandbox
        case .xcode: .xcode
        case .any: .anyEnvironment
        }
    }
}

extension VerificationPolicy.Environments {
    /// Creates a set of environments. Returns nil if `any` is combined with others, because these would have
    /// no effect.
    package init?(_ expected: [ExpectedEnvironment]) {
        guard Set(expected).count <= 1 || !expected.contains(.any) else { return nil }
        self = expected.reduce(into: []) { $0.formUnion($1.environments) }
    }
}

extension VerificationPolicy {
    /// The word that allows any app. The same word allows any environment.
    package static let anyWord = ExpectedEnvironment.any.rawValue

    /// Creates the set of allowed apps from bundle IDs, or from the word `any`. Returns nil if `any`
    /// is combined with others.
    package init?(bundleIDs: [String], _ environments: Environments) {
        guard bundleIDs.contains(Self.anyWord) else {
            self = .apps(bundleIDs, environments)
            return
        }
        guard bundleIDs.allSatisfy({ $0 == Self.anyWord }) else { return nil }
        self = .anyApp(environments)
    }
}
