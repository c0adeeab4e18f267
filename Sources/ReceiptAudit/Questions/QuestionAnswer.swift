import SQLite

/// The answer to a question: its figures at once, its rows and accounts on request.
///
/// Only one answer at a time exists on a connection, because its rows are in a temporary table.
struct QuestionAnswer {
    /// The number of one part, such as an app. The labels are the values of ``AuditQuestion/parts``.
    struct Part {
        let labels: [String?]
        let number: Int
    }

    let question: AuditQuestion
    let number: Int
    /// The parts of the number, largest first.
    let parts: [Part]
    /// The number of accounts concerned.
    let accounts: Int
    /// The number of rows.
    let rows: Int
    /// The skipped checks that limit the answer.
    let omissions: [AuditOutcome.Omission]
    private let database: Connection

    /// Answers a question.
    /// - Throws: `SQLiteError`.
    init(_ question: AuditQuestion, _ scope: QuestionScope = QuestionScope(), of database: Connection) throws
    {
        (self.question, self.database) = (question, database)
        try database.execute("DROP TABLE IF EXISTS temp.selected")
        try database.prepare(question.selecting).bind(named: scope.parameters).execute()
        number = try database.prepare("SELECT \(question.number) FROM temp.selected").firstValue() ?? 0
        let columns = question.parts.joined(separator: ", ")
        parts = try database.prepare(
            "SELECT \(columns), \(question.number) AS number FROM temp.selected GROUP BY \(columns) ORDER BY number DESC, \(columns)"
        ).map { row in
            Part(labels: try question.parts.map { try row[$0] }, number: try row["number"])
        }
        accounts = try database.prepare("SELECT count(*) FROM (\(question.accounts))").firstValue() ?? 0
        rows = try database.prepare("SELECT count(*) FROM (\(question.rows))").firstValue() ?? 0
        omissions =
            try question.kind.map { kind in
                try database.prepare(
                    "SELECT title, reason FROM not_looked_for WHERE kind = ? ORDER BY id", kind
                ).map {
                    AuditOutcome.Omission(title: try $0["title"], reason: try $0["reason"])
                }
            } ?? []
    }

    /// Calls `body` with each row, in order.
    func forEachRow(_ body: (Row) throws -> Void) throws { try forEach(question.rows, body) }

    /// Calls `body` with the subject of each account, or the original transaction of purchases without a subject.
    func forEachAccount(_ body: (Row) throws -> Void) throws { try forEach(question.accounts, body) }

    private func forEach(_ sql: String, _ body: (Row) throws -> Void) throws {
        let statement = try database.prepare(sql)
        defer { statement.reset() }
        while let row = try statement.nextRow() { try body(row) }
    }
}
