import GRDB

/// What does not add up, by kind, each with the rows that it rests on.
struct ReportFindings {
    struct Kind {
        let id: String
        let title: String
        let reason: String
        let count: String
        let findings: [Finding]
        let omitted: String?
    }

    struct Finding {
        let id: String
        let severity: String
        let severityClass: String
        let summary: String
        let evidence: [Evidence]
        let moreEvidence: String?
    }

    struct Evidence {
        let anchor: String?
        let receipt: String?
        let subject: String?
        let facts: String
    }

    let kinds: [Kind]
    /// Titles of what was looked for and not found.
    let absent: [String]

    init(_ database: Database, _ limits: Report.Limits, _ shown: ShownReceipts) throws {
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT k.kind, k.title, k.reason, count(f.id) AS findings
                FROM finding_kinds k LEFT JOIN findings f USING (kind) GROUP BY k.kind
                ORDER BY min(CASE f.severity WHEN 'alert' THEN 0 WHEN 'warning' THEN 1 ELSE 2 END), k.kind
                """)
        absent = rows.filter { $0["findings"] as Int == 0 }.map { $0["title"] }
        kinds = try rows.filter { $0["findings"] as Int > 0 }.map { row in
            let (kind, count): (String, Int) = (row["kind"], row["findings"])
            let findings = try Self.findings(of: kind, database, limits, shown)
            let left = count - findings.count
            let query = "SELECT * FROM findings WHERE kind = '\(kind)'"
            return Kind(
                id: kind, title: row["title"], reason: row["reason"],
                count: ReportText.count(count, "finding"),
                findings: findings,
                omitted: left > 0
                    ? "\(ReportText.count(left)) more of this kind are in the database: \(query)" : nil)
        }
    }

    private static func findings(
        of kind: String, _ database: Database, _ limits: Report.Limits, _ shown: ShownReceipts
    ) throws -> [Finding] {
        // A row at a time: a text of the input may have the length of a whole record.
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT id, severity, summary,
                    (SELECT count(*) FROM finding_evidence WHERE finding_id = id) AS evidence,
                    (SELECT min(receipt_id) FROM finding_evidence WHERE finding_id = id) AS first
                FROM findings WHERE kind = ?
                ORDER BY CASE severity WHEN 'alert' THEN 0 WHEN 'warning' THEN 1 ELSE 2 END, first, id LIMIT ?
                """, arguments: [kind, limits.findingsOfAKind])
        return try Array(
            rows.map { row in
                let id: String = row["id"]
                let evidence = try evidence(of: id, database, limits, shown)
                let left = (row["evidence"] as Int) - evidence.count
                return Finding(
                    id: ReportText.shown(id), severity: ReportText.severity(row["severity"]),
                    severityClass: row["severity"],
                    summary: row.text("summary") ?? "", evidence: evidence,
                    moreEvidence: left > 0 ? "and \(ReportText.count(left, "more row"))" : nil)
            })
    }

    private static func evidence(
        of finding: String, _ database: Database, _ limits: Report.Limits, _ shown: ShownReceipts
    ) throws -> [Evidence] {
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT e.receipt_id, e.position, r.record, r.subject AS account, r.created_at, r.sha256,
                    t.product_id, t.transaction_id, t.purchase_date, t.expires_date, t.cancellation_date,
                    c.subject AS certificate, c.serial, c.sha256 AS certificate_sha256
                FROM finding_evidence e LEFT JOIN receipts r ON r.id = e.receipt_id
                LEFT JOIN transactions t ON t.receipt_id = e.receipt_id AND t.position = e.position
                LEFT JOIN certificates c ON c.id = e.certificate_id
                WHERE e.finding_id = ? ORDER BY e.number LIMIT ?
                """, arguments: [finding, limits.evidenceOfAFinding])
        return try Array(
            rows.map { row in
                let id: Int64? = row["receipt_id"]
                return Evidence(
                    anchor: id.flatMap(shown.anchor),
                    receipt: id.map { "\(row.text("record") ?? "record") (№ \($0))" },
                    subject: row.text("account"), facts: facts(row))
            })
    }

    private static func facts(_ row: Row) -> String {
        var facts: [(String, String?)]
        if row["certificate"] != nil {
            facts = [
                ("certificate", row.text("certificate")), ("serial", row.text("serial")),
                ("SHA-256", row["certificate_sha256"]),
            ]
        } else if row["position"] != nil {
            facts = [
                ("transaction", row.text("transaction_id")), ("product", row.text("product_id")),
                ("bought", row.date("purchase_date")), ("expires", row.date("expires_date")),
                ("cancelled", row.date("cancellation_date")),
            ]
        } else {
            facts = [("created", row.date("created_at")), ("SHA-256", row["sha256"])]
        }
        facts = facts.filter { $0.1 != nil }
        return facts.map { "\($0.0) \($0.1 ?? "")" }.joined(separator: ", ")
    }
}
