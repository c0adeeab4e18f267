package import AppReceipt

/// An environment that is accepted, in the words of options, settings and queries.
package enum EnvironmentDemand: String, Sendable, CaseIterable {
    case production, sandbox, xcode, any

    fileprivate var environments: ReceiptAudience.Environments {
        switch self {
        case .production: .production
        case .sandbox: .sandbox
        case .xcode: .xcode
        case .any: .anyEnvironment
        }
    }
}

extension ReceiptAudience.Environments {
    /// The environments of several words. Nil where `any` stands beside others: it would silently take their meaning away.
    package init?(_ demands: [EnvironmentDemand]) {
        guard Set(demands).count <= 1 || !demands.contains(.any) else { return nil }
        self = demands.reduce(into: []) { $0.formUnion($1.environments) }
    }
}

extension ReceiptAudience {
    /// The word that stands for any app, as it does for any environment.
    package static let anyWord = EnvironmentDemand.any.rawValue

    /// The apps of several bundle ids, or of the word `any`. Nil where `any` stands beside others.
    package init?(bundleIDs: [String], _ environments: Environments) {
        guard bundleIDs.contains(Self.anyWord) else {
            self = .apps(bundleIDs, environments)
            return
        }
        guard bundleIDs.allSatisfy({ $0 == Self.anyWord }) else { return nil }
        self = .anyApp(environments)
    }
}
