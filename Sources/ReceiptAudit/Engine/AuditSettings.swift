package import AppReceipt
package import OfferEligibility
package import ReceiptExamination
package import RecordSources
import StrictJSON

/// The settings that the answers of an audit depend on, besides its sources.
package struct AuditSettings: Sendable {
    package var anchors: [AuditAnchor] = []
    /// The SHA-256 of the catalog file in hexadecimal, or nil if there is none.
    package var catalogDigest: String?
    package var asOf: EligibilityInstant
    package var policy = VerificationPolicy.any
    package var isCrossChecking = false
    package var limits = ReceiptLimits()
    package var sha1Signatures = SHA1Signatures.untilAppleStopped
    package var policies = OfferPolicies()
    /// The revocation lists, the distrust list and the policy.
    package var revocation = RevocationFacts.none
    /// The settings for reading the sources.
    package var reading = SourceSettings()

    package init(asOf: EligibilityInstant) { self.asOf = asOf }

    /// The settings as text by name, for the run's row and for messages about differences.
    var named: [String: String] {
        // A typed variable: the compiler spends seconds on a literal inside a longer expression.
        var named: [String: String] = [
            SHA1Signatures.setting: sha1Signatures.rawValue,
            "anchors": anchors.map(\.sha256).joined(separator: ","),
            "catalog": catalogDigest ?? "none",
            "as-of": asOf.timestamp.rfc3339 + (isClock ? " (clock)" : ""),
            "bundle-id": policy.bundleIDs.map { list($0) } ?? "any",
            "app-apple-id": policy.appAppleIDs.map { list($0.map { "\($0)" }) } ?? "any",
            "environment": policy.environments.named.map { list($0.map(\.rawValue)) } ?? "any",
            "device-id": policy.deviceID.map(hexadecimal) ?? "any",
            "cross-check": isCrossChecking ? "yes" : "no",
            "crl": list(revocation.lists.map(\.sha256)),
            "distrust": revocation.distrust ?? "none",
            "revocation": revocation.policy.rawValue,
            "refunds": policies.refunds.rawValue,
            "stale-evidence": policies.staleEvidence.rawValue,
            "partial-evidence": policies.partialEvidence.rawValue,
            "promotional-scope": policies.promotionalScope.rawValue,
            "columns": list(
                [reading.columns.id, reading.columns.receipt, reading.columns.subject].map { $0 ?? "" }),
            "format": reading.format.rawValue,
            "delimiter": reading.delimiter.map { "\($0)" } ?? "any",
            "keep": list(reading.keptColumns),
            "where": list(reading.conditions.map(\.text)),
            "include": list(reading.filter.include),
            "exclude": list(reading.filter.exclude),
        ]
        for limit in limits.named { named[limit.setting.name] = "\(limit.value)" }
        // Runs of earlier versions have no such setting.
        if !reading.tables.isEmpty { named["table"] = list(reading.tables) }
        return named
    }

    var isClock: Bool { if case .clock = asOf { true } else { false } }
}
