import GRDB

/// The findings: a row for each incident, worst first, then each kind with its evidence.
struct ReportFindings {
    /// The row of an incident.
    struct Line {
        let severity: String
        let severityClass: String
        let anchor: String?
        let sentence: String
        let receipts: String
    }

    struct Kind {
        let id: String
        let title: String
        let reason: String
        let count: String
        let incidents: [Incident]
        let omitted: String?
    }

    struct Incident {
        let id: Int64
        let severity: String
        let severityClass: String
        let sentence: String
        let findings: String
        let names: [String]
        let evidence: [Evidence]
        let moreEvidence: String?
    }

    struct Evidence {
        let anchor: String?
        let receipt: String?
        let subject: String?
        let facts: String
    }

    struct Omission {
        let reason: String
        let titles: [String]
    }

    let lines: [Line]
    let hasLines: Bool
    let moreLines: String?
    let kinds: [Kind]
    /// The titles of checks that found nothing.
    let absent: [String]
    /// The skipped checks, grouped by reason.
    let omissions: [Omission]

    init(_ database: Database, _ limits: Report.Limits, _ shown: ShownReceipts) throws {
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT i.kind, count(*) AS incidents, sum(i.findings) AS findings,
                    coalesce(k.title, 'Receipts or purchases of several subjects') AS title,
                    coalesce(k.reason, (SELECT group_concat(reason, ' ') FROM finding_kinds
                        WHERE kind IN ('shared-receipt', 'shared-purchase'))) AS reason
                FROM incidents i LEFT JOIN finding_kinds k USING (kind) GROUP BY i.kind
                ORDER BY min(\(Incidents.rank("i.severity"))), i.kind
                """)
        let evidence = EvidenceRows(database, limits, shown)
        kinds = try rows.map { row in
            let (kind, count): (String, Int) = (row["kind"], row["incidents"])
            let incidents = try Row.fetchAll(
                database,
                sql:
                    "SELECT id, severity, summary, findings FROM incidents WHERE kind = ? ORDER BY id LIMIT ?",
                arguments: [kind, limits.incidentsOfAKind])
            let left = count - incidents.count
            return Kind(
                id: ReportText.shown(kind), title: row["title"], reason: row["reason"],
                count: ReportText.count(row["findings"], "finding"),
                incidents: try incidents.map { try evidence.incident($0) },
                omitted: left > 0
                    ? "\(ReportText.count(left)) more of this kind are in the database: SELECT * FROM incidents WHERE kind = '\(kind)'"
                    : nil)
        }
        let shownIncidents = Set(kinds.flatMap { $0.incidents.map(\.id) })
        let all = rows.reduce(0) { $0 + ($1["incidents"] as Int) }
        lines = try Row.fetchAll(
            database, sql: "SELECT id, severity, summary, receipts FROM incidents ORDER BY id LIMIT ?",
            arguments: [limits.incidents]
        ).map { row in
            let id: Int64 = row["id"]
            let receipts: Int = row["receipts"]
            return Line(
                severity: ReportText.severity(row["severity"]), severityClass: row["severity"],
                anchor: shownIncidents.contains(id) ? "incident-\(id)" : nil,
                sentence: row.text("summary") ?? "", receipts: receipts > 0 ? ReportText.count(receipts) : "")
        }
        hasLines = !lines.isEmpty
        let left = all - lines.count
        moreLines =
            left > 0 ? "\(ReportText.count(left)) more are in the database, in the table incidents." : nil
        absent = try String.fetchAll(
            database,
            sql: """
                SELECT title FROM finding_kinds k
                WHERE NOT EXISTS (SELECT 1 FROM main.findings f WHERE f.kind = k.kind)
                    AND kind NOT IN (SELECT kind FROM not_looked_for WHERE kind IS NOT NULL) ORDER BY kind
                """)
        omissions = try Self.omissions(database)
    }

    private static func omissions(_ database: Database) throws -> [Omission] {
        let rows = try Row.fetchAll(
            database, sql: "SELECT title, reason FROM not_looked_for ORDER BY id LIMIT 100")
        var reasons: [String] = []
        for row in rows where !reasons.contains(row["reason"]) { reasons.append(row["reason"]) }
        return reasons.map { reason in
            Omission(
                reason: ReportText.shown(reason),
                titles: rows.filter { $0["reason"] == reason }.map { $0.text("title") ?? "" })
        }
    }
}

/// Finds the evidence of incidents.
struct EvidenceRows {
    private let database: Database
    private let limits: Report.Limits
    private let shown: ShownReceipts

    init(_ database: Database, _ limits: Report.Limits, _ shown: ShownReceipts) {
        (self.database, self.limits, self.shown) = (database, limits, shown)
    }

    func incident(_ row: Row) throws -> ReportFindings.Incident {
        let (id, findings): (Int64, Int) = (row["id"], row["findings"])
        let names = try Row.fetchAll(
            database,
            sql: "SELECT finding_id FROM incident_findings WHERE incident_id = ? ORDER BY finding_id LIMIT ?",
            arguments: [id, limits.findingsOfAnIncident])
        let total = try Int.fetchOne(
            database,
            sql: """
                SELECT count(*) FROM incident_findings i JOIN finding_evidence e USING (finding_id) WHERE i.incident_id = ?
                """, arguments: [id])
        let evidence = try evidence(of: id)
        let left = (total ?? 0) - evidence.count
        let more = findings - names.count
        return ReportFindings.Incident(
            id: id, severity: ReportText.severity(row["severity"]), severityClass: row["severity"],
            sentence: row.text("summary") ?? "", findings: ReportText.count(findings, "finding"),
            names: names.map { $0.text("finding_id") ?? "" }
                + (more > 0 ? ["and \(ReportText.count(more)) more"] : []),
            evidence: evidence, moreEvidence: left > 0 ? "and \(ReportText.count(left, "more row"))" : nil)
    }

    /// Returns the evidence of an incident, regardless of the dates of its receipts. It reads one row at a
    /// time, because text of the input may be as long as a whole record.
    private func evidence(of incident: Int64) throws -> [ReportFindings.Evidence] {
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT e.receipt_id, e.position, r.record, r.subject AS account, r.created_at, r.sha256,
                    t.product_id, t.transaction_id, t.purchase_date, t.expires_date, t.cancellation_date,
                    c.subject AS certificate, c.serial, c.sha256 AS certificate_sha256
                FROM incident_findings i JOIN finding_evidence e USING (finding_id)
                LEFT JOIN main.receipts r ON r.id = e.receipt_id
                LEFT JOIN main.transactions t ON t.receipt_id = e.receipt_id AND t.position = e.position
                LEFT JOIN certificates c ON c.id = e.certificate_id
                WHERE i.incident_id = ? ORDER BY i.finding_id, e.number LIMIT ?
                """, arguments: [incident, limits.evidenceOfAnIncident])
        return try Array(
            rows.map { row in
                let id: Int64? = row["receipt_id"]
                return ReportFindings.Evidence(
                    anchor: id.flatMap(shown.anchor),
                    receipt: id.map { "\(row.text("record") ?? "record") (№ \($0))" },
                    subject: row.text("account"), facts: Self.facts(row))
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
