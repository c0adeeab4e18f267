import AppReceipt
import Foundation
import OfferEligibility
import ReceiptForge
import SQLite
import TestSupport
import Testing

@testable import ReceiptAudit
@testable import RecordSources

/// The audit's database: its content, and resuming after an interruption.
struct DatabaseTests {
    static let catalog = #"{"groups": {"main": ["com.example.app1.monthly", "com.example.app1.yearly"]}}"#

    let workplace: Workplace

    init() throws { workplace = try Workplace() }

    func input(_ count: Int) throws -> String {
        try workplace.write(try Forged.lines(count).joined() + Array("not JSON\n".utf8), to: "in.ndjson")
    }

    @Test func rowsDoNotDependOnThreads() throws {
        let input = try input(150)
        let audit = try Forged.audit([input], catalog: Self.catalog)
        let counts = try audit.database(workplace.file("one.sqlite"), jobs: 1)
        _ = try audit.database(workplace.file("four.sqlite"), jobs: 4)
        #expect(counts.records == 151)
        #expect(counts.unreadable == 1)
        #expect(try dump(workplace.file("one.sqlite")) == dump(workplace.file("four.sqlite")))
        try withDatabase(workplace.file("one.sqlite")) { database in
            #expect(try database.prepare("PRAGMA foreign_key_check").rows().isEmpty)
            let views: [String] = try database.prepare("SELECT name FROM sqlite_master WHERE type = 'view'")
                .values()
            for view in views { _ = try database.prepare("SELECT * FROM \(view)").rows() }
            let row = try database.prepare("SELECT * FROM receipts WHERE refusal_code = 'unreadable'")
                .firstRow()
            let unreadable = try #require(row)
            #expect(try unreadable["place"] == 151)
            #expect(try unreadable["record"] as String? == nil)
        }
    }

