package import AppReceipt

/// An allowed environment as options, settings and queries name it.
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
    /// Creates the set of several environments, or nil if `any` is combined with others, which would have no
    /// effect.
    package init?(_ expected: [ExpectedEnvironment]) {
        guard Set(expected).count <= 1 || !expected.contains(.any) else { return nil }
        self = expected.reduce(into: []) { $0.formUnion($1.environments) }
    }
}

extension VerificationPolicy {
    /// The word for any app, which is the same as for any environment.
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
