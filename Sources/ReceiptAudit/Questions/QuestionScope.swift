package import AppReceipt
import SQLite

/// The kind of trust anchor, environment, app and dates that a question is asked for.
package struct QuestionScope: Sendable {
    /// The value of ``environment`` for all environments.
    package static let anyEnvironment = "any"

    /// The kind of trust anchor whose evidence counts, or nil for Apple's roots if the audit trusts them.
    package var trustAnchorKind: TrustAnchorKind?
    /// Production by default, because purchases in test environments cost nothing.
    package var environment = "Production"
    /// The bundle ID of the app, or nil for all apps.
    package var app: String?
    /// The date of a question about one date, or nil for the audit's as-of date.
    package var on: Timestamp?
    /// The first instant that counts.
    package var from: Timestamp?
    /// The first instant that no longer counts.
    package var to: Timestamp?

    package init() {}

    /// The parameters of the SQL.
    var parameters: [String: String] {
        func text(_ date: Timestamp?) -> String {
            date.map { ReportText.date($0.millisecondsSince1970) } ?? ""
        }
        return [
            ":realm": trustAnchorKind?.rawValue ?? "", ":environment": environment, ":app": app ?? "",
            ":on": text(on), ":from": text(from),
            ":to": text(to),
        ]
    }

    /// Returns the number of purchases in the scope whose owner this version does not know, regardless of the dates.
    func unknownOwners(_ database: Connection) throws -> Int {
        // Without the condition on the table, every audit would read all purchases once more.
        try database.prepare(
            """
            SELECT count(*) FROM purchases p, default_realm d
            WHERE EXISTS (SELECT 1 FROM transactions WHERE ownership_type NOT IN ('PURCHASED', 'FAMILY_SHARED'))
                AND is_bought IS NULL AND p.realm = coalesce(nullif(:realm, ''), d.realm)
                AND :environment IN (environment, 'any') AND :app IN (bundle_id, '')
            """
        ).bind(named: parameters).firstValue() ?? 0
    }
}
