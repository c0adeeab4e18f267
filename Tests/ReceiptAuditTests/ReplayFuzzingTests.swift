import Foundation
import ReceiptForge
import SQLite
import TestSupport
import Testing

@testable import ReceiptAudit
@testable import RecordSources

/// Replays of databases with random damage and random SQL changes. A replay must not trap or hang, and must
/// find every changed row. This suite runs a part with a fixed seed. `Tests/Fuzz/replay` runs more.
struct ReplayFuzzingTests {
    private static let environment = ProcessInfo.processInfo.environment
    /// The number of mutants. Under a sanitizer, `HARDENING_SHARE` gives a percentage.
    private static let mutants =
        environment["REPLAY_MUTANTS"].flatMap(Int.init)
        ?? max(10, 60 * (environment["HARDENING_SHARE"].flatMap(Int.init) ?? 100) / 100)
    private static let seed = environment["REPLAY_SEED"].flatMap(UInt64.init) ?? 0x5EED

    @Test func mutantsHaveNoFault() throws {
        let workplace = try Workplace()
        let receipt = FindingTests.content(FindingTests.offer("101", original: "101"))
        let shared = try ["anna", "bert"].flatMap { try Forged.line($0, receipt, subject: $0) }
        let input = try workplace.write(try Forged.lines(6).joined() + shared, to: "in.ndjson")
        let whole = workplace.file("whole.sqlite")
        let audit = try Forged.audit([input], catalog: DatabaseTests.catalog)
        _ = try audit.database(whole)
        // Small pages, so that damage affects pages of every kind.
        try Connection(path: whole).execute("PRAGMA page_size = 512; VACUUM")
        let bytes = try workplace.read("whole.sqlite")
        let rows = try Self.rows(of: whole)
        var random = SplitMix64(seed: Self.seed)
        var held = 0
        for number in 0..<Self.mutants {
            let mutant = workplace.file("mutant.sqlite")
            for suffix in ["", "-journal", "-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: mutant + suffix)
            }
            try workplace.write(bytes, to: "mutant.sqlite")
            var changes: [String] = []
            for _ in 0...Int(random.next() % 2) { changes.append(try Self.change(mutant, &random)) }
            var told: [String] = []
            do {
                guard try audit.replay(mutant, jobs: 1, differ: { told.append($0) }).holds else {
                    #expect(!told.isEmpty, "mutant \(number), \(changes): no word of what is wrong")
                    continue
                }
            } catch let error as AuditError {
                #expect(error.description.hasPrefix(mutant), "mutant \(number), \(changes): \(error)")
                continue
            }
            held += 1
            #expect(try Self.rows(of: mutant) == rows, "mutant \(number) holds: \(changes)")
        }
        // Some changes have no effect, but most do.
        #expect(held > 0)
        #expect(held < Self.mutants / 2)
    }

    /// Returns everything that a reader of a database sees, without values that a replay cannot know, and
    /// with SQLite's integrity check.
    private static func rows(of path: String) throws -> [[Value]] {
        try withDatabase(path) { database in
            func rows(_ sql: String) throws -> [[Value]] {
                try database.prepare(sql).map(\.values)
            }
            let runs = """
                anchors, catalog_sha256, as_of, as_of_is_clock, records, genuine, refused, unreadable, absent, hidden,
                filtered, links, blank_lines, missing_fields, ended_at IS NULL
                """
            return try rows("SELECT \(runs) FROM runs") + rows("PRAGMA integrity_check")
                + rows("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY 1, 2")
                + AuditSchema.tableNames.dropFirst().flatMap { try rows("SELECT * FROM \($0) ORDER BY 1, 2") }
                + rows("SELECT sha256, subject FROM receipts ORDER BY 1, 2")
                + rows("SELECT transaction_id FROM transactions ORDER BY 1")
        }
    }

    // MARK: - Changes

    private static func change(_ path: String, _ random: inout SplitMix64) throws -> String {
        if random.next() % 2 == 0 { return try damage(path, &random) }
        let sql = statement(&random)
        // A statement that SQLite refuses changes nothing.
        try? Connection(path: path).execute(sql)
        return sql
    }

