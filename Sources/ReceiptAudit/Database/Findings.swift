import GRDB

/// What does not add up, within receipts and across them: one kind of finding.
///
/// Findings rest on genuine receipts, because nobody vouches for what the others say; those of tests in Xcode are left out
/// where transactions are compared, because every test begins anew with the same numbers, and so is the id "0",
/// which names nothing.
struct FindingRule: Sendable {
    let kind: String
    /// What the evidence is looked for in, or not at all where there is nothing of it; nil where all rows are looked at.
    var candidates: FindingCandidates.Kind?
    let title: String
    let reason: String
    /// Rows of evidence: key, severity, summary, receipt_id, position, certificate_id. The rows of one key are one
    /// finding; its severity and summary are those of its first row. Streams of rows, so that memory is bounded.
    let evidence: String
}

/// Finds what does not add up when all rows are there.
enum Findings {
    /// Looks at all rows for candidates.
    static func insert(_ rules: [FindingRule] = FindingRule.all, into database: Database) throws {
        var candidates = try FindingCandidates(of: database)
        try candidates.read(database)
        try insert(rules, of: &candidates, into: database)
    }

    /// - Parameter candidates: of all rows; used up.
    static func insert(
        _ rules: [FindingRule] = FindingRule.all, of candidates: inout FindingCandidates,
        into database: Database
    ) throws {
        try candidates.genuine.insert(into: database)
        var last: (kind: FindingCandidates.Kind?, count: Int) = (nil, 0)
        for rule in rules {
            try database.execute(
                sql: "INSERT INTO finding_kinds (kind, title, reason) VALUES (?, ?, ?)",
                arguments: [rule.kind, rule.title, rule.reason])
            if let kind = rule.candidates {
                if kind != last.kind { last = (kind, try candidates.insert(kind, into: database)) }
                if last.count == 0 { continue }
            }
            // The scratch table numbers the rows of each finding, on disk where they are many.
            try database.execute(sql: "DROP TABLE IF EXISTS temp.evidence")
            try database.execute(
                sql: """
                    CREATE TEMP TABLE evidence AS
                    SELECT key, severity, summary, receipt_id, position, certificate_id, row_number()
                        OVER (PARTITION BY key ORDER BY receipt_id, position, certificate_id) AS number
                    FROM (\(rule.evidence))
                    """)
            try database.execute(
                sql: """
                    INSERT INTO findings (id, kind, severity, summary)
                    SELECT :kind || ':' || key, :kind, severity, summary FROM temp.evidence WHERE number = 1
                    """, arguments: ["kind": rule.kind])
            try database.execute(
                sql: """
                    INSERT INTO finding_evidence (finding_id, number, receipt_id, position, certificate_id)
                    SELECT :kind || ':' || key, number, receipt_id, position, certificate_id FROM temp.evidence
                    """, arguments: ["kind": rule.kind])
        }
        try database.execute(
            sql: """
                DROP TABLE temp.signed;
                DROP TABLE IF EXISTS temp.evidence;
                DROP TABLE IF EXISTS temp.candidates
                """)
    }
}
