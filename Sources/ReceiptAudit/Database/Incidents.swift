import SQLite

/// The combination of findings into incidents: one for each subject or purchase. Subjects that share receipts
/// or purchases with one another form one incident.
enum Incidents {
    static func insert(into database: Connection) throws {
        try database.execute(
            """
            DROP TABLE IF EXISTS temp.concerned;
            CREATE TEMP TABLE concerned (finding_id TEXT, kind TEXT, severity TEXT, key TEXT, who TEXT);
            INSERT INTO concerned \(concerned);
            """)
        // Each severity is grouped separately, so that sharing among testers does not merge with other
        // sharing.
        for severity: String in try database.prepare(
            "SELECT DISTINCT severity FROM findings WHERE kind IN (\(sharing))"
        ).values() { try insertSharing(severity, database) }
        try database.execute(
            """
            DROP TABLE IF EXISTS temp.told;
            CREATE TEMP TABLE told AS
            SELECT row_number() OVER (ORDER BY \(rank("severity")), kind, count(*) DESC, min(finding_id)) AS id,
                kind, severity, key, max(who) AS who, count(*) AS findings, min(finding_id) AS first,
                sum(finding_id LIKE 'shared-receipt:%') AS shared_receipts
            FROM temp.concerned GROUP BY kind, severity, key;
            CREATE UNIQUE INDEX temp.told_by_key ON told (kind, severity, key);
            INSERT INTO incidents (id, kind, severity, summary, findings, receipts)
            SELECT t.id, t.kind, t.severity, \(summary), t.findings, 0
            FROM temp.told t JOIN findings f ON f.id = t.first ORDER BY t.id;
            INSERT INTO incident_findings (incident_id, finding_id)
            SELECT t.id, c.finding_id FROM temp.concerned c JOIN temp.told t USING (kind, severity, key)
            ORDER BY t.id, c.finding_id;
            UPDATE incidents SET receipts = (
                SELECT count(DISTINCT e.receipt_id) FROM incident_findings i JOIN finding_evidence e USING (finding_id)
                WHERE i.incident_id = incidents.id);
            DROP TABLE temp.told;
            DROP TABLE temp.concerned;
            """)
    }

    /// Returns the SQL for an order in which the worst severity comes first.
    static func rank(_ severity: String) -> String {
        "CASE \(severity) WHEN 'alert' THEN 0 WHEN 'warning' THEN 1 ELSE 2 END"
    }

    private static let sharing = "'shared-receipt', 'shared-purchase'"

    /// The subject or object of each finding that is not about sharing, from the finding's first row.
    private static let concerned = """
        SELECT f.id, f.kind, f.severity,
            CASE WHEN f.kind IN ('told-differently', 'revoked-elsewhere', 'unusual-certificate') THEN f.id
                WHEN r.subject IS NOT NULL THEN 'subject ' || r.subject
                WHEN f.kind = 'created-before-purchase' THEN 'purchase '
                    || coalesce(r.environment, '') || '/' || coalesce(r.bundle_id, '') || '/'
                    || coalesce(nullif(nullif(t.transaction_id, ''), '0'), '#' || r.id)
                ELSE '' END,
            CASE WHEN r.subject IS NOT NULL THEN 'of the subject ' || \(cut("r.subject")) ELSE 'without a subject' END
        FROM findings f JOIN finding_evidence e ON e.finding_id = f.id AND e.number = 1
        LEFT JOIN receipts r ON r.id = e.receipt_id
        LEFT JOIN transactions t ON t.receipt_id = e.receipt_id AND t.position = e.position
        WHERE f.kind NOT IN (\(sharing))
        """

