import Foundation
import ReceiptForge
import SQLite
import TestSupport
import Testing

@testable import ReceiptAudit

/// The command `forget`: what is removed, what stays, and what can still be checked.
@Suite(.serialized)
struct ForgettingTests {
    let workplace: Workplace
    let root: String
    let input: String
    let catalog: String
    let database: String
    let lines: String

    /// Names that occur only in the records of the account "anna".
    private static let secrets = ["anna@example.com", "record-of-anna", "7770001", "7770002"]

    /// The forged input: the account "anna" has four records. One receipt of it is also that of "bert".
    private static let export = Result<[UInt8], any Error> {
        func receipt(_ id: String, original: String) throws -> [UInt8] {
            try Forged.receipt(FindingTests.content(FindingTests.offer(id, original: original)))
        }
        let own = try receipt("7770001", original: "7770001")
        let shared = try receipt("555", original: "555")
        let renewal = try ForgedJWS.text(ForgedJWS.transaction("7770002"))
        let subject = secrets[0]
        return try Forged.line("first", receipt("101", original: "101"), subject: "carl")
            + Forged.line("record-of-anna-1", own, subject: subject)
            + Forged.line("record-of-anna-2", shared, subject: subject)
            + Forged.line("of bert", shared, subject: "bert")
            + ForgedJWS.line("record-of-anna-3", renewal, subject: subject)
            + Array(#"{"id":"record-of-anna-4","receipt":"","subject":"\#(subject)"}"#.utf8) + [0x0A]
            + Forged.line("without-subject", receipt("102", original: "102"))
            + Array("not JSON\n".utf8)
    }

    init() throws {
        workplace = try Workplace()
        root = try workplace.write(try Forged.root(), to: "root.cer")
        input = try workplace.write(try Self.export.get(), to: "in.ndjson")
        catalog = try workplace.write(
            Array(#"{"groups": {"main": ["basic", "pro"]}}"#.utf8), to: "catalog.json")
        database = workplace.file("out.sqlite")
        lines = workplace.file("lines.ndjson")
    }

    private func audit(_ arguments: String...) throws -> EndedProcess {
        try Tool.run(
            ["audit", input, "--root", root, "--as-of", "2026-01-01T00:00:00Z", "--catalog", catalog]
                + arguments)
    }

    private func forget(_ arguments: String...) throws -> EndedProcess {
        try Tool.run(["forget"] + arguments)
    }

    /// Audits the input, and forgets "anna".
    private func forgetAnna() throws -> EndedProcess {
        #expect(try audit("--output", database, "--ndjson", lines).status == 2)
        let answer = try forget(Self.secrets[0], "--database", database, "--lines", lines)
        #expect(answer.status == 0, "\(answer.messages)")
        return answer
    }

    /// Returns the secrets in a file.
    private func secrets(in path: String) throws -> [String] {
        let data = try Data(contentsOf: URL(filePath: path))
        return Self.secrets.filter { data.range(of: Data($0.utf8)) != nil }
    }

    private func text(_ path: String) throws -> [Substring] {
        try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    }

    // MARK: - What is gone

    @Test func databaseAndLinesHaveNothingOfTheSubject() throws {
        #expect(try audit("--output", database, "--ndjson", lines).status == 2)
        #expect(try secrets(in: database) == Self.secrets)
        let digests = try ask(
            database,
            "SELECT sha256 FROM receipts WHERE subject = '\(Self.secrets[0])' AND sha256 IS NOT NULL AND id <> 3"
        )
        #expect(digests.count == 2)
        #expect(try forget(Self.secrets[0], "--database", database, "--lines", lines).status == 0)
        #expect(try secrets(in: database) == [])
        #expect(try secrets(in: lines) == [])
        for path in [database, lines] {
            let data = try Data(contentsOf: URL(filePath: path))
            for digest in digests { #expect(data.range(of: Data(digest.utf8)) == nil) }
        }
        #expect(!FileManager.default.fileExists(atPath: database + "-journal"))
    }

    @Test func tombstonesHaveOnlyTheLeaf() throws {
        #expect(try audit("--output", database, "--ndjson", lines).status == 2)
        let leaves = try ask(database, "SELECT lower(hex(leaf)) FROM receipts ORDER BY id")
        let before = try text(lines)
        #expect(try forget(Self.secrets[0], "--database", database, "--lines", lines).status == 0)
        let after = try text(lines)
        #expect(after.count == 8)
        for (index, line) in after.enumerated() {
            let isForgotten = [1, 2, 4, 5].contains(index)
            #expect(line == (isForgotten ? #"{"forgotten":"\#(leaves[index])"}"# : before[index]))
        }
        #expect(
            try ask(database, "SELECT id, lower(hex(leaf)) FROM forgotten")
                == [1, 2, 4, 5].map { "\($0 + 1) \(leaves[$0])" })
    }

    // MARK: - What stays

    /// Checks that kinds of findings which the remaining records cannot show are listed as skipped, each once.
    @Test(arguments: [
        // One subject remains, then none.
        (["bert"], ["shared-purchase 1", "shared-receipt 1"]),
        (["bert", "carl"], ["several-introductory-offers 1", "shared-purchase 1", "shared-receipt 1"]),
    ])
    func checksThatBecameImpossibleAreListed(subjects: [String], kinds: [String]) throws {
        #expect(try audit("--output", database).status == 2)
        let query = """
            SELECT kind, count(*) FROM not_looked_for
            WHERE kind IN ('shared-receipt', 'shared-purchase', 'several-introductory-offers') GROUP BY kind
            """
        #expect(try ask(database, query) == [])
        for subject in [Self.secrets[0]] + subjects {
            #expect(try forget(subject, "--database", database).status == 0)
        }
        #expect(try ask(database, query) == kinds)
    }

    @Test func otherSubjectsKeepTheirRows() throws {
        #expect(try audit("--output", database).status == 2)
        let queries = [
            "SELECT * FROM receipts WHERE subject IS NOT '\(Self.secrets[0])'",
            "SELECT * FROM transactions WHERE receipt_id NOT IN (2, 3, 5, 6)",
            "SELECT * FROM verdicts WHERE receipt_id NOT IN (2, 3, 5, 6)",
            "SELECT * FROM customers WHERE subject IS NOT '\(Self.secrets[0])'",
            "SELECT * FROM subject_verdicts JOIN customers ON id = customer_id WHERE subject IS NOT '\(Self.secrets[0])'",
        ]
        let before = try queries.map { try withDatabaseRows(database, $0) }
        #expect(try forget(Self.secrets[0], "--database", database).status == 0)
        for (query, rows) in zip(queries, before) {
            #expect(try withDatabaseRows(database, query) == rows, "\(query)")
            #expect(!rows.isEmpty)
        }
        // The shared purchase is now that of "bert" alone.
        #expect(try ask(database, "SELECT subject FROM purchases WHERE transaction_id = '555'") == ["bert"])
    }

    private func withDatabaseRows(_ path: String, _ sql: String) throws -> [[Value]] {
        try withDatabase(path) { try $0.prepare(sql).map(\.values) }
    }

    @Test func findingsAreThoseOfTheOtherRecords() throws {
        _ = try forgetAnna()
        let others = try workplace.write(
            try text(input).filter { !$0.contains(Self.secrets[0]) }.joined(separator: "\n").utf8,
            to: "others.ndjson")
        let fresh = workplace.file("fresh.sqlite")
        let answer = try Tool.run(
            "audit", others, "--root", root, "--as-of", "2026-01-01T00:00:00Z", "--catalog", catalog,
            "--output", fresh)
        #expect(answer.status == 2)
        for query in [
            "SELECT kind, severity, summary FROM findings ORDER BY id",
            "SELECT kind, severity, summary, findings, receipts FROM incidents ORDER BY id",
            "SELECT kind FROM finding_kinds ORDER BY kind",
        ] {
            #expect(try ask(database, query) == ask(fresh, query), "\(query)")
        }
        #expect(try ask(database, "SELECT count(*) FROM findings WHERE kind = 'shared-receipt'") == ["0"])
    }

    @Test func rootFollowsFromLeavesAndTombstones() throws {
        let answer = try forgetAnna()
        // RFC 6962, 2.1, independently of this program.
        let script = """
            import hashlib, sqlite3, sys
            database = sqlite3.connect(sys.argv[1])
            rows = database.execute("SELECT id, leaf FROM receipts UNION ALL SELECT id, leaf FROM forgotten ORDER BY 1").fetchall()
            assert [row[0] for row in rows] == list(range(1, len(rows) + 1))
            def root(leaves):
                if len(leaves) == 1: return leaves[0]
                half = 1
                while 2 * half < len(leaves): half *= 2
                return hashlib.sha256(b"\\1" + root(leaves[:half]) + root(leaves[half:])).digest()
            print(root([row[1] for row in rows]).hex())
            """
        let computed = try EndedProcess(["python3", "-c", script, database]).output
        let stored = try ask(database, "SELECT root FROM runs")
        #expect(computed == stored[0] + "\n")
        #expect(answer.messages.contains("forgotten: 4 records; the Merkle root stays \(stored[0])"))
    }

    @Test func remainsAreDigestsVerdictsAndRoot() throws {
        #expect(try audit("--output", database).status == 2)
        let rows = try ask(
            database,
            "SELECT id, sha256, status FROM receipts WHERE subject = '\(Self.secrets[0])' ORDER BY id")
        let root = try ask(database, "SELECT root FROM runs")[0]
        let answer = try forget(Self.secrets[0], "--database", database)
        let objects = try answer.output.split(separator: "\n").map {
            try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] ?? [:]
        }
        #expect(objects.count == 5)
        let written = objects.dropLast().map {
            "\($0["number"] as? Int ?? 0) \($0["sha256"] as? String ?? "-") \($0["status"] as? String ?? "-")"
        }
        #expect(written == rows)
        #expect(objects.last?["root"] as? String == root)
        #expect(objects.last?["records"] as? Int == 8)
        #expect(objects.last?["forgotten"] as? Int == 4)
        #expect(Self.secrets.filter(answer.output.contains) == [])
    }

    @Test func questionsSayThatRecordsWereForgotten() throws {
        _ = try forgetAnna()
        for command in ["ask", "migrate"] {
            let arguments = command == "ask" ? ["customers"] : []
            let answer = try Tool.run(
                [command] + arguments + ["--environment", "any", "--database", database])
            #expect(answer.status == 0)
            #expect(answer.messages.contains("not counted: 4 forgotten records"), "\(answer.messages)")
            #expect(Self.secrets.filter(answer.output.contains) == [])
        }
        // The run's own counts stay, because the root covers the forgotten records.
        #expect(try ask(database, "SELECT records FROM runs") == ["8"])
    }

    @Test(arguments: ["--replay", "--resume"])
    func auditIsNotResumedOrReplayed(option: String) throws {
        _ = try forgetAnna()
        let answer =
            try option == "--replay" ? audit("--replay", database) : audit("--resume", "--output", database)
        #expect(answer.status == 2)
        #expect(answer.messages.contains("4 records forgotten, so the audit cannot be resumed or replayed"))
    }

    @Test func otherRecordsAreStillProven() throws {
        _ = try forgetAnna()
        let answer = try audit(
            "--prove", "id:of bert", "--database", database, "--output", workplace.file("proof"))
        #expect(answer.output.hasPrefix("record 4 of 8: "), "\(answer.messages)")
        let check = try Tool.run("evidence", "--check", workplace.file("proof"), "--root", root)
        let root = try ask(database, "SELECT root FROM runs")[0]
        #expect(check.output.contains("record 4 of 8 under Merkle root \(root)"))
    }

    // MARK: - Safety

    @Test func unknownSubjectChangesNothing() throws {
        #expect(try audit("--output", database).status == 2)
        let before = try workplace.read("out.sqlite")
        let answer = try forget("dora", "--database", database)
        #expect(answer.status == 1)
        #expect(answer.output == "")
        #expect(try workplace.read("out.sqlite") == before)
    }

    @Test(arguments: [0, 1, 7])
    func otherLinesAreRefused(index: Int) throws {
        #expect(try audit("--output", database, "--ndjson", lines).status == 2)
        let before = try workplace.read("out.sqlite")
        var changed = try text(lines)
        changed[index] = #"{"id":"x","status":"absent"}"#
        let bytes = Array((changed.joined(separator: "\n") + "\n").utf8)
        try workplace.write(bytes, to: "lines.ndjson")
        let answer = try forget(Self.secrets[0], "--database", database, "--lines", lines)
        #expect(answer.status == 2)
        #expect(answer.messages.hasPrefix("error: \(lines): record \(index + 1): "), "\(answer.messages)")
        #expect(try workplace.read("out.sqlite") == before)
        #expect(try workplace.read("lines.ndjson") == bytes)
    }

    /// The lines are replaced before the database changes, so an interruption leaves tombstones in the lines alone.
    @Test func interruptedRunIsRepeated() throws {
        #expect(try audit("--output", database, "--ndjson", lines).status == 2)
        let before = try workplace.read("out.sqlite")
        #expect(try forget(Self.secrets[0], "--database", database, "--lines", lines).status == 0)
        let after = try workplace.read("lines.ndjson")
        try workplace.write(before, to: "out.sqlite")
        #expect(try forget(Self.secrets[0], "--database", database, "--lines", lines).status == 0)
        #expect(try workplace.read("lines.ndjson") == after)
        #expect(try secrets(in: database) == [])
    }

    @Test func otherSubjectsAreForgottenLater() throws {
        _ = try forgetAnna()
        let answer = try forget("bert", "carl", "--database", database, "--lines", lines)
        #expect(answer.status == 0, "\(answer.messages)")
        #expect(try ask(database, "SELECT id FROM forgotten") == ["1", "2", "3", "4", "5", "6"])
        #expect(try text(lines).filter { $0.hasPrefix(#"{"forgotten":"#) }.count == 6)
    }

    /// The record of a file in a folder has no subject, and a line of `inputs`.
    @Test func singleRecordsAreForgotten() throws {
        for name in ["file-of-anna.der", "other.der"] {
            let content = FindingTests.content(FindingTests.offer(name, original: name))
            try workplace.write(try Forged.receipt(content), to: "folder/\(name)")
        }
        let folder = workplace.file("folder")
        let answer = try Tool.run(
            "audit", folder, "--root", root, "--as-of", "2026-01-01T00:00:00Z", "--catalog", catalog,
            "--evidence",
            workplace.file("bundle"))
        #expect(answer.status == 0, "\(answer.messages)")
        for status in [0, 1] {
            // The second run has nothing to remove, and completes the first one.
            let removal = try forget("--record", "number:1", "--evidence", workplace.file("bundle"))
            #expect(removal.status == status, "\(removal.messages)")
            let check = try Tool.run("evidence", "--check", workplace.file("bundle"), "--root", root)
            #expect(check.status == 0, "\(check.output)")
        }
        for name in [
            "audit.sqlite", "lines.ndjson", "manifest.json", "report.html", "csv/receipts.csv",
            "subject-verdicts.ndjson",
        ] {
            let data = try Data(contentsOf: URL(filePath: workplace.file("bundle/\(name)")))
            #expect(data.range(of: Data("file-of-anna".utf8)) == nil, "\(name)")
            if ["audit.sqlite", "lines.ndjson", "manifest.json"].contains(name) {
                #expect(data.range(of: Data("other.der".utf8)) != nil, "\(name)")
            }
        }
        let missing = try forget("--record", "number:7", "--evidence", workplace.file("bundle"))
        #expect(missing.status == 2)
        #expect(missing.messages.contains("contains no record number:7"))
    }

    @Test(arguments: [
        (["forget"], "SUBJECT, --record: missing or empty"),
        (["forget", "anna"], "--database, --evidence: exactly one is required"),
        (
            ["forget", "anna", "--database", "a", "--evidence", "b"],
            "--database, --evidence: exactly one is required"
        ),
        (
            ["forget", "anna", "--evidence", "b", "--lines", "c"],
            "--lines: cannot be combined with --evidence"
        ),
    ])
    func usage(arguments: [String], message: String) throws {
        let answer = try Tool.run(arguments)
        #expect(answer.status == 64)
        #expect(answer.messages.contains(message))
    }

    // MARK: - Repeated runs

    @Test func linesAreRemovedLater() throws {
        #expect(try audit("--output", database, "--ndjson", lines).status == 2)
        let leaves = try ask(database, "SELECT lower(hex(leaf)) FROM receipts ORDER BY id")
        let root = try ask(database, "SELECT root FROM runs")[0]
        #expect(try forget(Self.secrets[0], "--database", database).status == 0)
        let answer = try forget(Self.secrets[0], "--database", database, "--lines", lines)
        #expect(answer.status == 0, "\(answer.messages)")
        #expect(try secrets(in: lines) == [])
        let remains = answer.output.split(separator: "\n").map(String.init)
        #expect(
            remains == [2, 3, 5, 6].map { #"{"number":\#($0),"leaf":"\#(leaves[$0 - 1])"}"# }
                + [#"{"root":"\#(root)","records":8,"forgotten":4}"#])
        // Nothing is left to do.
        #expect(try forget(Self.secrets[0], "--database", database, "--lines", lines).status == 1)
    }

    /// A process that is killed after the rows are removed leaves free pages.
    @Test func databaseIsCompacted() throws {
        _ = try forgetAnna()
        try withDatabase(database) { try $0.execute("CREATE TABLE x (id); DROP TABLE x") }
        let answer = try forget(Self.secrets[0], "--database", database)
        #expect(answer.status == 0, "\(answer.messages)")
        #expect(answer.messages.contains("completed an interrupted run: 4 records were forgotten before"))
        #expect(try ask(database, "PRAGMA freelist_count") == ["0"])
    }

    /// The names of forgotten records are unknown.
    @Test(arguments: ["id:record-of-anna-1", "record-of-anna-1", "number:2", "2"])
    func forgottenNameIsAccepted(name: String) throws {
        #expect(try audit("--output", database, "--ndjson", lines).status == 2)
        #expect(try forget("--record", name, "--database", database).status == 0)
        let answer = try forget("--record", name, "--database", database, "--lines", lines)
        #expect(answer.status == 0, "\(answer.messages)")
        #expect(try !text(lines).contains { $0.contains("record-of-anna-1") })
    }

    @Test func subjectWithoutRecordsIsNamed() throws {
        #expect(try audit("--output", database).status == 2)
        let answer = try forget("bert", "dora", "--database", database)
        #expect(answer.status == 0)
        #expect(answer.messages.contains("dora: no such record"))
        #expect(!answer.messages.contains("bert"))
    }

    @Test func linesBehindLinkAreReplaced() throws {
        #expect(try audit("--output", database, "--ndjson", lines).status == 2)
        let link = workplace.file("link.ndjson")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: lines)
        #expect(try forget(Self.secrets[0], "--database", database, "--lines", link).status == 0)
        #expect(try secrets(in: lines) == [])
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == lines)
    }

    @Test func linesWithTwoNamesAreRefused() throws {
        #expect(try audit("--output", database, "--ndjson", lines).status == 2)
        try FileManager.default.linkItem(atPath: lines, toPath: workplace.file("other.ndjson"))
        let answer = try forget(Self.secrets[0], "--database", database, "--lines", lines)
        #expect(answer.status == 2)
        #expect(answer.messages.contains("has 2 hard links"), "\(answer.messages)")
        #expect(try secrets(in: database) == Self.secrets)
    }

    // MARK: - Bundles

    @Test(arguments: [
        "audit.sqlite", "lines.ndjson", "report.html", "csv/receipts.csv", "subject-verdicts.ndjson",
        "findings.ndjson", "README.txt", "manifest.json", "records/4/verdict.json", "records/4/new.txt",
    ])
    func changedBundleIsRefused(name: String) throws {
        let folder = workplace.file("bundle")
        #expect(try audit("--evidence", folder).status == 2)
        if name == "audit.sqlite" {
            try withDatabase("\(folder)/\(name)") { try $0.execute("UPDATE findings SET summary = 'none'") }
        } else {
            let old = FileManager.default.contents(atPath: "\(folder)/\(name)") ?? Data()
            try workplace.write(Array(old + Data("\n".utf8)), to: "bundle/\(name)")
        }
        let sums = try workplace.read("bundle/SHA256SUMS")
        let answer = try forget(Self.secrets[0], "--evidence", folder)
        #expect(answer.status == 1)
        #expect(answer.messages.hasPrefix("error: \(folder)/\(name): "), "\(answer.messages)")
        #expect(answer.messages.split(separator: "\n").count == 1)
        #expect(try workplace.read("bundle/SHA256SUMS") == sums)
        #expect(try secrets(in: "\(folder)/audit.sqlite") == Self.secrets)
    }

    /// A killed process leaves a mark, unfinished files, and files from before and after.
    @Test(arguments: [
        [],
        ["lines.ndjson"],
        ["lines.ndjson", "audit.sqlite"],
        ["lines.ndjson", "audit.sqlite", "subject-verdicts.ndjson", "report.html", "csv", "records"],
        ["lines.ndjson", "audit.sqlite", "report.html", "records", "findings.ndjson", "manifest.json"],
    ])
    func interruptedBundleIsCompleted(done: [String]) throws {
        let (folder, after) = (workplace.file("bundle"), workplace.file("after"))
        #expect(try audit("--evidence", folder).status == 2)
        try FileManager.default.copyItem(atPath: folder, toPath: after)
        #expect(try forget(Self.secrets[0], "--evidence", after).status == 0)
        for name in done {
            try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
            // No evidence of records may be left.
            guard FileManager.default.fileExists(atPath: "\(after)/\(name)") else { continue }
            try FileManager.default.copyItem(atPath: "\(after)/\(name)", toPath: "\(folder)/\(name)")
        }
        for name in ["lines.ndjson", "report.html", "csv/receipts.csv"] {
            try workplace.write(Array("x".utf8), to: "bundle/\(name).\(UUID().uuidString).part")
        }
        try workplace.write([], to: "bundle/forget-interrupted.txt")
        #expect(try Tool.run("evidence", "--check", folder, "--root", root).status == 1)
        let answer = try forget(Self.secrets[0], "--evidence", folder)
        #expect(answer.status == 0, "\(answer.messages)")
        #expect(answer.output.split(separator: "\n").count == 5)
        #expect(answer.output.contains(#""records":8,"forgotten":4}"#))
        let check = try Tool.run("evidence", "--check", folder, "--root", root)
        #expect(check.status == 0, "\(check.output)")
        let files = FileManager.default.enumerator(atPath: folder)?.allObjects as? [String] ?? []
        let expected = FileManager.default.enumerator(atPath: after)?.allObjects as? [String] ?? []
        #expect(files.sorted() == expected.sorted())
    }

    /// The evidence of other records does not change when records are forgotten.
    @Test func changedEvidenceIsRefusedAfterInterruption() throws {
        let folder = workplace.file("bundle")
        #expect(try audit("--evidence", folder).status == 2)
        try workplace.write([], to: "bundle/forget-interrupted.txt")
        try workplace.write([0x0A], to: "bundle/records/4/verdict.json")
        let answer = try forget(Self.secrets[0], "--evidence", folder)
        #expect(answer.status == 1)
        #expect(answer.messages.contains("records/4/verdict.json: does not match SHA256SUMS"))
    }

    @Test(arguments: [
        // A record after the last one.
        "INSERT INTO forgotten VALUES (999, zeroblob(32))",
        "INSERT INTO forgotten VALUES (0, zeroblob(32))",
        // A row of a forgotten record.
        "INSERT INTO customer_receipts SELECT id, 2 FROM customers LIMIT 1",
    ])
    func foreignTombstoneIsDetected(sql: String) throws {
        let folder = workplace.file("bundle")
        #expect(try audit("--evidence", folder).status == 2)
        #expect(try forget(Self.secrets[0], "--evidence", folder).status == 0)
        try withDatabase("\(folder)/audit.sqlite") { try $0.execute("PRAGMA foreign_keys = OFF; \(sql)") }
        let check = try Tool.run("evidence", "--check", folder, "--root", root)
        #expect(check.status == 1)
        #expect(
            check.output.contains("audit.sqlite: forgotten: unknown records, or records with rows"),
            "\(check.output)")
    }

    @Test func bundleIsConsistentWithoutTheSubject() throws {
        let folder = workplace.file("bundle")
        #expect(try audit("--evidence", folder).status == 2)
        let answer = try forget(Self.secrets[0], "--evidence", folder)
        #expect(answer.status == 0, "\(answer.messages)")
        let files = FileManager.default.enumerator(atPath: folder)?.allObjects as? [String] ?? []
        for file in files {
            var isFolder: ObjCBool = false
            let path = "\(folder)/\(file)"
            guard unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isFolder),
                !isFolder.boolValue
            else { continue }
            #expect(try secrets(in: path) == [], "\(file)")
        }
        #expect(!files.contains("records/2"))
        let check = try Tool.run("evidence", "--check", folder, "--root", root)
        #expect(check.status == 0, "\(check.output)")
        #expect(check.output.contains("4 records forgotten: only the hash of each leaf was checked"))
        let stored = try ask("\(folder)/audit.sqlite", "SELECT root FROM runs")[0]
        #expect(check.output.contains("verified under Merkle root \(stored)"))
        let report = try String(contentsOfFile: "\(folder)/report.html", encoding: .utf8)
        #expect(report.contains("4 of them were forgotten since"))
        let again = try forget("bert", "--evidence", folder)
        #expect(again.status == 0)
        #expect(try Tool.run("evidence", "--check", folder, "--root", root).status == 0)
    }

    @Test func changedTombstoneIsDetected() throws {
        let folder = workplace.file("bundle")
        #expect(try audit("--evidence", folder).status == 2)
        #expect(try forget(Self.secrets[0], "--evidence", folder).status == 0)
        try withDatabase("\(folder)/audit.sqlite") {
            try $0.execute("UPDATE forgotten SET leaf = zeroblob(32) WHERE id = 2")
        }
        let check = try Tool.run("evidence", "--check", folder, "--root", root)
        #expect(check.status == 1)
        #expect(check.output.contains("audit.sqlite: another Merkle root than in manifest.json"))
    }
}
