import AppReceipt
import Foundation
import ReceiptExamination
import ReceiptForge
import ReceiptJSON
import RecordSources
import TestSupport
import Testing

@testable import ReceiptAudit
@testable import ReceiptExamination
@testable import RecordSources

/// The records of each kind of source, complete and damaged.
struct SourceTests {
    let workplace: Workplace

    init() throws { workplace = try Workplace() }

    /// Returns the identifiers and statuses of the lines.
    func answers(
        _ source: String, format: SourceFormat = .auto, columns: ColumnNames = ColumnNames(), jobs: Int = 1
    ) throws -> [String] {
        let output = "out-\(UUID().uuidString)"
        do {
            _ = try Forged.audit([source], format: format, columns: columns).writeLines(
                to: workplace.file(output), jobs: jobs)
        } catch let error as AuditError {
            return try (InputFile(path: workplace.file(output)).exists ? lines(output) : []) + [
                error.description.replacingOccurrences(of: workplace.path + "/", with: "")
            ]
        }
        return try lines(output)
    }

    private func lines(_ name: String) throws -> [String] {
        try workplace.read(name).split(separator: 0x0A).map { line in
            let object = try #require(try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
            let id = object["source"] ?? object["id"] ?? NSNull()
            let code = (object["refusal"] as? [String: Any])?["code"] ?? object["status"] ?? ""
            let place = object["line"].map { " line \($0)" } ?? ""
            return "\(id is NSNull ? "null" : "\(id)")\(place) \(code)"
        }
    }

    static let receipt = Result { Data(try Forged.receipt(ReceiptContent())).base64EncodedString() }

