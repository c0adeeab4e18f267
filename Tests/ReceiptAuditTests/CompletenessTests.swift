import AppReceipt
import Foundation
import ReceiptForge
import ReceiptJSON
import SQLite
import TestSupport
import Testing

@testable import ReceiptAudit
@testable import RecordSources

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The completeness of an audit. Every item in a source is a record with a status, or is counted as omitted.
struct CompletenessTests {
    let workplace: Workplace
    static let receipt = Result { try Forged.receipt(ReceiptContent()) }
    /// Identifiers and statuses, with the reason if a record is unreadable, and the counts of omitted items.
    typealias Told = (records: [String], leftOut: LeftOut)

    init() throws { workplace = try Workplace() }

    private func told(_ source: String, format: SourceFormat = .auto, jobs: Int = 1) throws -> Told {
        let output = "out-\(UUID().uuidString)"
        let counts = try Forged.audit([source], format: format).writeLines(
            to: workplace.file(output), jobs: jobs)
        let records = try workplace.read(output).split(separator: 0x0A).map { line in
            let object = try #require(try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
            let refusal = object["refusal"] as? [String: Any]
            let isUnreadable = refusal?["code"] as? String == "unreadable"
            let name = object["source"] ?? object["id"] ?? NSNull()
            let place = name is NSNull ? "record \(object["line"] ?? "")" : "\(name)"
            let answer = (isUnreadable ? refusal?["message"] : object["status"]) as? String
            return "\(place): \(answer ?? "")"
        }
        #expect(records.count == counts.records)
        return (records, counts.leftOut)
    }

    // MARK: - Folders

