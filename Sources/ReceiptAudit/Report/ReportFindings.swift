import SQLite

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

    init(_ database: Connection, _ limits: Report.Limits, _ shown: ShownReceipts) throws {
        let rows = try database.prepare(
            """
            SELECT i.kind, count(*) AS incidents, sum(i.findings) AS findings,
                coalesce(k.title, 'Receipts or purchases of several subjects') AS title,
                coalesce(k.reason, (SELECT group_concat(reason, ' ') FROM finding_kinds
                    WHERE kind IN ('shared-receipt', 'shared-purchase'))) AS reason
            FROM incidents i LEFT JOIN finding_kinds k USING (kind) GROUP BY i.kind
            ORDER BY min(\(Incidents.rank("i.severity"))), i.kind
            """
        ).rows()
        let evidence = EvidenceRows(database, limits, shown)
        kinds = try rows.map { row in
            let (kind, count): (String, Int) = try (row["kind"], row["incidents"])
            let incidents = try database.prepare(
                "SELECT id, severity, summary, findings FROM incidents WHERE kind = ? ORDER BY id LIMIT ?",
                kind, limits.incidentsOfAKind
            ).rows()
            let left = count - incidents.count
            return try Kind(
                id: ReportText.shown(kind), title: row["title"], reason: row["reason"],
                count: ReportText.count(row["findings"], "finding"),
                incidents: incidents.map { try evidence.incident($0) },
                omitted: left > 0
                    ? "\(ReportText.count(left)) more of this kind are in the database: SELECT * FROM incidents WHERE kind = '\(kind)'"
                    : nil)
        }
        let shownIncidents = Set(kinds.flatMap { $0.incidents.map(\.id) })
        let all = try rows.reduce(0) { try $0 + ($1["incidents"] as Int) }
        lines = try database.prepare(
            "SELECT id, severity, summary, receipts FROM incidents ORDER BY id LIMIT ?", limits.incidents
        ).map { row in
            let id: Int64 = try row["id"]
            let receipts: Int = try row["receipts"]
            return try Line(
                severity: ReportText.severity(row["severity"]), severityClass: row["severity"],
                anchor: shownIncidents.contains(id) ? "incident-\(id)" : nil,
                sentence: row.text("summary") ?? "", receipts: receipts > 0 ? ReportText.count(receipts) : "")
        }
        hasLines = !lines.isEmpty
        let left = all - lines.count
        moreLines =
            left > 0 ? "\(ReportText.count(left)) more are in the database, in the table incidents." : nil
        absent = try database.prepare(
            """
            SELECT title FROM finding_kinds k
            WHERE NOT EXISTS (SELECT 1 FROM main.findings f WHERE f.kind = k.kind)
                AND kind NOT IN (SELECT kind FROM not_looked_for WHERE kind IS NOT NULL) ORDER BY kind
            """
        ).values()
        omissions = try Self.omissions(database)
    }

    private static func omissions(_ database: Connection) throws -> [Omission] {
        let rows = try database.prepare("SELECT title, reason FROM not_looked_for ORDER BY id LIMIT 100")
            .rows()
        var reasons: [String] = []
        for row in rows where try !reasons.contains(row["reason"]) { reasons.append(try row["reason"]) }
        return try reasons.map { reason in
            Omission(
                reason: ReportText.shown(reason),
                titles: try rows.filter { try $0["reason"] == reason }.map { try $0.text("title") ?? "" })
        }
    }
}

/// Finds the evidence of incidents.
struct EvidenceRows {
    private let database: Connection
    private let limits: Report.Limits
    private let shown: ShownReceipts

    init(_ database: Connection, _ limits: Report.Limits, _ shown: ShownReceipts) {
        (self.database, self.limits, self.shown) = (database, limits, shown)
    }

    func incident(_ row: Row) throws -> ReportFindings.Incident {
        let (id, findings): (Int64, Int) = try (row["id"], row["findings"])
        let names: [String] = try database.prepare(
            "SELECT finding_id FROM incident_findings WHERE incident_id = ? ORDER BY finding_id LIMIT ?", id,
            limits.findingsOfAnIncident
        ).values()
        let total: Int =
            try database.prepare(
                """
                SELECT count(*) FROM incident_findings i JOIN finding_evidence e USING (finding_id) WHERE i.incident_id = ?
                """, id
            ).firstValue() ?? 0
        let evidence = try evidence(of: id)
        let left = total - evidence.count
        let more = findings - names.count
        return try ReportFindings.Incident(
            id: id, severity: ReportText.severity(row["severity"]), severityClass: row["severity"],
            sentence: row.text("summary") ?? "", findings: ReportText.count(findings, "finding"),
            names: names.map(ReportText.shown)
                + (more > 0 ? ["and \(ReportText.count(more)) more"] : []),
            evidence: evidence, moreEvidence: left > 0 ? "and \(ReportText.count(left, "more row"))" : nil)
    }

    /// Returns the evidence of an incident, regardless of the dates of its receipts. It reads one row at a
    /// time, because text of the input may be as long as a whole record.
    private func evidence(of incident: Int64) throws -> [ReportFindings.Evidence] {
        return try database.prepare(
            """
            SELECT e.receipt_id, e.position, r.record, r.subject AS account, r.created_at, r.sha256,
                t.product_id, t.transaction_id, t.purchase_date, t.expires_date, t.cancellation_date,
                c.subject AS certificate, c.serial, c.sha256 AS certificate_sha256
            FROM incident_findings i JOIN finding_evidence e USING (finding_id)
            LEFT JOIN main.receipts r ON r.id = e.receipt_id
            LEFT JOIN main.transactions t ON t.receipt_id = e.receipt_id AND t.position = e.position
            LEFT JOIN certificates c ON c.id = e.certificate_id
            WHERE i.incident_id = ? ORDER BY i.finding_id, e.number LIMIT ?
            """, incident, limits.evidenceOfAnIncident
        ).map { row in
            let id: Int64? = try row["receipt_id"]
            return try ReportFindings.Evidence(
                anchor: id.flatMap(shown.anchor),
                receipt: id.map { try "\(row.text("record") ?? "record") (№ \($0))" },
                subject: row.text("account"), facts: Self.facts(row))
        }
    }

    private static func facts(_ row: Row) throws -> String {
        var facts: [(String, String?)]
        if try row["certificate"] as String? != nil {
            facts = try [
                ("certificate", row.text("certificate")), ("serial", row.text("serial")),
                ("SHA-256", row["certificate_sha256"]),
            ]
        } else if try row["position"] as Int64? != nil {
            facts = try [
                ("transaction", row.text("transaction_id")), ("product", row.text("product_id")),
                ("bought", row.date("purchase_date")), ("expires", row.date("expires_date")),
                ("cancelled", row.date("cancellation_date")),
            ]
        } else {
            facts = try [("created", row.date("created_at")), ("SHA-256", row["sha256"])]
        }
        facts = facts.filter { $0.1 != nil }
        return facts.map { "\($0.0) \($0.1 ?? "")" }.joined(separator: ", ")
    }
}