    @Test(arguments: [
        (#"{"id": "a", "receipt": "R"}"#, "a genuine"),
        (#"{"receipt":"R","id":17,"subject":"Jörg"}"#, "17 genuine"),
        (#" { "id" : "a\u0041" , "receipt" : "R" , "more" : {"x": [1, null]} } "#, "aA genuine"),
        (#"{"id": "a", "subject": null, "receipt": "R"}"#, "a genuine"),
        (#"{"id": "a", "receipt": "MAT7"}"#, "a malformed"), (#"{"id": "a", "receipt": ""}"#, "a absent"),
        (#"{"id": "a"}"#, "null line 1 unreadable"), (#"{"receipt": "R"}"#, "1 genuine"),
        (#"{"id": null, "receipt": "R"}"#, "1 genuine"),
        (#"{"id": true, "receipt": "R"}"#, "null line 1 unreadable"),
        (#"{"id": "a", "receipt": 7}"#, "null line 1 unreadable"),
        (#"{"id": "a", "subject": 7, "receipt": "R"}"#, "a genuine"),
        (#"{"id": "a", "subject": [7], "receipt": "R"}"#, "null line 1 unreadable"),
        (#"{"id": "a", "id": "b", "receipt": "R"}"#, "null line 1 unreadable"),
        (#"{"id": "a", "x": 1, "x": 2, "receipt": "R"}"#, "null line 1 unreadable"),
        (#"{"id": 01, "receipt": "R"}"#, "null line 1 unreadable"),
        (#"{"id": "a", "receipt": "R"} x"#, "null line 1 unreadable"),
        (#"{"id": "a", "receipt": "R""#, "null line 1 unreadable"), ("[]", "null line 1 unreadable"),
    ])
    func readsALine(line: String, answer: String) throws {
        let text = line.replacingOccurrences(of: "\"R\"", with: "\"\(try Self.receipt.get())\"")
        #expect(try answers(try workplace.write(Array(text.utf8), to: "in.ndjson")) == [answer])
    }

    @Test func idsAndSubjectsAreUnchanged() throws {
        let text = #"{"id": 12345678901234567890123, "subject": "a\/b", "receipt": "MAT7"}"#
        let input = try workplace.write(Array(text.utf8), to: "in.ndjson")
        _ = try Forged.audit([input]).writeLines(to: workplace.file("out"), jobs: 1)
        let line = String(decoding: try workplace.read("out"), as: UTF8.self)
        #expect(line.hasPrefix(#"{"id":12345678901234567890123,"subject":"a/b","#))
    }

    @Test func escapedSlashesAreReceiptsToo() throws {
        let escaped = try Self.receipt.get().replacingOccurrences(of: "/", with: "\\/")
        let input = try workplace.write(Array(#"{"id":"a","receipt":"\#(escaped)"}"#.utf8), to: "in.ndjson")
        #expect(try answers(input) == ["a genuine"])
    }

    @Test func orderAndBytesDoNotDependOnThreads() throws {
        let input = try workplace.write(try Forged.lines(400).joined(), to: "in.ndjson")
        _ = try Forged.audit([input]).writeLines(to: workplace.file("one"), jobs: 1)
        _ = try Forged.audit([input]).writeLines(to: workplace.file("four"), jobs: 4)
        #expect(try workplace.read("one") == workplace.read("four"))
        #expect(try lines("one").enumerated().allSatisfy { $1.hasPrefix("receipt-\($0) ") })
    }

    // MARK: - CSV

    @Test(arguments: [
        ("id,receipt\nx,R\n", ["x genuine"]), ("\u{FEFF}receipt,other,id\r\nR,,x\r\n\r\n", ["x genuine"]),
        ("id,receipt\n\"x\"\"y\",\"R\"", ["x\"y genuine"]),
        ("id,receipt\n\"x\ny\",R\nz,R\n", ["x\ny genuine", "z genuine"]),
        ("id,receipt\nx,R,more\ny,R\n", ["null line 1 unreadable", "y genuine"]),
        ("id,receipt\nx\"y\",R\nz,R\n", ["null line 1 unreadable", "z genuine"]),
        ("id,receipt\n,R\n", ["1 genuine"]), ("id,receipt\nx,\"R", ["null line 1 unreadable"]),
        ("name,receipt\nx,R\n", ["1 genuine"]),
        ("id,id,receipt\n", ["in.csv, line 1: duplicate column id"]),
        ("", ["in.csv: no header line with column names"]),
        // CR alone, and mixed line ends.
        ("id,receipt\rx,R\ry,R\r", ["x genuine", "y genuine"]),
        ("id,receipt\r\nx,R\ry,R\n\r\n\nz,R", ["x genuine", "y genuine", "z genuine"]),
        // One stray quote invalidates one row, before, in or after a field, even if quoted rows follow.
        ("id,receipt\nx,\"R\ny,R\nz,R\n", ["null line 1 unreadable", "y genuine", "z genuine"]),
        ("id,receipt\n\"x,R\ny,R\nz,R\n", ["null line 1 unreadable", "y genuine", "z genuine"]),
        ("id,receipt\nx\",R\ny,R\n", ["null line 1 unreadable", "y genuine"]),
        (
            "id,receipt\n\"x\",\"R\n\"y\",\"R\"\n\"z\",\"R\"\n",
            ["null line 1 unreadable", "y genuine", "z genuine"]
        ),
        (
            "id,receipt\nx,\"R\ny,R,\"\"\nz,R\n",
            ["null line 1 unreadable", "null line 2 unreadable", "z genuine"]
        ),
        ("id,receipt\nx,\"\ny,R\n", ["null line 1 unreadable", "y genuine"]),
        ("id,receipt\n\"x\r\ny\",R\r\n", ["x\r\ny genuine"]),
        // Text of databases is not quoted.
        ("id\treceipt\nx \"y\"\tR\nz\tR\n", ["x \"y\" genuine", "z genuine"]),
        ("id\treceipt\n\"x\" y\tR\nz\tR\n", ["null line 1 unreadable", "z genuine"]),
        ("id\treceipt\n\"x\ny\"\tR\nz\tR\n", ["x\ny genuine", "z genuine"]),
        ("id\tname\treceipt\n\"x\ny\"\tz\"\tR\nz\t\tR\n", ["x\ny genuine", "z genuine"]),
        ("id\tname\treceipt\n\"x\"\t\"y\tz\"\tR\n", ["x genuine"]),
        // Quotes in texts of two rows look like quotes around the rows between them.
        ("id\treceipt\tname\nx\tR\t\"a\ny\tR\t\nz\tR\tb\"\n", ["null line 1 unreadable"]),
        ("name\tid\treceipt\n\"\tx\tR\n\"\tz\tR\nv\tw\tR\n", ["null line 1 unreadable", "w genuine"]),
        ("id|receipt|name\nx|R|\"a\ny|R|\nz|R|b\"\n", ["null line 1 unreadable"]),
        ("id|name|receipt\nx|\"a|b\"|R\ny|\"c\nd\"|R\n", ["x genuine", "y genuine"]),
        // After a quote as text, no quoted field has line ends. Otherwise, each line could be scanned to the end of the file.
        (
            "id\treceipt\nx\"\t\"R\n\"\nz\tR\n",
            ["null line 1 unreadable", "null line 2 unreadable", "z genuine"]
        ),
    ])
    func readsCSV(text: String, expected: [String]) throws {
        let rows = text.replacingOccurrences(of: "R", with: try Self.receipt.get())
        #expect(try answers(try workplace.write(Array(rows.utf8), to: "in.csv")) == expected)
    }

    @Test func namedColumnsAreUsed() throws {
        let rows = "account;x,blob,key\n7,\(try Self.receipt.get()),k\n"
        let input = try workplace.write(Array(rows.utf8), to: "in.csv")
        let names = ColumnNames(id: "key", receipt: "blob", subject: "account;x")
        #expect(try answers(input, columns: names) == ["k genuine"])
    }

    // MARK: - Archives and folders

    private func makeFolder() throws {
        try workplace.write(try Forged.receipt(ReceiptContent()), to: "folder/b.der")
        try workplace.write(
            Array(try Self.receipt.get().utf8), to: "folder/a/\(String(repeating: "long", count: 40)).b64")
        try workplace.write([1, 2, 3], to: "folder/c")
        try workplace.write([1], to: "folder/.hidden")
    }

    /// Checks that a file that begins with a brace is an export, whatever its name. In a folder, every file
    /// is a receipt.
    @Test func aFileThatBeginsWithABraceIsAnExport() throws {
        let line = try Forged.line("a", ReceiptContent())
        #expect(try answers(workplace.write(line, to: "in/export.txt")) == ["a genuine"])
        #expect(try answers(workplace.file("in")) == ["export.txt malformed"])
    }

    @Test func readsFolders() throws {
        try makeFolder()
        let long = "a/\(String(repeating: "long", count: 40)).b64"
        #expect(try answers(workplace.file("folder")) == ["\(long) genuine", "b.der genuine", "c malformed"])
    }

    @Test func foldersAreSplitByFilesAndBytes() throws {
        for index in 0..<36 {
            let size = index < 3 ? ReadAhead().batchBytes : 1
            try workplace.write(repeatElement(0x20, count: size), to: "in/\(100 + index)")
        }
        let source = FileSource(path: workplace.file("in"))
        var batches: [[Int]] = []
        while let batch = source.next() { batches.append([batch.places[0], batch.records.count]) }
        #expect(batches == [[1, 1], [2, 1], [3, 1], [4, 32], [36, 1]])
    }

    @Test(arguments: ["gnu", "pax", "ustar"])
    func readsArchives(form: String) throws {
        try makeFolder()
        let long = form == "ustar" ? "short" : String(repeating: "long", count: 40)
        if form == "ustar" { try workplace.shell("mv folder/a/long* folder/a/short.b64") }
        try workplace.shell(
            "tar --sort=name --format=\(form) -cf in.tar folder; gzip -k in.tar; (gzip -c in.tar; head -c 100 /dev/zero) > padded.tgz"
        )
        let expected = ["folder/a/\(long).b64 genuine", "folder/b.der genuine", "folder/c malformed"]
        for name in ["in.tar", "in.tar.gz", "padded.tgz"] {
            #expect(try answers(workplace.file(name)) == expected)
        }
    }

    @Test func missingSourceIsReported() throws {
        for name in ["no.ndjson", "no.der"] {
            #expect(try answers(workplace.file(name)) == ["\(name): No such file or directory"])
        }
    }

    @Test func vanishedFileIsReported() throws {
        try makeFolder()
        let source = FileSource(path: workplace.file("folder"))
        try FileManager.default.removeItem(atPath: workplace.file("folder/b.der"))
        let batch = try #require(source.next())
        let evaluator = RecordEvaluator(
            examiner: Examiner(
                try ReceiptVerifier(anchors: .custom(try Forged.root())), policy: .any
            ),
            question: nil)
        var counts = AuditCounts()
        for (index, record) in batch.records.enumerated() {
            evaluator.examine(record, index + 1, of: batch) {
                counts.add(evaluator.answer($0, within: VerdictLimit()), from: "folder")
            }
        }
        #expect(counts.genuine == 1)
        #expect(counts.refused == 1)
        #expect(counts.unreadable == 1)
        #expect(counts.firstUnreadable == "b.der: No such file or directory")
    }

    @Test func shrinkingFileIsReported() throws {
        let path = try workplace.write(Array("a\nb\nc\n".utf8), to: "in.ndjson")
        let stream = try ByteStream(path: path)
        var bytes: [UInt8] = []
        #expect(try stream.append(to: &bytes, upTo: 2) == 2)
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        try file.truncate(atOffset: 2)
        #expect(throws: AuditError("\(path): truncated while being read: 2 of 6 bytes")) {
            try stream.append(to: &bytes, upTo: 2)
        }
    }
}
