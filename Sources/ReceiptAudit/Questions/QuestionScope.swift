public import AppReceipt

/// The kind of trust anchor, environment, app and dates that a question is asked for.
public struct QuestionScope: Sendable {
    /// The value of ``environment`` for all environments.
    public static let anyEnvironment = "any"

    /// The kind of trust anchor whose evidence counts, or nil for Apple's roots if the audit trusts them.
    public var trustAnchorKind: TrustAnchorKind?
    /// Production by default, because purchases in test environments cost nothing.
    public var environment = "Production"
    /// The bundle ID of the app, or nil for all apps.
    public var app: String?
    /// The date of a question about one date, or nil for the audit's as-of date.
    public var on: Timestamp?
    /// The first instant that counts.
    public var from: Timestamp?
    /// The first instant that no longer counts.
    public var to: Timestamp?

    public init() {}

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
}
