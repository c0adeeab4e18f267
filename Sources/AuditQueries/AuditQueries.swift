/// The SQL of audits, apart from queries that depend on their input.
package enum AuditQueries {
    /// The statements that create the tables. `CREATE TABLE name;` is a table whose rows have columns from code.
    package static let tables = text(PackageResources.tables_sql)
    /// The statements that create the views.
    package static let views = text(PackageResources.views_sql)
    /// The rules of the findings. Each query returns rows of evidence.
    package static let findings = AuditQuery.list(text(PackageResources.findings_sql))
    /// The tables of the CSV export, by file, without those that list the columns of one table.
    package static let csv = AuditQuery.list(text(PackageResources.csv_sql))

    private static let questions = AuditQuery.list(text(PackageResources.questions_sql))

    /// Returns a question: the selection, the rows and the accounts, if they are not those of purchases.
    package static func question(_ name: String) -> AuditQuery {
        questions.first { $0.name == name } ?? AuditQuery(name: name, title: "", details: "", sql: ";\n")
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
