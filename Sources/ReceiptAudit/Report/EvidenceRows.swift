import SQLite

/// The evidence of incidents.
struct EvidenceRows {
    let database: Connection
    let limits: Report.Limits
    let shown: ShownReceipts

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
            id: id, severity: ReportText.capitalized(row["severity"]), severityClass: row["severity"],
            sentence: row.text("summary") ?? "", findings: ReportText.count(findings, "finding"),
            names: names.map(ReportText.shown)
                + (more > 0 ? ["and \(ReportText.count(more)) more"] : []),
            evidence: evidence, moreEvidence: left > 0 ? "and \(ReportText.count(left, "more row"))" : nil)
    }

    /// Returns the evidence of an incident, regardless of the dates of its receipts. It reads one row at a
    /// time, because text of the input may be as long as a whole record.
    private func evidence(of incident: Int64) throws -> [ReportFindings.IncidentEvidence] {
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
            return try ReportFindings.IncidentEvidence(
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
