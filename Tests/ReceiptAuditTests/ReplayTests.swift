import AppReceipt
import Foundation
import ReceiptForge
import SQLite
import TestSupport
import Testing

@testable import ReceiptAudit
@testable import RecordSources

/// Replays of untrusted databases. They trust no row and no part of the file.
struct ReplayTests {
    let workplace: Workplace
    let audit: Audit
    let output: String

    init() throws {
        workplace = try Workplace()
        let receipt = FindingTests.content(FindingTests.offer("101", original: "101"))
        let shared = try ["anna", "bert"].flatMap { try Forged.line($0, receipt, subject: $0) }
        let input = try workplace.write(try Forged.lines(12).joined() + shared, to: "in.ndjson")
        output = workplace.file("out.sqlite")
        // One of the apps contains the product "basic", so that there are verdicts on customers.
        audit = try Forged.audit([input], catalog: CustomerTests.catalog)
        _ = try audit.database(output)
    }

    /// Returns the differences that a replay reports after an SQL change.
    private func differences(_ change: String) throws -> [String] {
        let copy = workplace.file(UUID().uuidString)
        try FileManager.default.copyItem(atPath: output, toPath: copy)
        try Connection(path: copy).execute(change)
        var differences: [String] = []
        let holds = try audit.replay(copy, jobs: 1) { differences.append($0) }.holds
        #expect(holds == differences.isEmpty)
        return differences
    }

