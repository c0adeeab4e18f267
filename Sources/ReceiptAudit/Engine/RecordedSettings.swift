public import AppReceipt
public import OfferEligibility
import ReceiptJSON

/// The settings of the run that a database holds: what another run needs to ask the same. They are claims of the
/// database, to be told to whoever relies on them.
public struct RecordedSettings: Sendable {
    public let asOf: EligibilityInstant
    /// By name, as text.
    public let named: [String: String]
    public let anchors: [AuditAnchor]
    /// SHA-256 of the catalogue's file, hexadecimal; nil where there was none.
    public let catalogDigest: String?

    /// A demand by its name; nil where the run made none.
    public subscript(name: String) -> String? { named[name].flatMap { $0 == "any" ? nil : $0 } }

    /// A setting that is a list of texts; empty also where the run holds none that can be read.
    public func list(_ name: String) -> [String] {
        named[name].flatMap { try? JSON.decode([String].self, $0) } ?? []
    }

    /// The day that was asked about; nil where that was a reading of the clock.
    public var asOfDay: Timestamp? { if case .date(let date) = asOf { date } else { nil } }

    /// In a line, for a person.
    public var summary: String {
        let demands = [
            "as-of", "bundle-id", "app-apple-id", "environment", "device-id", "cross-check", "refunds",
            "stale-evidence", "partial-evidence", "promotional-scope", "catalog",
        ]
        let defaults = AuditSettings(asOf: asOf).named
        let strictness = ([SHA1Signatures.setting] + LimitSetting.all.map(\.name)).filter {
            named[$0] != defaults[$0]
        }
        // Of how the sources were read, what was said.
        let readings = ["format", "delimiter"].filter { self[$0] != nil && self[$0] != "auto" }
        let lists = ["columns", "include", "exclude"].filter { list($0).contains { !$0.isEmpty } }
        return (demands + strictness + readings + lists).compactMap { name in
            named[name].map { "\(name) \($0)" }
        }
        .joined(separator: ", ")
    }
}
