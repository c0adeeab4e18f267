import SQLite

/// The search for inconsistencies after all rows were written.
enum Findings {
    /// Finds candidates in all rows, and inserts the findings.
    static func insert(_ rules: [FindingRule] = FindingRule.all, into database: Connection) throws {
        var candidates = try FindingCandidates(of: database)
        try candidates.read(database)
        try insert(rules, of: &candidates, into: database)
    }

    /// Inserts the findings.
    /// - Parameter candidates: The candidates from all rows, which this function consumes.
    static func insert(
        _ rules: [FindingRule] = FindingRule.all, of candidates: inout FindingCandidates,
        into database: Connection
    ) throws {
        try candidates.genuine.insert(into: database)
        // The transactions of genuine receipts whose ID identifies one purchase.
        try database.execute(
            """
            DROP VIEW IF EXISTS temp.identified;
            CREATE TEMP VIEW identified AS
            SELECT t.*, r.kind, r.realm, r.environment, r.bundle_id, r.subject, r.created_at
            FROM transactions t JOIN receipts r ON r.id = t.receipt_id
            WHERE t.transaction_id <> '0' AND t.transaction_id <> ''
                AND coalesce(r.environment, '') NOT IN ('Xcode', 'LocalTesting')
            """)
        var last: (kind: FindingCandidates.Kind?, count: Int) = (nil, 0)
        for rule in rules {
            try database.prepare(
                "INSERT INTO finding_kinds (kind, title, reason) VALUES (?, ?, ?)", rule.kind, rule.title,
                rule.reason
            ).execute()
            if let kind = rule.candidates {
                if kind != last.kind { last = (kind, try candidates.insert(kind, into: database)) }
                if last.count == 0 { continue }
            }
            // The temporary table numbers the rows of each finding. SQLite moves it to disk if it is large. The kind
            // of trust anchor is part of the key if there are several. In test environments no money was paid and
            // testers share accounts, so every finding is a note.
            try database.execute("DROP TABLE IF EXISTS temp.evidence")
            try database.execute(
                """
                CREATE TEMP TABLE evidence AS
                SELECT *, row_number()
                    OVER (PARTITION BY key ORDER BY receipt_id, position, certificate_id) AS number
                FROM (
                    SELECT CASE WHEN realm <> 'app_store' AND (SELECT count(DISTINCT realm) FROM temp.signed) > 1
                            THEN realm || '/' || key ELSE key END AS key,
                        CASE WHEN environment IN ('Sandbox', 'Xcode', 'LocalTesting') THEN 'note'
                            ELSE severity END AS severity,
                        summary, receipt_id, position, certificate_id
                    FROM (\(rule.evidence)))
                """)
            try database.prepare(
                """
                INSERT INTO findings (id, kind, severity, summary)
                SELECT ?1 || ':' || key, ?1, severity, summary FROM temp.evidence WHERE number = 1
                """, rule.kind
            ).execute()
            try database.prepare(
                """
                INSERT INTO finding_evidence (finding_id, number, receipt_id, position, certificate_id)
                SELECT ?1 || ':' || key, number, receipt_id, position, certificate_id FROM temp.evidence
                """, rule.kind
            ).execute()
        }
        try database.execute(
            """
            DROP TABLE temp.signed;
            DROP VIEW temp.identified;
            DROP TABLE IF EXISTS temp.evidence;
            DROP TABLE IF EXISTS temp.candidates
            """)
    }
}