    /// The summary of an incident as a sentence. `who` is made together with the key.
    private static let summary = """
        CASE WHEN t.kind = 'sharing' AND shared_receipts = 0 THEN t.who || ' share ' || \(count("t.findings", "purchase"))
            || ', in different receipts'
        WHEN t.kind = 'sharing' THEN t.who || ' share ' || \(count("shared_receipts", "receipt"))
            || CASE WHEN t.findings > shared_receipts
                THEN ' and ' || \(count("t.findings - shared_receipts", "purchase")) ELSE '' END
        WHEN t.findings = 1 THEN f.summary
        WHEN t.kind = 'several-introductory-offers'
            THEN 'Several introductory offers ' || t.who || ' in each of ' || t.findings || ' groups'
        WHEN t.kind = 'created-before-purchase'
            THEN \(count("t.findings", "receipt")) || ' ' || t.who || ' hold purchases that were made after them'
        WHEN t.kind = 'created-after-as-of'
            THEN \(count("t.findings", "receipt")) || ' ' || t.who || ' were created after the as-of date'
        WHEN t.kind = 'wrong-device'
            THEN \(count("t.findings", "receipt")) || ' ' || t.who || ' were made for another device'
        ELSE \(count("t.findings", "finding")) || ' ' || t.who END
        """

    private static func count(_ number: String, _ noun: String) -> String {
        "(\(number)) || CASE \(number) WHEN 1 THEN ' \(noun)' ELSE ' \(noun)s' END"
    }

    /// Returns the SQL for a name cut to the length that fits in a sentence.
    private static func cut(_ column: String) -> String {
        """
        CASE WHEN length(\(column)) > 80 THEN substr(\(column), 1, 80) || '… (' || length(\(column)) || ' characters)'
            ELSE \(column) END
        """
    }

    /// Inserts the sharing findings. Subjects that share anything, even through others, form one incident,
    /// whose key is the first of them.
    private static func insertSharing(_ severity: String, _ database: Connection) throws {
        try database.execute(
            """
            DROP TABLE IF EXISTS temp.sharers;
            DROP TABLE IF EXISTS temp.members;
            CREATE TEMP TABLE sharers AS
            SELECT DISTINCT f.id AS finding_id, r.subject FROM findings f
            JOIN finding_evidence e ON e.finding_id = f.id JOIN receipts r ON r.id = e.receipt_id
            WHERE f.kind IN (\(sharing)) AND f.severity = '\(severity)' AND r.subject IS NOT NULL;
            CREATE TEMP TABLE members (id INTEGER PRIMARY KEY, subject TEXT NOT NULL, incident INTEGER);
            INSERT INTO members (subject) SELECT DISTINCT subject FROM temp.sharers ORDER BY subject;
            UPDATE members SET incident = id;
            CREATE UNIQUE INDEX temp.members_by_subject ON members (subject);
            """)
        let incidents = try DisjointSets("members", namedBy: "incident", in: database)
        let rows = try database.prepare(
            """
            SELECT m.id, lag(m.id) OVER (PARTITION BY s.finding_id ORDER BY m.id) AS before
            FROM temp.sharers s JOIN temp.members m USING (subject)
            """)
        while try rows.step() {
            if !rows.isNull(1) { try incidents.join(rows.integer(1), rows.integer(0)) }
        }
        try incidents.settle()
        try database.execute(
            """
            CREATE INDEX temp.members_by_incident ON members (incident, id);
            INSERT INTO concerned
            SELECT DISTINCT s.finding_id, 'sharing', '\(severity)', m.incident, NULL
            FROM temp.sharers s JOIN temp.members m USING (subject);
            UPDATE temp.concerned SET who = (
                SELECT 'The subjects ' || group_concat(name, '') FROM (
                    SELECT CASE row_number() OVER (ORDER BY id) WHEN 1 THEN \(cut("subject"))
                        WHEN count(*) OVER () THEN ' and ' || \(cut("subject")) WHEN 2 THEN ', ' || \(cut("subject"))
                        ELSE ' and ' || (count(*) OVER () - 2) || ' others' END AS name
                    FROM temp.members WHERE incident = key ORDER BY id LIMIT 3))
            WHERE kind = 'sharing' AND severity = '\(severity)'
                AND finding_id IN (SELECT min(finding_id) FROM temp.concerned
                    WHERE kind = 'sharing' AND severity = '\(severity)' GROUP BY key);
            DROP TABLE temp.sharers;
            DROP TABLE temp.members;
            """)
    }
}
