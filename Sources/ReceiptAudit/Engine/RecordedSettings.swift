package import AppReceipt
package import OfferEligibility
import ReceiptExamination

/// The settings of the run in a database, with which another run can ask the same question. They are claims
/// of the database, and the caller must show them to the user.
package struct RecordedSettings: Sendable {
    package let asOf: EligibilityInstant
    /// The settings as text, by name.
    package let named: [String: String]
    package let anchors: [AuditAnchor]
    /// The SHA-256 of the catalog file in hexadecimal, or nil if there was none.
    package let catalogDigest: String?

    /// The text of a setting, or nil if it was not set.
    package subscript(name: String) -> String? { named[name].flatMap { $0 == "any" ? nil : $0 } }

    /// Returns a setting that is a list of texts. The result is also empty if the run has no readable list.
    package func list(_ name: String) -> [String] {
        named[name].flatMap { try? StoredJSON.decode([String].self, $0) } ?? []
    }

    /// The date in question, or nil if it was a clock reading.
    package var asOfDay: Timestamp? { if case .date(let date) = asOf { date } else { nil } }

    /// A one-line summary for a person.
    package var summary: String {
        let policy = [
            "as-of", "bundle-id", "app-apple-id", "environment", "device-id", "cross-check", "refunds",
            "stale-evidence", "partial-evidence", "promotional-scope", "catalog",
        ]
        let defaults = AuditSettings(asOf: asOf).named
        let strictness =
            ([SHA1Signatures.setting, "crl", "distrust", "revocation"] + LimitSetting.all.map(\.name)).filter
        {
            named[$0] != defaults[$0]
        }
        // Settings for reading the sources are shown only if they were set.
        let readings = ["format", "delimiter"].filter { self[$0] != nil && self[$0] != "auto" }
        let lists = ["columns", "table", "keep", "where", "include", "exclude"].filter {
            list($0).contains { !$0.isEmpty }
        }
        return (policy + strictness + readings + lists).compactMap { name in
            named[name].map { "\(name) \($0)" }
        }
        .joined(separator: ", ")
    }
}
