import AppReceipt
import Foundation
import ReceiptExamination
import ReceiptForge
import ReceiptJSON
import TestSupport
import Testing

@testable import ReceiptAudit
@testable import RecordSources

/// Messages of `appreceipt audit` and `verify` about empty, incomplete and unsuitable sources.
@Suite(.serialized)
struct IntakeCommandTests {
    let workplace: Workplace
    let root: String

    init() throws {
        workplace = try Workplace()
        root = try workplace.write(try Forged.root(), to: "root.cer")
    }

    private func exists(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: workplace.file(name))
    }

    /// Checks that a misspelled field name is reported and changes the exit status.
    @Test func missingNamedFieldIsReported() throws {
        let line = try Forged.line("a", ReceiptContent(), subject: "anna")
        let lines = try workplace.write(line, to: "in.ndjson")
        let output = workplace.file("out.sqlite")
        let answer = try Tool.run(
            "audit", lines, "--root", root, "--output", output, "--subject-field", "user", "--id-field", "key"
        )
        #expect(answer.status == 2)
        #expect(
            answer.messages.contains(
                """
                skipped because no record has a field of that name: The values of the field key; \
                The values of the field user\n
                """))
        let filtered = try Tool.run("audit", lines, "--root", root, "--subject-field", "user")
        #expect(filtered.status == 2)
        #expect(
            filtered.messages
                == "error: field user: not found in any record\n"
        )
        let audit = try Forged.audit([lines], columns: ColumnNames(id: "id", subject: "user"))
        let counts = try audit.database(workplace.file("other.sqlite"))
        #expect(counts.missingFields == ["user"])
        #expect(counts.found == [.id, .receipt])
        #expect(
            try dump(workplace.file("other.sqlite")).contains {
                $0.contains("missing_fields") && $0.contains("user")
            })
        let omitted = try #require(counts.outcome?.notLookedFor.first)
        #expect(omitted.title == "The values of the field user")
        #expect(try Tool.run("audit", lines, "--root", root, "--subject-field", "subject").status == 0)
        // One record with the field is enough.
        let both = try workplace.write(line + Forged.line("b", ReceiptContent()), to: "both.ndjson")
        #expect(try Tool.run("audit", both, "--root", root, "--subject-field", "subject").status == 0)

        let rows = try workplace.write(Array("id,receipt\na,MAT7\n".utf8), to: "in.csv")
        let early = try Tool.run(
            "audit", lines, rows, "--root", root, "--output", workplace.file("csv.sqlite"), "--subject-field",
            "user")
        #expect(early.status == 2)
        #expect(
            early.messages
                == "error: \(rows), line 1: no column user (--subject-field), found id, receipt\n"
        )
        #expect(!exists("csv.sqlite"))
    }

    @Test func noVerifiedRecordIsNotASuccess() throws {
        try FileManager.default.createDirectory(
            atPath: workplace.file("empty"), withIntermediateDirectories: true)
        let none = "error: the sources contain no records\n"
        for (arguments, stdin, message) in [
            (["audit", workplace.file("empty")], "", none), (["audit", "-"], "", none),
            (["audit", "-", "--ndjson", "-"], "\n\n", "appreceipt: skipped: 2 blank lines\n" + none),
            (
                ["audit", "-", "--format", "csv"], "id,receipt\na,\nb,NULL\n",
                "error: no record was verified: 2 of 2 records have an empty receipt\n"
            ),
            (
                ["verify", workplace.file("empty")], "",
                "appreceipt: 0 genuine, 0 refused, 0 unreadable\n"
                    + "error: no files found\n"
            ),
        ] {
            let answer = try Tool.run(arguments + ["--root", root], stdin: Array(stdin.utf8))
            #expect(answer.status == 2, "\(arguments)")
            #expect(answer.messages == message, "\(arguments)")
        }
    }

    /// Checks that an empty source is reported even next to others. A failed command or a wrong path may be
    /// the cause.
    @Test func emptySourceAmongSeveralIsReported() throws {
        let lines = try workplace.write(try Forged.line("a", ReceiptContent()), to: "in.ndjson")
        let blank = try workplace.write(Array("\n\n".utf8), to: "blank.ndjson")
        let rows = try workplace.write(Array("id,receipt\n".utf8), to: "in.csv")
        let absent = try workplace.write(Array("id,receipt\n1,\n".utf8), to: "absent.csv")
        try workplace.write([], to: "folder/.hidden")
        let empty = [blank, rows, workplace.file("folder")]
        let filtered = try Tool.run(["audit"] + empty + [lines, absent, lines, "--root", root])
        #expect(filtered.status == 2)
        #expect(
            filtered.messages.split(separator: "\n").map(String.init)
                == ["appreceipt: skipped: 1 hidden file, 2 blank lines"]
                + empty.map { "error: \($0): no records" })
        let output = workplace.file("out.sqlite")
        let arguments = ["audit", lines, rows, "--root", root, "--as-of", "2026-01-01T00:00:00Z"]
        for more in [[], ["--resume"]] {
            let answer = try Tool.run(arguments + ["--output", output] + more)
            #expect(answer.status == 2)
            #expect(
                answer.messages.contains(
                    "skipped because the source holds no records: The records of \(rows)\n"))
        }
        let again = try Tool.run(arguments + ["--replay", output])
        #expect(again.status == 2)
        #expect(again.output == "1 records verified again: every row matches\n")
        #expect(again.messages.hasSuffix("error: \(rows): no records\n"))
        #expect(try Tool.run(["audit", lines, absent, "--root", root]).status == 0)
    }

    @Test func failureAtTheStartLeavesNoDatabase() throws {
        let output = workplace.file("out.sqlite")
        for (name, text) in [("in.csv", "id,note\n1,x\n"), ("empty.csv", ""), ("in.parquet", "PAR1")] {
            let input = try workplace.write(Array(text.utf8), to: name)
            #expect(try Tool.run("audit", input, "--root", root, "--output", output).status == 2)
            #expect(!exists("out.sqlite"), "\(name)")
            #expect(!exists("out.sqlite-journal"), "\(name)")
        }
        // The tool keeps an existing file.
        try workplace.write([], to: "out.sqlite")
        #expect(
            try Tool.run("audit", workplace.file("in.csv"), "--root", root, "--output", output).status == 2)
        #expect(exists("out.sqlite"))
    }

    /// Checks that a run that fails at its start leaves no lines without a database. Lines of a started run
    /// stay.
    @Test(arguments: [false, true])
    func failureAtTheStartLeavesNoLines(isBegun: Bool) throws {
        let one = try workplace.write(try Forged.line("a", ReceiptContent()), to: "one.ndjson")
        let other = try workplace.write(try Forged.line("b", ReceiptContent()), to: "other.ndjson")
        let (output, lines) = (workplace.file("out.sqlite"), workplace.file("out.ndjson"))
        let audit = try Forged.audit(isBegun ? [one, other] : [other])
        #expect(throws: AuditError("\(other): No such file or directory")) {
            try audit.writeDatabase(
                to: output, lines: lines, jobs: 1,
                // The clock is read at the start of the run, after the check of every source.
                clock: {
                    try? FileManager.default.removeItem(atPath: other)
                    return Timestamp(millisecondsSince1970: 0)
                })
        }
        #expect(exists("out.sqlite") == isBegun)
        #expect(exists("out.ndjson") == isBegun)
    }

    @Test func absentReceiptsAreCountedSeparately() throws {
        let receipt = Data(try Forged.receipt(ReceiptContent())).base64EncodedString()
        let input = try workplace.write(Array("id,receipt\na,\(receipt)\nb,NULL\nc,x\n".utf8), to: "in.csv")
        let (output, report) = (workplace.file("out.sqlite"), workplace.file("out.html"))
        let answer = try Tool.run("audit", input, "--root", root, "--output", output, "--report", report)
        #expect(answer.status == 1)
        #expect(
            answer.messages.contains(
                "3 records: 1 GENUINE, BUT NOT APPLE'S, 1 refused, 0 unreadable, 1 absent\n"))
        let rows = try dump(output)
        #expect(rows.contains(#"receipts.status "absent""#))
        #expect(rows.contains("runs.absent 1"))
        let page = String(decoding: try workplace.read("out.html"), as: UTF8.self)
        for part in [
            "<strong>1</strong> <span>absent</span>", "<option>absent</option>", #"data-status="absent""#,
            "<dt>Absent</dt>",
        ] {
            #expect(page.contains(part), "\(part)")
        }
        let lines = try Tool.run("audit", input, "--root", root).output.split(separator: "\n")
        #expect(lines[1] == #"{"id":"b","sha256":null,"status":"absent"}"#)
    }

    /// Inputs that are not genuine receipts, each with the expected advice or format.
    static let others: [(String, [UInt8], String)] = [
        ("a JWS", Array("eyJhbGciOiJFUzI1NiJ9.eyJhIjoxfQ.c2ln".utf8), #""status":"refused","format":"jws""#),
        ("an answer", Array(#"{"status":0,"receipt":{"in_app":[]}}"#.utf8), "eligibility --trusting"),
        (
            "a transaction receipt", Array("{\n\t\"signature\" = \"AA==\";\n}".utf8),
            #""format":"transaction_receipt""#
        ),
        (
            "the same in base64",
            Array(Data("{\n\t\"signature\" = \"AA==\";\n}".utf8).base64EncodedString().utf8),
            #""format":"transaction_receipt""#
        ),
        ("HTML", Array("<!DOCTYPE html><html>503</html>".utf8), "an HTML page"),
        ("a JPEG", [0xFF, 0xD8, 0xFF, 0xE0, 0, 0x10] + Array("JFIF.".utf8), "an image"),
        (
            "a JPEG with characters of encodings", [0xFF, 0xD8, 0xFF, 0xE0] + Array("%41+%2B <x> %+/".utf8),
            "an image"
        ),
        ("HTML with characters of encodings", Array("<p style='width: 50%'>1+1</p>".utf8), "an HTML page"),
        (
            "NDJSON", Array("{\"id\":1}\n{\"id\":2}\n".utf8),
            "use appreceipt audit for an export"
        ),
        (
            "CSV", Array("id,receipt\n1,MII\n".utf8),
            "a table; use appreceipt audit"
        ),
        ("CSV in quotes", Array("\"id\";\"receipt\"\r\n\"1\";\"MII\"\r\n".utf8), "a table"),
        ("a ZIP archive", Array("PK\u{3}\u{4}....".utf8), "a ZIP archive or a spreadsheet"),
        (
            "a PEM bundle", Array("-----BEGIN X-----\nAA==\n-----END X-----\n-----BEGIN X-----\nAA==\n".utf8),
            "PEM"
        ),
    ]

    @Test(arguments: others.indices)
    func otherFormatsAreNamed(index: Int) throws {
        let (name, bytes, advice) = Self.others[index]
        let file = try workplace.write(bytes, to: "in/receipt")
        let audited = try Tool.run("audit", workplace.file("in"), "--root", root)
        #expect(audited.status == 1, "\(name): \(audited.output)")
        #expect(audited.output.contains(advice), "\(name): \(audited.output)")
        guard name != "NDJSON" else { return }
        let verified = try Tool.run("verify", "--json", file, "--root", root)
        #expect(verified.status == 1, "\(name): \(verified.output)")
        #expect(verified.output.contains(advice), "\(name): \(verified.output)")
    }

    @Test func certificatesAreNamed() throws {
        for bytes in [try Forged.root(), Array(Data(try Forged.root()).base64EncodedString().utf8)] {
            let file = try workplace.write(bytes, to: "in/receipt")
            #expect(
                try Tool.run("verify", "--json", file, "--root", root).output.contains("--root to trust it"))
            let audited = try Tool.run("audit", workplace.file("in"), "--root", root).output
            #expect(audited.contains("a certificate"))
        }
    }

    /// Checks that `verify` refuses wrapped receipts and names the wrapping.
    @Test func verifyNamesTheWrapping() throws {
        let receipt = Data(try Forged.receipt(ReceiptContent())).base64EncodedString()
        for (text, advice) in [
            (receipt.replacing("/", with: "%2F").replacing("+", with: "%2B"), "percent-encoded"),
            (receipt.replacing("/", with: "\\/"), "JSON string escapes"),
            ("\"\(receipt)\"", "quotation marks"),
            ("data:;base64,\(receipt)", "a data URI"),
            (Data(receipt.utf8).base64EncodedString(), "base64 of base64"),
            (String(repeating: "3082", count: 99), "hexadecimal"),
        ] {
            let file = try workplace.write(Array(text.utf8), to: "receipt")
            let answer = try Tool.run("verify", "--json", file, "--root", root)
            #expect(answer.status == 1, "\(answer.output)")
            #expect(answer.output.contains(advice), "\(answer.output)")
            #expect(answer.output.contains("appreceipt audit unwraps it"))
        }
    }

    @Test func patternsSelectTheFilesOfAFolder() throws {
        let receipt = try Forged.receipt(ReceiptContent())
        for name in ["a.der", "b.b64", "sub/c.der", "sub/deep/d.der", "old/e.der", "ä.der"] {
            try workplace.write(receipt, to: "in/\(name)")
        }
        for (arguments, expected, leftOut) in [
            (["--include", "*.der"], ["a.der", "old/e.der", "sub/c.der", "sub/deep/d.der", "ä.der"], 1),
            (
                ["--include", "*.der", "--include", "b*"],
                ["a.der", "b.b64", "old/e.der", "sub/c.der", "sub/deep/d.der", "ä.der"], 0
            ),
            (["--exclude", "old"], ["a.der", "b.b64", "sub/c.der", "sub/deep/d.der", "ä.der"], 1),
            (["--exclude", "old/*"], ["a.der", "b.b64", "sub/c.der", "sub/deep/d.der", "ä.der"], 1),
            (["--include", "sub/*"], ["sub/c.der"], 5),
            (["--include", "sub/**"], ["sub/c.der", "sub/deep/d.der"], 4),
            (["--include", "?.der", "--exclude", "sub"], ["a.der", "old/e.der", "ä.der"], 2),
        ] {
            let answer = try Tool.run(["audit", workplace.file("in"), "--root", root] + arguments)
            let found = answer.output.matches(of: /"source":"([^"]*)"/).map { String($0.1) }
            #expect(found == expected, "\(arguments)")
            let message =
                leftOut == 0
                ? ""
                : "appreceipt: skipped: \(leftOut) file\(leftOut == 1 ? "" : "s") by --include or --exclude\n"
            #expect(answer.messages == message, "\(arguments)")
            let verified = try Tool.run(
                ["verify", "--json", workplace.file("in"), "--root", root] + arguments)
            #expect(verified.output.split(separator: "\n").count == expected.count, "\(arguments)")
        }
        // A pattern with very many possible matches takes only as many steps as it has characters.
        let stars = PathFilter(include: [String(repeating: "*a", count: 200) + "b"])
        #expect(!stars.takes(Array(String(repeating: "a", count: 4000).utf8)))
    }

    @Test(arguments: ["comma", ";", "tab", "\\t", "|", "x", "", "ab", "\"", "\n"])
    func delimitersAreNamed(text: String) throws {
        let byte = ["comma": ",", "tab": "\t", "\\t": "\t"][text] ?? text
        let isOne = [",", ";", "\t", "|"].contains(byte)
        let rows = isOne ? "id\(byte)receipt\na\(byte)MAT7\n" : ""
        let answer = try Tool.run(
            ["audit", "-", "--format", "csv", "--delimiter", text, "--root", root], stdin: Array(rows.utf8))
        #expect(answer.status == (isOne ? 1 : 64), "\(answer.messages)")
    }
}
