import SQLite

/// A database of a finished audit that is opened read-only to answer questions.
///
/// The database is untrusted: a foreign or damaged one is an error. Its rows are not compared with
/// the sources; ``Audit/replay(_:jobs:differ:report:)`` does that.
public final class QuestionDatabase {
    private let database: AuditDatabase

    /// Opens a database.
    /// - Throws: ``AuditError`` if the file is not the complete database of a finished run of this version.
    public init(path: String) throws {
        try InputFile(path: path).requireExistence()
        database = try AuditDatabase(path: path, isReadOnly: true)
        // One transaction, so that the rows that are read are those that were checked.
        try database.access { try $0.begin(.deferred) }
        guard try database.holdsRun() else { throw AuditError("\(path): contains no audit run") }
        try database.requireForm()
        guard try database.progress().isFinished else {
            throw AuditError("\(path): the run is not finished; finish it with audit --resume")
        }
        if let fault = try database.integrityFaults().first { throw AuditError("\(path): \(fault)") }
        try database.requireValues()
    }

    /// Answers a question, and calls `body` with the answer.
    package func answer<Result>(
        _ question: AuditQuestion, _ scope: QuestionScope, _ body: (QuestionAnswer) throws -> Result
    ) throws -> Result {
        try database.access { try body(QuestionAnswer(question, scope, of: $0)) }
    }

    /// Returns the number of genuine records in each environment, the most frequent first. Nil means that the records
    /// name none.
    public func environments() throws -> [(name: String?, records: Int)] {
        try database.access { database in
            try database.prepare(
                """
                SELECT environment, count(*) AS records FROM receipts WHERE status = 'genuine'
                GROUP BY environment ORDER BY records DESC, environment
                """
            ).map { row -> (name: String?, records: Int) in try (row["environment"], row["records"]) }
        }
    }
}