    @Test func everyEntryOfAFolderIsReported() throws {
        for name in ["a.der", "sub/b.der", ".hidden.der", ".git/c.der", "sub/.d"] {
            try workplace.write(try Self.receipt.get(), to: "in/\(name)")
        }
        try workplace.shell(
            """
            cd in; ln -s a.der link; ln -s loop loop; ln -s nowhere dangling; ln -s sub other; mkfifo pipe
            ln -s pipe piped; mkdir empty
            """)
        let (records, leftOut) = try told(workplace.file("in"))
        #expect(
            records == [
                "a.der: genuine", "dangling: No such file or directory", "link: genuine",
                "loop: Too many levels of symbolic links", "other: a link to a folder, which is not followed",
                "pipe: a pipe, not a file", "piped: a link to a pipe, not a file", "sub/b.der: genuine",
            ])
        #expect(leftOut.hidden == 3)
        #expect(leftOut.summary == "3 hidden files")
    }

    /// Checks folders without search permission. Permissions do not restrict root, so the test runs the tool
    /// as another user.
    @Test func unsearchableFolderIsReported() throws {
        for name in ["in/closed/a.der", "in/closed/b.der", "in/locked/c.der", "in/d.der"] {
            try workplace.write(try Self.receipt.get(), to: name)
        }
        let root = try workplace.write(try Forged.root(), to: "root.cer")
        try workplace.shell(
            "chmod 744 in/closed; chmod 700 in/locked; chmod 755 . in; chmod 644 root.cer in/d.der")
        defer { try? workplace.shell("chmod -R u+rwX in") }
        var command = [BuiltTool.path, "audit", workplace.file("in"), "--root", root]
        if geteuid() == 0 {
            let drop = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
            guard try EndedProcess(drop + ["test", "-x", BuiltTool.path]).status == 0 else {
                return print("not tested: no other user may run the tool here")
            }
            command = drop + command
        } else {
            try workplace.shell("chmod 644 in/closed; chmod 000 in/locked")
        }
        let answer = try EndedProcess(command)
        let lines = answer.output.split(separator: "\n")
        #expect(answer.status == 2)
        #expect(lines.count == 4)
        for (line, expected) in zip(lines, ["closed/a.der", "closed/b.der", "d.der", "locked"]) {
            #expect(line.hasPrefix("{\"source\":\"\(expected)\""))
            #expect(line.contains("Permission denied") == (expected != "d.der"), "\(line)")
        }
        #expect(lines.last?.contains("the folder cannot be listed: Permission denied") == true)
    }

    /// Checks files with a path above PATH_MAX, which no system call accepts as a whole.
    @Test func filesBeyondTheLongestPathAreRead() throws {
        let name = String(repeating: "d", count: 200)
        defer { try? workplace.shell("rm -rf in") }
        func make(_ depth: Int, at top: String) throws {
            try workplace.shell("mkdir -p \(top)")
            var folder = unsafe open(workplace.file(top), O_RDONLY | O_DIRECTORY)
            for _ in 0..<depth {
                #expect(unsafe mkdirat(folder, name, 0o755) == 0)
                let next = unsafe openat(folder, name, O_RDONLY | O_DIRECTORY)
                close(folder)
                folder = next
            }
            let file = unsafe openat(folder, "a.der", O_WRONLY | O_CREAT, 0o644)
            let receipt = try Self.receipt.get()
            #expect(unsafe write(file, receipt, receipt.count) == receipt.count)
            for descriptor in [file, folder] { close(descriptor) }
        }
        try make(40, at: "in/far")
        try make(100, at: "in/too-far")
        let records = try told(workplace.file("in")).records
        try #require(records.count == 2)
        #expect(records[0] == "far" + String(repeating: "/\(name)", count: 40) + "/a.der: genuine")
        let limit = 4 * Int(PATH_MAX)
        #expect(records[1].hasSuffix("/\(name): a path of more than \(limit) bytes"))
    }

    @Test func pipeInPlaceOfAFileDoesNotBlock() throws {
        try workplace.write(try Self.receipt.get(), to: "in/a.der")
        var walk = FolderWalk(workplace.file("in"))
        let found = walk.next()
        let file = try #require(found)
        try workplace.shell("rm in/a.der; mkfifo in/a.der")
        #expect(throws: ReceiptError(.unreadable, message: "not a file any more")) {
            try file.read(limit: 1000)
        }
    }

    @Test(
        arguments: [
            ([0x61, 0xFF], "a\\xff"), ([0x61, 0xFE], "a\\xfe"), (Array("a\\xff".utf8), "a\\\\xff"),
            ([0x5C, 0xFF], "\\\\\\xff"), (Array("a\\b".utf8), "a\\b"), (Array("Jörg".utf8), "Jörg"),
            (Array("ö".utf8) + [0xC3], "ö\\xc3"), ([0xED, 0xA0, 0x80], "\\xed\\xa0\\x80"),
            ([0xF0, 0x9F, 0x8D, 0x8E, 0x80], "🍎\\x80"), ([], ""),
        ] as [([UInt8], String)])
    func everyFileHasItsOwnName(bytes: [UInt8], name: String) { #expect(fileName(bytes) == name) }

    // MARK: - Archives

    private func archive(_ body: (inout TarWriter, [UInt8]) throws -> Void) throws -> Told {
        var tar = TarWriter()
        try body(&tar, try Self.receipt.get())
        return try told(workplace.write(tar.bytes, to: "in.tar"))
    }

    @Test func everyMemberOfAnArchiveIsReported() throws {
        let (records, leftOut) = try archive { tar, receipt in
            tar.add("folder/", type: "5")
            tar.add("folder/a", receipt)
            tar.add("folder/../b", receipt)
            tar.add("slash/", receipt)
            tar.add("old-folder/", type: "\0")
            tar.add(".hidden", receipt)
            tar.add("folder/.d/c", receipt)
            tar.add("device", type: "3")
            tar.add("pipe", type: "6")
            tar.add("unknown", receipt, type: "Z")
            tar.add(Array("sparse".utf8), [], type: "S", count: receipt.count, more: true)
            tar.add(raw: [UInt8](repeating: 0, count: 512) + receipt)
            tar.add(raw: [UInt8](repeating: 0, count: -receipt.count & 511))
            tar.add("pax", TarWriter.paxLine("GNU.sparse.major", "1"), type: "x")
            tar.add("GNUSparseFile.0/sparse2", receipt)
            tar.add("pax", TarWriter.paxLine("path", "x") + TarWriter.paxLine("size", "-1"), type: "x")
            tar.add("pax", TarWriter.paxLine("comment", "x"), type: "g")
            tar.add("pax", TarWriter.paxLine("path", "x"), type: "g")
            tar.add([0x66, 0xFF], receipt)
            tar.add("last", receipt)
            tar.end()
        }
        #expect(
            records.map { $0.replacing(/at byte [0-9]+/, with: "at byte N") } == [
                "folder/a: genuine", "folder/../b: genuine", "slash/: genuine",
                "device: a device, not a file", "pipe: a pipe, not a file",
                "unknown: unknown type Z", "sparse: a sparse file, which is not read",
                "GNUSparseFile.0/sparse2: a sparse file, which is not read",
                "record 9: an unreadable header, which ends at byte N of the archive",
                "record 10: a header for all later files, which ends at byte N of the archive",
                "f\\xff: genuine", "last: genuine",
            ])
        #expect(leftOut.hidden == 2)
        #expect(leftOut.links == 0)
    }

    @Test func linksWithoutAMemberAreReported() throws {
        let (records, leftOut) = try archive { tar, receipt in
            tar.add("a/before", type: "2", link: "later")
            tar.add("a/over", type: "2", link: "before")
            tar.add("a/later", receipt)
            tar.add("hard", type: "1", link: "a/./later")
            tar.add("up", type: "2", link: "a/../a/later")
            tar.add("folder", type: "2", link: "a")
            tar.add("a/", type: "5")
            tar.add("hard-to-nothing", type: "1", link: "later")
            tar.add("outside", type: "2", link: "/a/later")
            tar.add("hidden", type: "1", link: ".x")
            tar.add(".x", receipt)
            tar.end()
        }
        #expect(
            records == [
                "a/later: genuine", "hard-to-nothing: a link to later, which is not there",
                "outside: a link to /a/later, which is not there", "hidden: a link to .x, which is not there",
            ])
        #expect(leftOut.links == 5)
        #expect(leftOut.hidden == 1)
        #expect(leftOut.summary == "1 hidden file, 5 links within an archive")
    }

    /// Checks concatenated archives with foreign bytes between and after them.
    @Test func archivesAreReadToTheEndOfTheFile() throws {
        let (records, _) = try archive { tar, receipt in
            tar.add("a", receipt)
            tar.end()
            tar.add(raw: [UInt8](repeating: 0, count: 9 * 512))
            tar.add("b", receipt)
            tar.add(raw: Array("no archive".utf8) + [UInt8](repeating: 0, count: 2038))
            tar.add("c", receipt)
            tar.end()
            tar.add(raw: "behind".utf8)
        }
        #expect(records.count == 5)
        #expect(["a", "b", "c"].allSatisfy { records.contains("\($0): genuine") })
        #expect(records[2].hasSuffix(" of the archive belong to no file"))
        #expect(records[4].hasSuffix(" of the archive belong to no file"))
    }

    @Test(arguments: [
        // Truncated in a file, at its end, in a header, before the end mark, and a header without its file.
        (2000, ["a: the archive is cut off at its byte 2000"]),
        (0, ["record 1: the archive is cut off at its byte 0"]),
        (-1024, ["a: genuine", "record 2: the archive is cut off at its byte SIZE"]),
        (-512, ["a: genuine"]), (-3, ["a: genuine"]),
    ])
    func truncatedArchiveIsReported(count: Int, expected: [String]) throws {
        var tar = TarWriter()
        tar.add("a", try Self.receipt.get())
        tar.end()
        let kept =
            count > 0 || expected.count == 1 && expected[0].hasSuffix(" 0") ? count : tar.bytes.count + count
        let input = try workplace.write(tar.bytes.prefix(kept), to: "in.tar")
        #expect(
            try told(input).records == expected.map { $0.replacingOccurrences(of: "SIZE", with: "\(kept)") })
    }

    @Test func damagedHeaderAffectsOnlyItsMember() throws {
        var tar = TarWriter()
        for name in ["a", "b", "c"] { tar.add(name, try Self.receipt.get()) }
        tar.add("pax", TarWriter.paxLine("path", "missing"), type: "x")
        tar.end()
        let second = tar.bytes.count / 2 / 512 * 0 + 512 * (1 + (try Self.receipt.get().count + 511) / 512)
        var bytes = tar.bytes
        bytes[second] ^= 1
        let records = try told(workplace.write(bytes, to: "in.tar")).records
        #expect(
            records == [
                "a: genuine",
                "record 2: bytes \(second) to \(2 * second - 1) of the archive belong to no file",
                "c: genuine", "missing: a header without its file",
            ])
    }

    // MARK: - Streams

    @Test func damagedGzipFileIsReportedAndTheNextSourceIsRead() throws {
        let lines = try (0..<40).map { try Forged.line("r\($0)", ReceiptContent()) }
        let input = try workplace.write(lines.joined(), to: "in.ndjson")
        try workplace.shell(
            """
            gzip -k in.ndjson; size=$(wc -c < in.ndjson.gz)
            head -c $((size - 600)) in.ndjson.gz > cut.ndjson.gz
            (cat in.ndjson.gz; printf trailing) > trailing.ndjson.gz
            (cat in.ndjson.gz in.ndjson.gz; head -c 500 /dev/zero) > twice.ndjson.gz
            for index in 1 2 3 4 5 6 7 8 9; do gzip -c /dev/null; done > empty.ndjson.gz
            cat in.ndjson.gz >> empty.ndjson.gz
            """)
        func records(_ name: String) throws -> [String] { try told(workplace.file(name)).records }
        let whole = try told(input).records
        #expect(try records("twice.ndjson.gz") == whole + whole)
        #expect(try records("empty.ndjson.gz") == whole)
        let size = try workplace.read("in.ndjson.gz").count
        let trailing = try records("trailing.ndjson.gz")
        #expect(trailing.dropLast() == whole[...])
        #expect(trailing.last?.hasPrefix("record 41: the gzip file is corrupt at byte ") == true)
        let cut = try records("cut.ndjson.gz")
        #expect(cut.count > 1)
        #expect(cut.dropLast().elementsEqual(whole.prefix(cut.count - 1)))
        #expect(cut.last == "record \(cut.count): the gzip file is cut off at byte \(size - 600)")

        let output = workplace.file("both.ndjson")
        let counts = try Forged.audit([workplace.file("cut.ndjson.gz"), input]).writeLines(
            to: output, jobs: 4)
        #expect(counts.genuine == cut.count - 1 + 40)
        #expect(counts.unreadable == 1)
    }

    @Test func aCompressedStreamIsRecognized() throws {
        let root = try workplace.write(try Forged.root(), to: "root.cer")
        try workplace.write(try Forged.line("a", ReceiptContent()), to: "in.ndjson")
        try workplace.shell("gzip -k in.ndjson")
        for name in ["in.ndjson", "in.ndjson.gz"] {
            let answer = try Tool.run("audit", "-", "--root", root, stdin: try workplace.read(name))
            #expect(answer.status == 0, "\(name)")
            #expect(answer.output.hasPrefix(#"{"id":"a","#), "\(name)")
        }
    }

    @Test func blankLinesAreCountedAndLinesKeepTheirNumbers() throws {
        let line = String(decoding: try Forged.line("a", ReceiptContent()), as: UTF8.self)
        let text = "\n \r\n\(line)\n\t\nx\n\n"
        let (records, leftOut) = try told(workplace.write(Array(text.utf8), to: "in.ndjson"))
        #expect(records == ["a: genuine", "record 6: at byte 0: not JSON: unexpected 'x'"])
        #expect(leftOut.blankLines == 5)
        let blank = try told(workplace.write(Array(repeating: 0x0A, count: 300_000), to: "blank.ndjson"))
        #expect(blank.records.isEmpty)
        #expect(blank.leftOut.summary == "300000 blank lines")
    }

    // MARK: - Counts

    @Test func omittedItemsAreCountedEverywhere() throws {
        try workplace.write(try Self.receipt.get(), to: "in/a.der")
        try workplace.write([], to: "in/.b")
        let lines = try workplace.write(
            try Forged.line("a", ReceiptContent()) + [0x0A, 0x0A], to: "in.ndjson")
        let root = try workplace.write(try Forged.root(), to: "root.cer")
        let (database, report) = (workplace.file("out.sqlite"), workplace.file("out.html"))
        let answer = try Tool.run(
            "audit", workplace.file("in"), lines, "--root", root, "--output", database, "--report", report,
            "--as-of", "2026-01-01T00:00:00Z")
        #expect(answer.status == 0)
        #expect(answer.messages.hasSuffix("appreceipt: skipped: 1 hidden file, 2 blank lines\n"))
        #expect(
            try String(contentsOfFile: report, encoding: .utf8).contains(
                "<dd>1 hidden file, 2 blank lines</dd>"))
        #expect(try String(contentsOfFile: report, encoding: .utf8).contains("<dd>\(lines)</dd>"))
        let counts = try Connection(path: database).prepare(
            "SELECT records, hidden, links, blank_lines FROM runs"
        ).firstRow()
        #expect(counts?.values == [2, 1, 0, 2].map(\.value))
        func replay() throws -> EndedProcess {
            try Tool.run("audit", workplace.file("in"), lines, "--root", root, "--replay", database)
        }
        #expect(try replay().status == 0)
        try Connection(path: database).execute("UPDATE runs SET hidden = 0")
        let differing = try replay()
        #expect(differing.status == 1)
        #expect(differing.messages.contains("hidden was 0, is 1"))
    }

    /// Checks that two sources differ from one source whose name is both names joined by a blank.
    @Test func sourcesAreDistinguished() throws {
        let input = try Forged.lines(1).joined()
        let two = try ["a", "b"].map { try workplace.write(input, to: $0) }
        let one = try workplace.write(input, to: "a \(workplace.path)/b")
        #expect(one == two.joined(separator: " "))
        let output = workplace.file("out.sqlite")
        _ = try Forged.audit([one]).database(output)
        let error = #expect(throws: AuditError.self) {
            try Forged.audit(two).database(output, isResuming: true)
        }
        #expect(error?.description.contains("made with other settings: sources was") == true)
    }
}