    private static func damage(_ path: String, _ random: inout SplitMix64) throws -> String {
        var bytes = Array(try Data(contentsOf: URL(filePath: path)))
        func below(_ count: Int) -> Int { Int(random.next() % UInt64(max(count, 1))) }
        let page = below(bytes.count / 512) * 512
        guard bytes.count >= page + 512 else { return "nothing" }
        let kind = below(8)
        switch kind {
        case 0: bytes[below(bytes.count)] ^= 1 << UInt8(below(8))
        case 1: for _ in 0..<10 { bytes[page + below(512)] = UInt8(below(256)) }
        case 2: for index in 0..<512 { bytes[page + index] = UInt8(truncatingIfNeeded: random.next()) }
        case 3: bytes.replaceSubrange(page..<page + 512, with: repeatElement(0, count: 512))
        case 4:
            let other = below(bytes.count / 512) * 512
            bytes.replaceSubrange(page..<page + 512, with: bytes[other..<other + 512])
        // The page header: kind, cells and their offsets.
        case 5: bytes[page + (page == 0 ? 100 : 0) + below(16)] = UInt8(below(256))
        case 6: bytes[below(100)] = UInt8(below(256))
        default: bytes.removeLast(below(bytes.count))
        }
        try Data(bytes).write(to: URL(filePath: path))
        return "damage \(kind) at \(page)"
    }

    private static let tables: [(name: String, columns: [String])] = [
        (
            "runs",
            [
                "tool_version", "settings", "anchors", "catalog_sha256", "as_of", "as_of_is_clock",
                "started_at",
                "ended_at", "records", "genuine", "refused", "unreadable", "absent", "hidden", "filtered",
                "links",
                "blank_lines", "missing_fields", "ndjson_bytes", "ndjson_digest",
            ]
        ),
        ("certificates", RowTable.certificates.insertion), ("receipts", RowTable.receipts.insertion),
        ("transactions", RowTable.transactions.insertion), ("verdicts", RowTable.verdicts.insertion),
        ("customers", RowTable.customers.insertion),
        ("customer_receipts", ["customer_id", "receipt_id"]),
        ("subject_verdicts", RowTable.subjectVerdicts.insertion),
        ("finding_kinds", ["kind", "title", "reason"]), ("findings", ["id", "kind", "severity", "summary"]),
        ("finding_evidence", ["finding_id", "number", "receipt_id", "position", "certificate_id"]),
        ("revocation_lists", ["sha256", "issuer", "issued_at", "next_update", "entries", "unused_because"]),
    ]

    private static func statement(_ random: inout SplitMix64) -> String {
        func any<Value>(_ values: [Value]) -> Value { values[Int(random.next() % UInt64(values.count))] }
        let table = any(tables)
        let column = any(table.columns)
        let value = any([
            "'abc'", "NULL", "x'00FF'", "1.5", "-1", "9223372036854775807", "-9223372036854775808", "1e300",
            "''",
            "char(0)", "upper(\(column))", "\(column) || 'x'", "\(column) + 1", "CAST(\(column) AS BLOB)",
            "'\u{2400}'", "zeroblob(3000)", "(SELECT max(\(column)) FROM \(table.name))",
        ])
        let one = "(SELECT \(column) FROM \(table.name) LIMIT 1 OFFSET \(random.next() % 4))"
        let object = any([
            "receipts_by_subject", "receipts_by_refusal", "refunds", "purchases", "findings", "runs",
        ])
        return any([
            "UPDATE OR IGNORE \(table.name) SET \(column) = \(value)",
            "UPDATE OR IGNORE \(table.name) SET \(column) = \(value) WHERE \(column) IS \(one)",
            "DELETE FROM \(table.name) WHERE \(column) IS \(one)",
            "PRAGMA foreign_keys = OFF; DELETE FROM \(table.name)",
            "PRAGMA ignore_check_constraints = ON; UPDATE OR IGNORE \(table.name) SET \(column) = \(value)",
            "INSERT OR IGNORE INTO \(table.name) (\(column)) VALUES (\(value))",
            "PRAGMA writable_schema = ON; UPDATE sqlite_master SET rootpage = \(random.next() % 60) WHERE name = '\(object)'",
            "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = replace(sql, ' NOT NULL', '') WHERE name = '\(object)'",
            "PRAGMA writable_schema = ON; DELETE FROM sqlite_master WHERE name = '\(object)'",
            "DROP VIEW \(object)", "DROP INDEX \(object)", "CREATE INDEX mine ON \(table.name) (\(column))",
            "CREATE TRIGGER mine AFTER UPDATE ON \(table.name) BEGIN DELETE FROM findings; END",
            """
            ALTER TABLE \(table.name) RENAME TO other; CREATE VIEW \(table.name) AS
            WITH RECURSIVE n (\(column)) AS (SELECT 1 UNION ALL SELECT \(column) FROM n) SELECT * FROM n
            """,
            "PRAGMA user_version = \(AuditSchema.version + 1)", "PRAGMA application_id = 9",
            "PRAGMA journal_mode = WAL", "VACUUM",
            "PRAGMA auto_vacuum = FULL; VACUUM", "ANALYZE", "REINDEX", "PRAGMA page_size = 1024; VACUUM",
        ])
    }
}