    @Test func finishedRunIsNotOverwritten() throws {
        let audit = try Forged.audit([try input(5)])
        let output = workplace.file("out.sqlite")
        let counts = try audit.database(output)
        let error = #expect(throws: AuditError.self) { try audit.database(output) }
        #expect(
            error?.description
                == "refusing to overwrite \(output); use --resume to continue the run, --replay to check it, "
                + "or choose another path")
        let before = try dump(output)
        #expect(try audit.database(output, isResuming: true).records == counts.records)
        #expect(try dump(output) == before)
    }

    @Test func otherSettingsAreNamed() throws {
        let input = try input(5)
        let output = workplace.file("out.sqlite")
        _ = try Forged.audit([input]).database(output)
        for (other, name) in [
            (
                try Forged.audit([input], asOf: .date(Timestamp(millisecondsSince1970: 0))),
                "as-of was 2026-01-01T00:00:00Z, is 1970-01-01T00:00:00Z"
            ),
            (try Forged.audit([input], deviceID: [1]), "device-id was any, is 01"),
            (try Forged.audit([input + "x"]), "sources was \(list([input])), is \(list([input + "x"]))"),
        ] {
            let error = #expect(throws: AuditError.self) { try other.database(output, isResuming: true) }
            #expect(error?.description == "\(output): made with other settings: \(name)")
        }
    }

    @Test func otherDatabasesAreRefused() throws {
        let audit = try Forged.audit([try input(5)])
        let text = try workplace.write(
            Array("some text that is long enough to be no database at all".utf8), to: "text")
        #expect(throws: AuditError("\(text): not an audit database, or damaged")) {
            try audit.database(text, isResuming: true)
        }
        let other = workplace.file("other.sqlite")
        try Connection(path: other).execute("CREATE TABLE t (a)")
        #expect(throws: AuditError("\(other): not an audit database")) {
            try audit.database(other, isResuming: true)
        }
    }

    @Test func recordsBeforeDamageAreKept() throws {
        let whole = try Forged.lines(60).joined()
        try workplace.write(whole, to: "in.ndjson")
        try workplace.shell("gzip -k in.ndjson")
        let packed = try workplace.read("in.ndjson.gz")
        let source = try workplace.write(packed.prefix(packed.count / 2), to: "in.ndjson.gz")
        let output = workplace.file("out.sqlite")
        let audit = try Forged.audit([source])
        // The damage is a record. The run ends and reports it.
        let counts = try audit.database(output, lines: workplace.file("lines"))
        #expect(counts.unreadable == 1)
        #expect(counts.records > 1)
        #expect(counts.records < 60)
        #expect(counts.firstUnreadable?.contains("cut off") == true)
        let rows: Int? = try Connection(path: output).prepare("SELECT count(*) FROM receipts").firstValue()
        #expect(rows == counts.records)
        let lines = try workplace.read("lines")
        #expect(lines.filter { $0 == 0x0A }.count == rows)
        // After the source is repaired, a new audit gives the same lines up to the damage.
        try workplace.write(packed, to: "in.ndjson.gz")
        _ = try audit.database(workplace.file("whole.sqlite"), lines: workplace.file("whole"))
        let before = lines.split(separator: 0x0A).dropLast()
        #expect(try workplace.read("whole").split(separator: 0x0A).prefix(before.count).elementsEqual(before))
    }

    // MARK: - Replay

    @Test func replayDetectsChangedRows() throws {
        let audit = try Forged.audit([try input(80)], catalog: Self.catalog)
        let output = workplace.file("out.sqlite")
        _ = try audit.database(output)
        #expect(try audit.replay(output, jobs: 2) { Issue.record("\($0)") }.holds)
        for change in [
            "UPDATE receipts SET status = 'genuine' WHERE id = (SELECT min(id) FROM receipts WHERE status = 'refused')",
            "UPDATE receipts SET subject = 'nobody' WHERE id = 3",
            "UPDATE receipts SET record = record || char(0) || 'x' WHERE id = 3",
            "UPDATE certificates SET subject = subject || char(0) || 'x' WHERE id = 1",
            "UPDATE transactions SET is_trial_period = 1 - is_trial_period",
            "UPDATE certificates SET subject = 'CN=Apple' WHERE id = 1",
            "UPDATE verdicts SET introductory_outcome = 'undetermined'",
            "DELETE FROM verdicts WHERE receipt_id = (SELECT max(receipt_id) FROM verdicts)",
            "UPDATE customers SET subject = 'nobody' WHERE id = 1",
            "UPDATE subject_verdicts SET introductory_outcome = 'undetermined'",
            "DELETE FROM customer_receipts WHERE receipt_id = (SELECT min(receipt_id) FROM customer_receipts)",
            "DELETE FROM finding_kinds WHERE kind = 'told-differently'",
            "UPDATE runs SET genuine = genuine + 1",
            "INSERT INTO receipts (id, source, place, status) VALUES (1000, '', 1, 'genuine')",
            "INSERT INTO findings VALUES ('x', 'wrong-device', 'note', '')",
            "INSERT INTO certificates VALUES (100, 'aa', '', '', '', 0, 0)",
            "UPDATE runs SET anchors = '[\"aa\"]'", "UPDATE runs SET catalog_sha256 = 'aa'",
            "UPDATE runs SET as_of_is_clock = 1", "UPDATE runs SET records = records + 1",
        ] {
            let copy = workplace.file(UUID().uuidString)
            try FileManager.default.copyItem(atPath: output, toPath: copy)
            let changed = try withDatabase(copy) { database in
                try database.execute(change)
                return database.changes
            }
            var differences: [String] = []
            #expect(try !audit.replay(copy, jobs: 2) { differences.append($0) }.holds, "\(change)")
            #expect(changed > 0, "\(change)")
            #expect(!differences.isEmpty, "\(change)")
        }
    }
    @Test func replayDetectsAChangedSchema() throws {
        let audit = try Forged.audit([try input(10)])
        let output = workplace.file("out.sqlite")
        _ = try audit.database(output)
        for (change, object) in [
            ("DROP VIEW refunds", "view refunds"),
            ("DROP VIEW refunds; CREATE VIEW refunds AS SELECT 1", "view refunds"),
            ("DROP INDEX receipts_by_subject", "index receipts_by_subject"),
            ("ALTER TABLE verdicts ADD COLUMN x", "table verdicts"),
        ] {
            let copy = workplace.file(UUID().uuidString)
            try FileManager.default.copyItem(atPath: output, toPath: copy)
            try Connection(path: copy).execute(change)
            var differences: [String] = []
            #expect(try !audit.replay(copy, jobs: 2) { differences.append($0) }.holds)
            #expect(differences == ["\(object): other definition than this version writes"])
        }
    }

    // MARK: - Rows

    @Test func purchasesWithEmptyIdentifiersAreNotMerged() throws {
        try withDatabase(":memory:") { database in
            try database.execute(AuditSchema.tables + AuditSchema.views)
            try database.execute(
                "INSERT INTO receipts (source, place, status, bundle_id) VALUES ('', 1, 'genuine', 'b')")
            for (position, id) in [nil, nil, "", "", "0", "0", "1", "1"].enumerated() {
                try database.prepare(
                    "INSERT INTO transactions (receipt_id, position, transaction_id) VALUES (1, ?, ?)",
                    position, id
                ).execute()
            }
            let ids: [String?] = try database.prepare(
                "SELECT transaction_id FROM purchases ORDER BY position"
            ).values()
            #expect(ids.dropLast() == [nil, nil, "", "", "0", "0"])
            #expect(ids.last == "1")
        }
    }

    @Test func failedInsertIsAnError() throws {
        try withDatabase(":memory:") { database in
            try database.execute("CREATE TABLE t (a, b)")
            let insertion = try Insertion(Insertion.SQL("t", ["a", "b"]), database)
            var cells = RowCells()
            cells.add("x")
            cells.add("y")
            #expect(throws: SQLiteError.self) { try insertion.insert(1, cells: cells, 0..<2, database) }
            // No value of an earlier row remains.
            try insertion.insert(1, cells: cells, 0..<1, database)
            try insertion.insert(nil, cells: cells, 0..<0, database)
            #expect(
                try database.prepare("SELECT * FROM t").map(\.values) == [
                    [.integer(1), "x".value], [.null, .null],
                ])
        }
    }
}
