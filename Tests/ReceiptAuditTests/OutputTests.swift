import AppReceipt
import Foundation
import ReceiptEvidence
import ReceiptForge
import SQLite
import TestSupport
import Testing

@testable import ReceiptAudit
@testable import RecordSources

/// The `kill` function, because the suite has a method of that name.
private let sendSignal = kill

/// The protection of existing files. A run overwrites only its own output.
@Suite(.serialized)
struct OutputTests {
    let workplace: Workplace
    let root: String
    let input: String
    let output: String

    init() throws {
        workplace = try Workplace()
        root = try workplace.write(try Forged.root(), to: "root.cer")
        input = try workplace.write(try Forged.lines(30).joined(), to: "in.ndjson")
        output = workplace.file("out.sqlite")
    }

    /// Makes the run look as if it was interrupted after a number of committed records. More lines than that
    /// may be in the file.
    private func kill(at records: Int, bytes: Int) throws {
        let verifier = try ReceiptVerifier(anchors: .apple)
        var digest = LineDigest { verifier.sha256(of: $0) }
        let written = FileManager.default.contents(atPath: workplace.file("lines")) ?? Data()
        unsafe written.prefix(bytes).withUnsafeBytes { unsafe digest.add($0) }
        try withDatabase(output) { database in
            for table in [
                "incident_findings", "incidents", "not_looked_for", "inputs", "finding_evidence", "findings",
                "finding_kinds", "subject_verdicts", "customer_receipts", "customers", "verdicts",
            ] {
                try database.execute("DELETE FROM \(table)")
            }
            try database.prepare("DELETE FROM transactions WHERE receipt_id > ?", records).execute()
            try database.prepare("DELETE FROM receipts WHERE id > ?", records).execute()
            for name: String in try database.prepare(
                "SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
            ).values() { try database.execute("DROP INDEX \(name)") }
            var tree = MerkleFrontier()
            let leaves: [[UInt8]] = try database.prepare("SELECT leaf FROM receipts ORDER BY id").values()
            try MerkleTree(verifier).append(leaves.compactMap { SHA256Digest($0) }, to: &tree)
            try database.prepare(
                """
                UPDATE runs SET ended_at = NULL, root = NULL, tree = ?, ndjson_bytes = ?, ndjson_digest = ?, records = ?, source_records = ?, unreadable = 0,
                    genuine = (SELECT count(*) FROM receipts WHERE status = 'genuine'),
                    not_apples = (SELECT count(*) FROM receipts WHERE realm <> 'app_store'),
                    refused = (SELECT count(*) FROM receipts WHERE status = 'refused')
                """, tree.bytes, bytes, digest.text(), records, records
            ).execute()
        }
    }

