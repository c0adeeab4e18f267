public import AppReceipt
public import OfferEligibility
public import ReceiptJSON

/// All that the answers of an audit depend on beside its sources.
public struct AuditSettings: Sendable {
    public var anchors: [AuditAnchor] = []
    /// SHA-256 of the catalogue's file, hexadecimal; nil where there is none.
    public var catalogDigest: String?
    public var asOf: EligibilityInstant
    public var demands = Demands(.anyApp)
    public var isCrossChecking = false
    public var limits = ReceiptLimits()
    public var sha1Signatures = SHA1Signatures.untilAppleStopped
    public var policies = OfferPolicies()
    public var columns = ColumnNames()
    public var format = SourceFormat.auto
    /// Between the fields of CSV; nil: what the first line holds most of.
    public var delimiter: UInt8?
    public var filter = PathFilter()

    public init(asOf: EligibilityInstant) { self.asOf = asOf }

    /// By name and as text, for the run's row and for the message that names a difference.
    var named: [String: String] {
        let limits = limits.named.map { ($0.setting.name, "\($0.value)") }
        return [
            SHA1Signatures.setting: sha1Signatures.rawValue,
            "anchors": anchors.map(\.sha256).joined(separator: ","),
            "catalog": catalogDigest ?? "none",
            "as-of": asOf.timestamp.rfc3339 + (isClock ? " (clock)" : ""),
            "bundle-id": demands.audience.bundleIDs.map { list($0) } ?? "any",
            "app-apple-id": demands.audience.appAppleIDs.map { list($0.map { "\($0)" }) } ?? "any",
            "environment": demands.audience.environments.named.map { list($0.map(\.rawValue)) } ?? "any",
            "device-id": demands.deviceID.map(hexadecimal) ?? "any",
            "cross-check": isCrossChecking ? "yes" : "no",
            "refunds": policies.refunds.rawValue,
            "stale-evidence": policies.staleEvidence.rawValue,
            "partial-evidence": policies.partialEvidence.rawValue,
            "promotional-scope": policies.promotionalScope.rawValue,
            "columns": list([columns.id, columns.receipt, columns.subject].map { $0 ?? "" }),
            "format": format.rawValue,
            "delimiter": delimiter.map { "\($0)" } ?? "any",
            "include": list(filter.include),
            "exclude": list(filter.exclude),
        ].merging(limits) { first, _ in first }
    }

    var isClock: Bool { if case .clock = asOf { true } else { false } }
}

/// Texts as a JSON array: joined in any other way, two lists could look alike.
func list(_ texts: [String]) -> String {
    var json = JSONWriter()
    let items = texts.map { String(decoding: json.text(of: $0), as: UTF8.self) }
    return "[\(items.joined(separator: ","))]"
}
