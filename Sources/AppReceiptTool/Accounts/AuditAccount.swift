import ReceiptAudit

/// The summary of an audit for people, in lines.
struct AuditAccount {
    let lines: [String]

    init(_ counts: AuditCounts) {
        var lines = [
            "\(counts.records) records: \(Self.genuine(counts)), \(counts.refused) refused, "
                + "\(counts.unreadable) unreadable"
                + (counts.absent > 0 ? ", \(counts.absent) absent" : "")
        ]
        if let kinds = counts.kinds { lines.append("genuine are \(kinds)") }
        if let outcome = counts.outcome {
            let found = [
                (outcome.alerts, "alert"), (outcome.warnings, "warning"), (outcome.notes, "note"),
            ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)\($0.0 == 1 ? "" : "s")" }
            lines.append(
                "found: " + (found.isEmpty ? "nothing of what was checked" : found.joined(separator: ", "))
            )
            var reasons: [String] = []
            for omission in outcome.notLookedFor where !reasons.contains(omission.reason) {
                reasons.append(omission.reason)
            }
            for reason in reasons {
                let titles = outcome.notLookedFor.filter { $0.reason == reason }.map(\.title)
                lines.append("not checked, because \(reason): \(titles.joined(separator: "; "))")
            }
        } else {
            lines.append("not checked for findings: --output and --report do that")
        }
        if let root = counts.root { lines.append("root of all records: \(root)") }
        self.lines = lines
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
