package import AppReceipt
package import RecordSources
import SQLite

/// A database of a finished audit that is opened read-only to answer questions.
///
/// The database is untrusted: a foreign or damaged one is an error. Its rows are not compared with
/// the sources; ``Audit/replay(_:jobs:differ:report:)`` does that.
package final class QuestionDatabase {
    let database: AuditDatabase
    /// The counts of the audit that made the database, or nil if the database existed before.
    package let counts: AuditCounts?

    /// Opens a database.
    /// - Throws: ``AuditError`` if the file is not the complete database of a finished run of this version.
    package init(path: String) throws {
        try InputFile(path: path).requireExistence()
        (database, counts) = (try AuditDatabase(path: path, isReadOnly: true), nil)
        // One transaction, so that the rows that are read are those that were checked.
        try database.access { try $0.begin(.deferred) }
        guard try database.holdsRun() else { throw AuditError("\(path): contains no audit run") }
        try database.requireSchema(mayHaveForgotten: true)
        guard try database.progress().isFinished else {
            throw AuditError("\(path): the run is not finished; finish it with audit --resume")
        }
        if let fault = try database.integrityFaults().first { throw AuditError("\(path): \(fault)") }
        try database.requireValues()
    }

    /// Reads all sources of an audit into a private database, which is deleted with this object.
    /// - Parameters:
    ///   - arguments: The command's arguments, which the database records.
    ///   - clock: The clock that is read when the run begins and ends.
    /// - Throws: ``AuditError`` if a source cannot be read.
    package init(
        auditing audit: Audit, arguments: [String], jobs: Int, clock: () -> Timestamp,
        report: @escaping (Audit.Progress) -> Void
    ) throws {
        let database = try AuditDatabase.temporary()
        let plan = try audit.makePlan(isEvidence: true)
        try database.begin(
            audit, audit.namedSettings(plan, hasLines: false), arguments: arguments, at: clock())
        let writer = try AuditWriter(database, audit.tree, recordsPerCommit: 16384)
        counts = try audit.fill(writer, plan, jobs: jobs, clock: clock, report: report)
        self.database = database
    }

    /// Answers a question, and calls `body` with the answer.
    package func answer<Result>(
        _ question: AuditQuestion, _ scope: QuestionScope, _ body: (QuestionAnswer) throws -> Result
    ) throws -> Result {
        try database.access { try body(QuestionAnswer(question, scope, of: $0)) }
    }

    /// Returns the number of records that were forgotten. No question counts them.
    package func forgotten() throws(AuditError) -> Int { try database.forgotten() }

    /// Returns the number of purchases that ``AuditQuestion/leavesOutUnknownOwners`` leaves out.
    package func unknownOwners(_ scope: QuestionScope) throws -> Int {
        try database.access { try scope.unknownOwners($0) }
    }

    /// Returns the numbers of genuine records that a question does not count, the largest first. Records under another
    /// trust anchor kind are grouped by kind, and their environment is nil. Records under the counted kind are grouped
    /// by environment, and their kind is nil. Their environment is nil if they name none.
    package func uncounted(
        _ scope: QuestionScope
    ) throws -> [(realm: TrustAnchorKind?, environment: String?, records: Int)] {
        let (realm, environment) = (scope.parameters[":realm"], scope.parameters[":environment"])
        return try database.access { database in
            try database.prepare(
                """
                SELECT nullif(r.realm, d.realm) AS realm, CASE WHEN r.realm = d.realm THEN environment END AS environment,
                    count(*) AS records
                FROM receipts r, (SELECT coalesce(nullif(?1, ''), realm) AS realm FROM default_realm) d
                WHERE status = 'genuine' AND (r.realm <> d.realm OR ?2 NOT IN (coalesce(environment, ''), 'any'))
                GROUP BY 1, 2 ORDER BY records DESC, 1, 2
                """, realm, environment
            ).map { row in
                try (
                    (row["realm"] as String?).flatMap(TrustAnchorKind.init), row["environment"],
                    row["records"]
                )
            }
        }
    }
}
