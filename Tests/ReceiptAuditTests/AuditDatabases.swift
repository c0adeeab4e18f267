import AppReceipt
import SQLite

@testable import ReceiptAudit

extension Audit {
    func database(_ path: String, lines: String? = nil, isResuming: Bool = false, jobs: Int = 2) throws
        -> AuditCounts
    {
        try writeDatabase(
            to: path, lines: lines, isResuming: isResuming, jobs: jobs, recordsPerCommit: 10,
            clock: { Timestamp(millisecondsSince1970: 0) })
    }
}

/// Runs `body` in a transaction of a connection.
func withDatabase<Result>(_ path: String, _ body: (Connection) throws -> Result) throws -> Result {
    let database = try Connection(path: path)
    return try database.transaction(.deferred) { try body(database) }
}

/// Returns every row of every table, without the time and place of a run.
func dump(_ path: String) throws -> [String] {
    try withDatabase(path) { database in
        var rows: [String] = []
        for table in [
            "runs", "certificates", "receipts", "transactions", "renewals", "notifications", "verdicts",
            "customers", "customer_receipts",
            "subject_verdicts", "finding_kinds", "findings", "finding_evidence", "incidents",
            "incident_findings",
            "not_looked_for", "inputs", "revocation_lists",
        ] {
            for row in try database.prepare("SELECT * FROM \(table) ORDER BY 1, 2").rows() {
                for (name, value) in zip(row.names, row.values)
                where !["started_at", "ended_at", "arguments"].contains(name) {
                    rows.append("\(table).\(name) \(value)")
                }
            }
        }
        return rows
    }
}

/// Makes a run look as if it was interrupted before its end.
func unfinish(_ path: String) throws {
    try withDatabase(path) {
        for table in [
            "incident_findings", "incidents", "not_looked_for", "inputs", "finding_evidence", "findings",
            "finding_kinds", "subject_verdicts", "customer_receipts", "customers",
        ] {
            try $0.execute("DELETE FROM \(table)")
        }
        try $0.execute("UPDATE runs SET ended_at = NULL")
        for name: String in try $0.prepare(
            "SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
        ).values() { try $0.execute("DROP INDEX \(name)") }
    }
}
