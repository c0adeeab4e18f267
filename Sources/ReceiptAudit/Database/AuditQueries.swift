import EmbeddedFiles

/// The SQL of audits, apart from queries that depend on their input.
enum AuditQueries {
    /// The statements that create the tables. `CREATE TABLE name;` is a table whose rows have columns from code.
    static let tables = text(of: "tables.sql")
    /// The statements that create the views.
    static let views = text(of: "views.sql")
    /// The rules of the findings. Each query returns rows of evidence.
    static let findings = AuditQuery.list(text(of: "findings.sql"))
    /// The tables of the CSV export, by file, without those that list the columns of one table.
    static let csv = AuditQuery.list(text(of: "csv.sql"))

    private static let questions = AuditQuery.list(text(of: "questions.sql"))

    /// Returns a question: the selection, the rows and the accounts, if they are not those of purchases.
    static func question(_ name: String) -> AuditQuery {
        questions.first { $0.name == name } ?? AuditQuery(name: name, title: "", details: "", sql: ";\n")
    }

    private static func text(of file: String) -> String { unsafe String(cString: embedded_query(file)) }
}
