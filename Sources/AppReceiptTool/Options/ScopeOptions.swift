import AppReceipt
import ArgumentParser
import ReceiptAudit
import ReceiptCommands
import ReceiptExamination

/// The options that select evidence of an audit's database.
struct ScopeOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Count only this environment; the default is production.", valueName: "environment"))
    var environment: ExpectedEnvironment = .production

    @Option(
        help: ArgumentHelp(
            """
            Count only evidence under this kind of trust anchor; the default is Apple's roots, or the audit's own root if it does \
            not trust Apple's. (values: app_store, custom, storekit_test)
            """, valueName: "kind"), transform: kind)
    var trustAnchor: TrustAnchorKind?

    @Option(
        name: .customLong("bundle-id"),
        help: ArgumentHelp("Count only this app; the default is all apps.", valueName: "bundle-id"))
    var app: String?

    func validate() throws {
        if app == "" { throw ValidationError("--bundle-id: empty") }
    }

    private static func kind(_ text: String) throws -> TrustAnchorKind {
        guard let kind = TrustAnchorKind(rawValue: text) else {
            let names = TrustAnchorKind.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("'\(text)' is not one of \(names)")
        }
        return kind
    }

    var scope: QuestionScope {
        var scope = QuestionScope()
        scope.environment =
            environment == .any
            ? QuestionScope.anyEnvironment
            : ReceiptEnvironment.allCases.first { $0.rawValue.lowercased() == environment.rawValue }?.rawValue
                ?? environment.rawValue
        (scope.trustAnchorKind, scope.app) = (trustAnchor, app)
        return scope
    }

    /// Reports the genuine records that these options leave out on standard error.
    func reportUncounted(in database: QuestionDatabase) throws {
        for (realm, environment, records) in try database.uncounted(scope) {
            let place =
                realm.map { "under other roots (--trust-anchor \($0.rawValue))" }
                ?? "\(environment.map { "of \($0)" } ?? "without an environment") (--environment any)"
            let counted = "\(records) genuine record\(records == 1 ? "" : "s")"
            StandardError.writeLine("not counted: \(counted) \(place)")
        }
        let forgotten = try database.forgotten()
        if forgotten > 0 {
            StandardError.writeLine("not counted: \(forgotten) forgotten record\(forgotten == 1 ? "" : "s")")
        }
    }
}
