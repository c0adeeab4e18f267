import ReceiptAudit
import ReceiptCommands
import ReceiptExamination

/// The summary of an audit for people, in lines.
struct AuditSummary {
    let lines: [String]

    init(_ counts: AuditCounts) {
        var lines: [String] = []
        if let skipped = counts.outcome?.withoutSubject, skipped > 0 {
            let reason =
                counts.found.contains(.subject) ? "no genuine receipt has a customer" : "no customer column"
            lines.append("\(skipped) check\(skipped == 1 ? "" : "s") skipped: \(reason) (--subject-field)")
        }
        lines.append(Self.records(counts))
        if let kinds = counts.foreignKinds { lines.append("foreign: \(kinds)") }
        if counts.notSelected > 0 {
            lines.append("not selected by --where: \(counts.notSelected) records")
        }
        for field in counts.subjectFields {
            lines.append("subjects read from \(field) (override with --subject-field)")
        }
        if let kinds = counts.kinds { lines.append("genuine: \(kinds)") }
        if let outcome = counts.outcome {
            let found = [
                (outcome.alerts, "alert"), (outcome.warnings, "warning"), (outcome.notes, "note"),
            ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)\($0.0 == 1 ? "" : "s")" }
            if let revocation = outcome.revocation { lines.append("revocation: \(revocation.text)") }
            let skipped = outcome.notLookedFor.count
            lines.append(
                (found.isEmpty ? "no findings" : "findings: " + found.joined(separator: ", "))
                    + (skipped == 0 ? "" : "; \(skipped) check\(skipped == 1 ? "" : "s") skipped (see below)")
            )
            var reasons: [String] = []
            for omission in outcome.notLookedFor where !reasons.contains(omission.reason) {
                reasons.append(omission.reason)
            }
            for reason in reasons {
                let titles = outcome.notLookedFor.filter { $0.reason == reason }.map(\.title)
                lines.append("skipped because \(reason): \(titles.joined(separator: "; "))")
            }
        } else {
            lines.append("findings: not checked; use --output or --report")
        }
        if let root = counts.root { lines.append("Merkle root of the audit: \(root)") }
        self.lines = lines
    }

    /// Returns the number of records by their results.
    static func records(_ counts: AuditCounts) -> String {
        "\(counts.records) record\(counts.records == 1 ? "" : "s"): \(genuine(counts)), \(counts.refused) refused, "
            + "\(counts.unreadable) unreadable"
            + (counts.otherApps > 0 ? ", \(counts.otherApps) of other apps" : "")
            + (counts.absent > 0 ? ", \(counts.absent) absent" : "")
            + (counts.foreignValues > 0 ? ", \(counts.foreignValues) foreign" : "")
    }

    /// Returns the number of genuine records. If no record is Apple's, the text says so as in `verify`.
    private static func genuine(_ counts: AuditCounts) -> String {
        switch counts.notApples {
        case 0: "\(counts.genuine) genuine"
        case counts.genuine: "\(counts.genuine) GENUINE, BUT NOT APPLE'S"
        default: "\(counts.genuine) genuine (\(counts.notApples) of them GENUINE, BUT NOT APPLE'S)"
        }
    }
}
