import SQLite

/// The findings: a row for each kind with its worst incidents, then each kind with its evidence.
///
/// Kinds and incidents that concern the most accounts come first. Kinds that have only notes come last.
struct ReportFindings {
    struct Kind {
        let id: String
        let severity: String
        let severityClass: String
        let title: String
        let reason: String
        let count: String
        let cases: String
        let accounts: String
        /// The number of accounts, which no template shows.
        let number: Int
        let worst: [Worst]
        let incidents: [Incident]
        let omitted: String?
    }

    /// One of the incidents that concern the most accounts.
    struct Worst {
        let id: Int64
        let sentence: String
        let concerned: String?
    }

    struct Incident {
        let id: Int64
        let severity: String
        let severityClass: String
        let sentence: String
        let findings: String
        let names: [String]
        let evidence: [IncidentEvidence]
        let moreEvidence: String?
    }

    struct IncidentEvidence {
        let anchor: String?
        let receipt: String?
        let subject: String?
        let facts: String
    }

    struct OmissionGroup {
        let reason: String
        let titles: [String]
    }

    let kinds: [Kind]
    /// The number of accounts with findings.
    let accounts: Int
    /// The titles of checks that found nothing.
    let absent: [String]
    /// The skipped checks, grouped by reason.
    let omissions: [OmissionGroup]

    init(_ database: Connection, _ limits: Report.Limits, _ shown: ShownReceipts) throws {
        try database.execute(Self.concerned)
        accounts =
            try database.prepare("SELECT count(DISTINCT account) FROM temp.concerned_accounts").firstValue()
            ?? 0
        let evidence = EvidenceRows(database: database, limits: limits, shown: shown)
        kinds = try database.prepare(
            """
            SELECT i.kind, count(*) AS incidents,
                min(\(Incidents.rank("i.severity"))) AS severity,
                (SELECT count(DISTINCT account) FROM temp.concerned_accounts WHERE kind = i.kind) AS accounts,
                coalesce(k.title, 'Receipts or purchases of several subjects') AS title,
                coalesce(k.reason, (SELECT group_concat(reason, ' ') FROM finding_kinds
                    WHERE kind IN ('shared-receipt', 'shared-purchase'))) AS reason
            FROM incidents i LEFT JOIN finding_kinds k USING (kind) GROUP BY i.kind
            ORDER BY min(\(Incidents.rank("i.severity"))) = 2, accounts DESC, severity, i.kind
            """
        ).rows().map { try Self.kind($0, database, limits, evidence) }
        absent = try database.prepare(
            """
            SELECT title FROM finding_kinds k
            WHERE NOT EXISTS (SELECT 1 FROM main.findings f WHERE f.kind = k.kind)
                AND kind NOT IN (SELECT kind FROM not_looked_for WHERE kind IS NOT NULL) ORDER BY kind
            """
        ).values()
        omissions = try Self.omissions(database)
    }

    /// The accounts that each incident concerns: subjects, or the original transactions of purchases without one.
    private static let concerned = """
        DROP TABLE IF EXISTS temp.concerned_accounts;
        DROP TABLE IF EXISTS temp.ranked_incidents;
        CREATE TEMP TABLE concerned_accounts AS
        SELECT DISTINCT i.id AS incident, i.kind, coalesce('s' || r.subject, 'o' || t.original_transaction_id) AS account
        FROM incidents i JOIN incident_findings f ON f.incident_id = i.id
            JOIN finding_evidence e ON e.finding_id = f.finding_id
            JOIN main.receipts r ON r.id = e.receipt_id
            LEFT JOIN main.transactions t ON t.receipt_id = e.receipt_id AND t.position = e.position
        WHERE account IS NOT NULL;
        CREATE TEMP TABLE ranked_incidents AS
        SELECT i.id, i.kind, i.severity, i.summary, i.findings, i.receipts, coalesce(a.accounts, 0) AS accounts
        FROM incidents i LEFT JOIN (
            SELECT incident, count(*) AS accounts FROM temp.concerned_accounts GROUP BY incident) a ON a.incident = i.id;
        """

    private static func kind(
        _ row: Row, _ database: Connection, _ limits: Report.Limits, _ evidence: EvidenceRows
    ) throws -> Kind {
        let (kind, count): (String, Int) = try (row["kind"], row["incidents"])
        let incidents = try database.prepare(
            """
            SELECT * FROM temp.ranked_incidents WHERE kind = ?
            ORDER BY accounts DESC, \(Incidents.rank("severity")), receipts DESC, id LIMIT ?
            """, kind, limits.incidentsOfAKind
        ).rows()
        let left = count - incidents.count
        let rank: Int = try row["severity"]
        let severity = ["alert", "warning", "note"][rank]
        let accounts: Int = try row["accounts"]
        return try Kind(
            id: ReportText.shown(kind), severity: ReportText.capitalized(severity), severityClass: severity,
            title: row["title"], reason: row["reason"], count: ReportText.count(count, "case"),
            cases: ReportText.count(count),
            accounts: accounts == 0 ? "unknown" : ReportText.count(accounts),
            number: accounts,
            worst: incidents.prefix(limits.worstOfAKind).map { row in
                let accounts: Int = try row["accounts"]
                return Worst(
                    id: try row["id"], sentence: try row.text("summary") ?? "",
                    concerned: accounts > 1 ? ReportText.count(accounts, "account") : nil)
            },
            incidents: incidents.map { try evidence.incident($0) },
            omitted: left > 0
                ? "\(ReportText.count(left)) more of this kind are in the database: SELECT * FROM incidents WHERE kind = '\(kind)'"
                : nil)
    }

    private static func omissions(_ database: Connection) throws -> [OmissionGroup] {
        let rows = try database.prepare("SELECT title, reason FROM not_looked_for ORDER BY id LIMIT 100")
            .rows()
        var reasons: [String] = []
        for row in rows where try !reasons.contains(row["reason"]) { reasons.append(try row["reason"]) }
        return try reasons.map { reason in
            OmissionGroup(
                reason: ReportText.shown(reason),
                titles: try rows.filter { try $0["reason"] == reason }.map { try $0.text("title") ?? "" })
        }
    }
}
