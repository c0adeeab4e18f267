public import AppReceipt
public import OfferEligibility
import ReceiptJSON

/// The settings that the answers of an audit depend on, besides its sources.
public struct AuditSettings: Sendable {
    public var anchors: [AuditAnchor] = []
    /// The SHA-256 of the catalog file in hexadecimal, or nil if there is none.
    public var catalogDigest: String?
    public var asOf: EligibilityInstant
    public var policy = VerificationPolicy.any
    public var isCrossChecking = false
    public var limits = ReceiptLimits()
    public var sha1Signatures = SHA1Signatures.untilAppleStopped
    public var policies = OfferPolicies()
    public var columns = ColumnNames()
    public var format = SourceFormat.auto
    /// The delimiter between CSV fields, or nil for the most frequent candidate in the first line.
    public var delimiter: UInt8?
    public var filter = PathFilter()
    /// The tables to read from a database or an SQL dump. If empty, those with receipts.
    public var tables: [String] = []
    /// The columns to keep in the database and the tables. `all` means every column.
    public var keptColumns: [String] = []
    /// The values that select records. Values of one column are alternatives.
    public var conditions: [ColumnValue] = []

    /// A column and its value.
    public struct ColumnValue: Hashable, Sendable {
        public let column: String
        public let value: String

        public init(column: String, value: String) { (self.column, self.value) = (column, value) }

        /// Reads `COLUMN=VALUE`, or returns nil if it has no column or no equals sign.
        public init?(_ text: String) {
            guard let sign = text.firstIndex(of: "="), sign > text.startIndex else { return nil }
            (column, value) = (String(text[..<sign]), String(text[text.index(after: sign)...]))
        }

        public var text: String { "\(column)=\(value)" }
    }

    /// The fields that are needed besides the ID, the receipt and the subject.
    var kept: KeptFields {
        var kept = KeptFields()
        kept.isAll = keptColumns.contains("all")
        kept.names = kept.isAll ? [] : keptColumns.map { Array($0.utf8) }
        for condition in conditions {
            kept.conditions[Array(condition.column.utf8), default: []].insert(Array(condition.value.utf8))
        }
        return kept
    }

    public init(asOf: EligibilityInstant) { self.asOf = asOf }

    /// The settings as text by name, for the run's row and for messages about differences.
    var named: [String: String] {
        // Runs of earlier versions have no such setting.
        let tables = tables.isEmpty ? [:] : ["table": list(tables)]
        let limits = limits.named.map { ($0.setting.name, "\($0.value)") }
        return [
            SHA1Signatures.setting: sha1Signatures.rawValue,
            "anchors": anchors.map(\.sha256).joined(separator: ","),
            "catalog": catalogDigest ?? "none",
            "as-of": asOf.timestamp.rfc3339 + (isClock ? " (clock)" : ""),
            "bundle-id": policy.bundleIDs.map { list($0) } ?? "any",
            "app-apple-id": policy.appAppleIDs.map { list($0.map { "\($0)" }) } ?? "any",
            "environment": policy.environments.named.map { list($0.map(\.rawValue)) } ?? "any",
            "device-id": policy.deviceID.map(hexadecimal) ?? "any",
            "cross-check": isCrossChecking ? "yes" : "no",
            "refunds": policies.refunds.rawValue,
            "stale-evidence": policies.staleEvidence.rawValue,
            "partial-evidence": policies.partialEvidence.rawValue,
            "promotional-scope": policies.promotionalScope.rawValue,
            "columns": list([columns.id, columns.receipt, columns.subject].map { $0 ?? "" }),
            "format": format.rawValue,
            "delimiter": delimiter.map { "\($0)" } ?? "any",
            "keep": list(keptColumns),
            "where": list(conditions.map(\.text)),
            "include": list(filter.include),
            "exclude": list(filter.exclude),
        ].merging(limits) { first, _ in first }.merging(tables) { first, _ in first }
    }

    var isClock: Bool { if case .clock = asOf { true } else { false } }
}

/// Returns the texts as a JSON array. With any other separator, different lists could give equal text.
func list(_ texts: [String]) -> String {
    var json = JSONWriter()
    let items = texts.map { String(decoding: json.text(of: $0), as: UTF8.self) }
    return "[\(items.joined(separator: ","))]"
}