    private func message(_ lines: String?) throws -> String? {
        let audit = try Forged.audit([input])
        return #expect(throws: AuditError.self) {
            try audit.database(output, lines: lines, isResuming: true)
        }?.description
    }

    @Test func failedDigestIsNotReportedAsOtherLines() {
        var digest = LineDigest { _ in nil }
        #expect(throws: AuditError.self) { try digest.text() }
        let block = [UInt8](repeating: 0x41, count: 1 << 16)
        var calls = 0
        digest = LineDigest { _ in
            calls += 1
            return calls > 1 ? [1] : nil
        }
        unsafe block.withUnsafeBytes { unsafe digest.add($0) }
        #expect(throws: AuditError.self) { try digest.text() }
    }

    @Test func lineOutputCannotBeAddedLater() throws {
        let audit = try Forged.audit([input])
        _ = try audit.database(output)
        let lines = workplace.file("lines")
        #expect(try message(lines) == "\(output): made with other settings: ndjson was no, is yes")
        try kill(at: 10, bytes: 0)
        #expect(try message(lines) == "\(output): made with other settings: ndjson was no, is yes")
        #expect(!FileManager.default.fileExists(atPath: lines))
        _ = try audit.database(output, isResuming: true)
        #expect(try audit.replay(output, jobs: 1) { Issue.record("\($0)") }.holds)

        let other = workplace.file("other.sqlite")
        _ = try audit.database(other, lines: lines)
        #expect(try audit.replay(other, jobs: 1) { Issue.record("\($0)") }.holds)
        #expect(throws: AuditError("\(other): made with other settings: ndjson was yes, is no")) {
            try audit.database(other, isResuming: true)
        }
    }

    @Test func onlyOwnLinesAreContinued() throws {
        let audit = try Forged.audit([input])
        let lines = workplace.file("lines")
        _ = try audit.database(output, lines: lines)
        let whole = try workplace.read("lines")
        let tenth = whole.indices.filter { whole[$0] == 0x0A }[9] + 1
        let precious = Array(String(repeating: "precious\n", count: 10_000).utf8)
        // After a kill, the file may contain lines that the database does not contain, the last one
        // truncated.
        for (records, bytes) in [(0, 0), (10, tenth)] {
            for length in [bytes, bytes + 100, whole.count] {
                try kill(at: records, bytes: bytes)
                try workplace.write(precious, to: "precious")
                #expect(
                    try message(workplace.file("precious"))
                        == "\(workplace.file("precious")): contains other lines than this run writes; left unchanged"
                )
                #expect(try workplace.read("precious") == precious)
                try workplace.write(whole.prefix(length), to: "lines")
                #expect(try audit.database(output, lines: lines, isResuming: true).records == 30)
                #expect(try workplace.read("lines") == whole)
            }
        }
        // Lines that the database counts must be unchanged, even if all later lines are right.
        for length in [tenth, whole.count] {
            try workplace.write(whole, to: "lines")
            try kill(at: 10, bytes: tenth)
            var others = Array(whole.prefix(length))
            others[5] ^= 1
            try workplace.write(others, to: "lines")
            #expect(try message(lines)?.contains("contains other lines") == true)
            #expect(try workplace.read("lines") == others)
        }
        try workplace.write(whole, to: "lines")
        try kill(at: 10, bytes: tenth)
        try workplace.write(whole + Array("more".utf8), to: "lines")
        #expect(try message(lines)?.contains("contains other lines") == true)
        #expect(try workplace.read("lines") == whole + Array("more".utf8))
    }

    /// Checks that resuming a finished run reports changed sources.
    @Test func finishedRunIsComparedWithItsSources() throws {
        let audit = try Forged.audit([input])
        let lines = workplace.file("lines")
        _ = try audit.database(output, lines: lines)
        let (source, written) = (try workplace.read("in.ndjson"), try workplace.read("lines"))
        #expect(try audit.database(output, lines: lines, isResuming: true).records == 30)

        try workplace.write(source + Forged.line("new", ReceiptContent()), to: "in.ndjson")
        #expect(
            try message(lines)
                == "\(input), record 31: not read by the finished run; start a new audit")
        try workplace.write(source.prefix(source.count / 2), to: "in.ndjson")
        #expect(try message(lines) != nil)
        try workplace.write(source, to: "in.ndjson")

        // A changed byte in the middle of the output, of a finished and of an interrupted run.
        for isFinished in [true, false] {
            var changed = written
            changed[100] ^= 1
            try workplace.write(written, to: "lines")
            if !isFinished { try kill(at: 10, bytes: written.count / 2) }
            try workplace.write(changed, to: "lines")
            #expect(
                try message(lines)
                    == "\(lines): contains other lines than this run writes; left unchanged")
            #expect(try workplace.read("lines") == changed)
        }
    }

    /// Checks that only the owner can read outputs. A stricter umask applies in addition.
    @Test func onlyTheOwnerCanReadOutputs() throws {
        let (lines, report) = (workplace.file("lines"), workplace.file("r.html"))
        let made = try Tool.run(
            "audit", input, "--root", root, "--output", output, "--ndjson", lines, "--report", report)
        #expect(made.status < 2)
        for path in [output, lines, report] {
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600, "\(path)")
        }
    }

    /// Checks that the temporary database of a report is removed when the process ends for any reason.
    @Test(arguments: [SIGINT, SIGTERM, SIGHUP, SIGKILL])
    func interruptedReportLeavesNoFiles(signal: Int32) throws {
        let scratch = workplace.file("scratch")
        try FileManager.default.createDirectory(atPath: scratch, withIntermediateDirectories: true)
        // The test runner may ignore or block signals, and the tool would inherit that.
        for number in [SIGINT, SIGTERM, SIGHUP] { Foundation.signal(number, SIG_DFL) }
        var (none, before) = (sigset_t(), sigset_t())
        unsafe sigemptyset(&none)
        unsafe pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        let tool = try Tool(
            ["audit", "-", "--root", root, "--report", workplace.file("r.html")],
            environment: ["TMPDIR": scratch, "SQLITE_TMPDIR": scratch])
        // Enough input for rows on the disk. The tool then waits for more.
        let series = Array(try Forged.lines(60).joined())
        for _ in 0..<8 { try tool.input.fileHandleForWriting.write(contentsOf: series) }
        _ = sendSignal(tool.process.processIdentifier, signal)
        tool.process.waitUntilExit()
        #expect(tool.process.terminationReason == .uncaughtSignal)
        #expect(tool.process.terminationStatus == signal)
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch) == [])
        #expect(
            !(try FileManager.default.contentsOfDirectory(atPath: workplace.path)).contains {
                $0.hasPrefix("r.html")
            })
    }

    /// Checks that a signal removes the unfinished report.
    @Test func anUnfinishedFileIsRemoved() throws {
        let path = try workplace.write([1], to: "r.html.part")
        UnfinishedFile.begin(path)
        UnfinishedFile.remove()
        #expect(!FileManager.default.fileExists(atPath: path))
        UnfinishedFile.end()
        try workplace.write([1], to: "r.html.part")
        UnfinishedFile.remove()
        #expect(FileManager.default.fileExists(atPath: path))
    }

    /// Checks files that SQLite would delete as parts of a new database.
    @Test(arguments: ["-journal", "-wal", "-shm"])
    func filesWithSQLiteNamesAreNotTouched(suffix: String) throws {
        let precious = try workplace.write(Array("precious".utf8), to: "out.sqlite\(suffix)")
        #expect(
            throws: AuditError(
                "\(precious): SQLite would read this file as part of \(output); choose another path or delete it"
            )
        ) { try Forged.audit([input]).database(output) }
        let link = workplace.file("link.sqlite")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: output)
        for path in [output, link] {
            let answer = try Tool.run("audit", precious, "--root", root, "--output", path)
            #expect(answer.status == 64 || path == link, "\(answer)")
            #expect(try workplace.read("out.sqlite\(suffix)") == Array("precious".utf8))
        }
        #expect(!FileManager.default.fileExists(atPath: output))
    }

    /// Checks that exactly one of two simultaneous runs succeeds.
    @Test func onlyOneOfTwoRunsStarts() throws {
        for _ in 0..<12 {
            try? FileManager.default.removeItem(atPath: output)
            let tools = try (0..<2).map { _ in
                try Tool([
                    "audit", input, "--root", root, "--as-of", "2026-01-01T00:00:00Z", "--output", output,
                ])
            }
            for tool in tools { tool.process.waitUntilExit() }
            #expect(tools.map(\.process.terminationStatus).sorted() == [1, 2])
        }
    }

    @Test func missingLinesAreReported() throws {
        let audit = try Forged.audit([input])
        let lines = workplace.file("lines")
        _ = try audit.database(output, lines: lines)
        try FileManager.default.removeItem(atPath: lines)
        #expect(try message(lines) == "\(lines): No such file or directory")
        try kill(at: 10, bytes: 500)
        #expect(try message(lines) == "\(lines): No such file or directory")
        #expect(!FileManager.default.fileExists(atPath: lines))
    }

    @Test func missingSourceLeavesNoLines() throws {
        let (missing, lines) = (workplace.file("no"), workplace.file("lines"))
        for sources in [[missing], [input, missing]] {
            #expect(throws: AuditError("\(missing): No such file or directory")) {
                try Forged.audit(sources).writeLines(to: lines, jobs: 1)
            }
            #expect(!FileManager.default.fileExists(atPath: lines))
        }
    }

    @Test func outputsNeedDifferentFiles() throws {
        let (lines, link) = (try workplace.read("in.ndjson"), workplace.file("link"))
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: workplace.path)
        let (one, two) = (workplace.file("x"), "\(link)/./x")
        for (arguments, message) in [
            (["--output", one, "--report", two], "--report: \(two) is also given as --output"),
            (["--ndjson", one, "--report", two], "--report: \(two) is also given as --ndjson"),
            (["--output", one + "/", "--ndjson", two], "--ndjson: \(two) is also given as --output"),
            (
                ["--output", output, "--ndjson", "\(link)/in.ndjson", "--resume"],
                "/in.ndjson is also given as SOURCE"
            ),
            (["--output", one, "--report", root], " is also given as --root"),
            (["--output", input], " is also given as SOURCE"),
            (
                ["--output", one, "--report", "x", "--catalog", "./x"],
                "--report: x is also given as --catalog"
            ),
            (
                ["--report", "-"],
                "--report: cannot be written to standard output"
            ),
            (
                ["--output", one, "--ndjson", two + "-wal"],
                "-wal is reserved for SQLite's files of --output"
            ),
            (["--output", ""], "--output: empty path"),
            (["--output", one, "--records-per-commit", "0"], "--records-per-commit: must be at least 1"),
        ] {
            let tool = try Tool(["audit", input, "--root", root] + arguments)
            let text = String(
                decoding: try tool.messages.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            tool.process.waitUntilExit()
            #expect(tool.process.terminationStatus == 64, "\(arguments): \(text)")
            #expect(text.contains(message), "\(arguments): \(text)")
            #expect(!FileManager.default.fileExists(atPath: one))
        }
        #expect(try workplace.read("in.ndjson") == lines)
    }

    /// Checks that an output in a source folder is refused, because the audit would read it.
    @Test func outputInASourceFolderIsRefused() throws {
        try workplace.write(try workplace.read("in.ndjson"), to: "folder/sub/a")
        let (folder, link) = (workplace.file("folder"), workplace.file("link"))
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "\(folder)/sub")
        for path in [
            "\(folder)/x", "\(folder)/sub/x", "\(link)/x", "\(folder)/../folder/./x", "\(link)/../x",
        ] {
            for option in ["--output", "--ndjson", "--report"] {
                let answer = try Tool.run("audit", folder, "--root", root, option, path)
                #expect(answer.status == 64, "\(option) \(path)")
                #expect(
                    answer.messages.contains(
                        "\(option): \(path) is inside the source folder \(folder)"))
                #expect(!FileManager.default.fileExists(atPath: path))
            }
        }
        #expect(try Tool.run("audit", folder, "--root", root, "--output", output).status == 1)
    }

    @Test func onlyReportsAreOverwrittenByReports() throws {
        let (report, part) = (workplace.file("r.html"), workplace.file("r.html.part"))
        try workplace.write(Array("mine".utf8), to: "r.html.part")
        for precious in ["", "mine", "<!DOCTYPE html>\n<title>Mine</title>\n"] {
            try workplace.write(Array(precious.utf8), to: "r.html")
            #expect(
                throws: AuditError(
                    "refusing to overwrite \(report), which is not an audit report; choose another path or delete it"
                )
            ) {
                try ReportFile.requireWritable(at: report, isReplacing: true)
            }
            #expect(try workplace.read("r.html") == Array(precious.utf8))
        }
        _ = try Forged.audit([input]).database(output)
        try Report(of: AuditDatabase(path: output, isReadOnly: true)).write(to: report)
        try ReportFile.requireWritable(at: report, isReplacing: true)
        #expect(try String(contentsOfFile: part, encoding: .utf8) == "mine")
        let left = try FileManager.default.contentsOfDirectory(atPath: workplace.path)
        #expect(left.sorted() == ["in.ndjson", "out.sqlite", "r.html", "r.html.part", "root.cer"])
    }

    @Test func foldersAreRefusedAsFiles() throws {
        let (name, audit) = (":memory:", try Forged.audit([input]))
        defer { try? FileManager.default.removeItem(atPath: name) }
        _ = try audit.database(name)
        #expect(FileManager.default.fileExists(atPath: name))
        let folder = try Tool.run("audit", "--replay", workplace.path, input, "--root", root)
        #expect(folder.status == 2)
        #expect(folder.messages == "error: \(workplace.path): Is a directory\n")
    }

    @Test func theFirstUnreadableRecordIsRemembered() throws {
        let bad = Array("{\"id\":\"b\",\"receipt\":\"MAT7\"}\nx\ny\n".utf8)
        let lines = try workplace.write(bad, to: "bad.ndjson")
        let audit = try Forged.audit([lines])
        let counts = try audit.database(output)
        #expect(counts.firstUnreadable == "\(lines), record 2: at byte 0: not JSON: unexpected 'x'")
        #expect(try audit.database(output, isResuming: true) == counts)
    }
}