    /// Checks deleted findings with each index emptied that would lead to them.
    @Test(arguments: [
        "receipts_by_subject", "receipts_by_refusal", "customers_by_receipt",
        "evidence_by_receipt",
    ])
    func emptiedIndexHidesNothing(index: String) throws {
        // The index's root becomes the page of an empty table.
        let told = try differences(
            """
            DELETE FROM incident_findings; DELETE FROM finding_evidence; DELETE FROM findings;
            PRAGMA writable_schema = ON;
            UPDATE sqlite_master SET rootpage = (SELECT rootpage FROM sqlite_master WHERE name = 'findings')
                WHERE name = '\(index)'
            """)
        #expect(told.contains { $0.hasPrefix("damaged: ") })
        #expect(
            try differences(
                "DELETE FROM incident_findings; DELETE FROM finding_evidence; DELETE FROM findings"
            ).contains {
                $0.hasPrefix("findings ") && $0.hasSuffix(": missing row")
            })
    }

    /// Checks values of other types than this version writes.
    @Test(arguments: [
        ("UPDATE runs SET genuine = 'abc'", "runs: invalid genuine"),
        ("UPDATE runs SET as_of = 'abc'", "runs: invalid as_of"),
        ("UPDATE runs SET as_of = 9223372036854775807", "runs: invalid as_of"),
        ("UPDATE runs SET as_of_is_clock = x'00'", "runs: invalid as_of_is_clock"),
        ("UPDATE runs SET settings = x'7B7D'", "runs: invalid settings"),
        ("UPDATE runs SET ended_at = 1e300", "runs: invalid ended_at"),
        (
            "UPDATE certificates SET sha256 = upper(sha256) WHERE id = 1", "certificates 1: sha256 was"
        ),
        ("UPDATE certificates SET not_before = 'x' WHERE id = 1", "certificates 1: not_before was \"x\", is"),
        ("UPDATE receipts SET record = zeroblob(100000) WHERE id = 3", "receipts 3: record was x'0000"),
        ("UPDATE receipts SET place = 'x' WHERE id = 3", "receipts 3: place was \"x\", is 3"),
        ("PRAGMA foreign_keys = OFF; UPDATE transactions SET position = position + 0.5", "transactions 1, 0"),
        ("UPDATE findings SET summary = 1", "findings \"shared-receipt"),
        ("UPDATE customers SET subject = 'x' WHERE subject = 'anna'", "customers "),
        ("DELETE FROM customer_receipts", "customer_receipts "),
        ("UPDATE subject_verdicts SET introductory_outcome = 'eligible'", "subject_verdicts "),
        ("UPDATE subject_verdicts SET win_back_caveats = 'told-differently'", "subject_verdicts "),
        ("UPDATE runs SET hidden = 7", "runs 1: hidden was 7, is 0"),
        ("UPDATE runs SET links = NULL", "runs 1: links was NULL, is 0"),
        ("UPDATE runs SET blank_lines = 'x'", "runs: invalid blank_lines"),
        ("UPDATE receipts SET content_sha256 = sha256 WHERE id = 1", "receipts 1: content_sha256 was"),
    ])
    func valueOfAnotherTypeIsReported(change: String, told: String) throws {
        #expect(try differences(change).contains { $0.hasPrefix(told) }, "\(change)")
    }

    /// Checks that the schema is compared before any query. The first of these views would never end.
    @Test(arguments: [
        (
            """
            ALTER TABLE receipts RENAME TO others;
            CREATE VIEW receipts AS WITH RECURSIVE n (id) AS (SELECT 1 UNION ALL SELECT id FROM n) SELECT * FROM n
            """, "view receipts"
        ),
        ("CREATE VIEW mine AS SELECT 1", "view mine"),
        ("CREATE TABLE mine (a)", "table mine"),
        ("CREATE TRIGGER mine AFTER INSERT ON runs BEGIN SELECT 1; END", "trigger mine"),
        ("CREATE INDEX mine ON receipts (place)", "index mine"),
        ("DROP INDEX receipts_by_subject", "index receipts_by_subject"),
        ("ANALYZE", "table sqlite_stat1"),
        (
            "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = sql || ' ' WHERE name = 'runs'",
            "table runs"
        ),
    ])
    func changedSchemaIsReported(change: String, object: String) throws {
        #expect(
            try differences(change).contains("\(object): other definition than this version writes"),
            "\(change)")
    }

    @Test func missingIndexesAreReported() throws {
        let names: [String] = try Connection(path: output)
            .prepare("SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL").values()
        #expect(names.count == 4)
        let change = names.map { "DROP INDEX \($0);" }.joined()
        #expect(try differences(change) == ["missing indexes"])
    }

    /// Checks that changes without effect on readers are accepted.
    @Test(arguments: [
        "VACUUM", "PRAGMA journal_mode = WAL", "PRAGMA page_size = 512; VACUUM", "REINDEX",
        "PRAGMA auto_vacuum = FULL; VACUUM",
    ])
    func rewrittenFileIsAccepted(change: String) throws { #expect(try differences(change) == []) }

    /// Checks that resuming a run and writing a report refuse the same faults.
    @Test(arguments: [
        (
            "UPDATE runs SET genuine = 'abc', ended_at = NULL",
            "runs: invalid genuine"
        ),
        (
            "UPDATE certificates SET sha256 = upper(sha256)",
            "certificates: invalid sha256"
        ),
        (
            "CREATE TRIGGER mine AFTER INSERT ON runs BEGIN SELECT 1; END",
            "trigger mine: other definition than this version writes"
        ),
        (
            "UPDATE receipts SET created_at = 'x' WHERE id = 3",
            "receipts: invalid created_at"
        ),
        ("UPDATE runs SET settings = '[]'", "runs: invalid settings"),
        (
            "UPDATE runs SET records = -1, ended_at = NULL",
            "runs: invalid tree"
        ),
    ])
    func faultyRunIsNotResumed(change: String, message: String) throws {
        try Connection(path: output).execute(change)
        let error = #expect(throws: AuditError.self) {
            try audit.writeDatabase(
                to: output, page: workplace.file("r.html"), isResuming: true, jobs: 1,
                clock: { .init(millisecondsSince1970: 0) })
        }
        #expect(error?.description == "\(output): \(message)")
    }

    /// Checks that a replay reports at most a thousand differences, each shorter than a thousand bytes.
    @Test func differencesAreLimited() throws {
        var told: [String] = []
        let copy = workplace.file("copy")
        try FileManager.default.copyItem(atPath: output, toPath: copy)
        try withDatabase(copy) {
            try $0.execute(
                """
                INSERT INTO findings WITH RECURSIVE n (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n LIMIT 5000)
                SELECT 'x' || id, 'wrong-device', 'note', printf('%.*c', 10000, 'x') FROM n
                """)
        }
        #expect(try !audit.replay(copy, jobs: 1) { told.append($0) }.holds)
        #expect(told.count == 1001)
        #expect(told.last == "1000 differences; stopped comparing")
        #expect(told.allSatisfy { $0.utf8.count < 1000 })
    }

    /// Checks that a whole replay stays far below the limit on SQLite steps, and that the limit ends a query.
    @Test func stepsAreLimited() throws {
        let endless = "WITH RECURSIVE n (id) AS (SELECT 1 UNION ALL SELECT id FROM n) SELECT count(*) FROM n"
        let database = try AuditDatabase(path: output, isReadOnly: true)
        #expect(
            throws: AuditError("\(output): not an audit database: reading it takes too long for its size")
        ) {
            try database.access { try $0.execute(endless) }
        }
    }
}
