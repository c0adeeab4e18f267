import AppReceipt
import Foundation
import ReceiptForge
import ReceiptJSON
import Synchronization
import TestSupport
import Testing

@testable import ReceiptAudit
@testable import RecordSources

/// Exports in the formats of many systems, each read without options or with those of its row.
struct ExportTests {
    let workplace: Workplace

    init() throws { workplace = try Workplace() }

    /// An export in which `R` is a receipt in base64, and `J` the same with JSON's `\/`.
    struct Export: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let name: String
        let text: String
        var columns = ColumnNames()
        var format = SourceFormat.auto
        var encode: @Sendable (String) -> [UInt8] = { Array($0.utf8) }
        /// The identifier, subject and status or code of each record, or one message.
        let answers: [String]
        var told: String?

        init(
            _ description: String, _ name: String, _ text: String, columns: ColumnNames = ColumnNames(),
            format: SourceFormat = .auto, told: String? = nil,
            encode: @escaping @Sendable (String) -> [UInt8] = { Array($0.utf8) }, _ answers: [String]
        ) {
            (testDescription, self.name, self.text, self.columns) = (description, name, text, columns)
            (self.format, self.encode, self.answers, self.told) = (format, encode, answers, told)
        }
    }

    static let receipt = Result { Data(try Forged.receipt(ReceiptContent())).base64EncodedString() }

    private static func utf16(_ text: String, isLittleEndian: Bool) -> [UInt8] {
        ("\u{FEFF}" + text).utf16.flatMap { unit in
            let bytes = [UInt8(unit & 0xFF), UInt8(unit >> 8)]
            return isLittleEndian ? bytes : bytes.reversed()
        }
    }

    private static let dump = ColumnNames(id: "user_id", subject: "user_id")

    static let exports: [Export] = [
        // Columns
        Export(
            "custom column names", "users.csv", "user_id,receipt_data,created_at\n7,R,2026-01-01\n8,R,\n",
            told: "receipts read from the column receipt_data; no id, records are numbered; "
                + "subjects read from the column user_id "
                + "(override with --receipt-field, --id-field, --subject-field)",
            ["1 of 7 genuine", "2 of 8 genuine"]),
        Export(
            "id and subject from one column", "users.csv", "user_id,receipt_data\n7,R\n7,R\n", columns: dump,
            told: "receipts read from the column receipt_data "
                + "(override with --receipt-field, --id-field, --subject-field)",
            ["7 of 7 genuine", "7 of 7 genuine"]),
        Export(
            "a column named receipt is read, and others are noted", "a.csv", "receipt,receipt_data\nx,R\n",
            told:
                "receipts in receipt_data ignored (override with --receipt-field, --id-field, --subject-field)",
            ["1 malformed"]),
        Export(
            "a detected column is overridden", "a.csv", "old,new\nR,R\n",
            columns: ColumnNames(receipt: "new"),
            ["1 genuine"]),
        Export(
            "the first of two columns", "a.csv",
            "token,old,new\n\(String(repeating: "QUJD", count: 40)),R,R\n",
            told:
                "receipts read from the column old; receipts in new ignored; no id, records are "
                + "numbered; no subject (override with --receipt-field, --id-field, --subject-field)",
            ["1 genuine"]),
        Export(
            "the first of two members", "a.ndjson", #"{"id":1,"old":"R","new":{"er":"R","est":"R"}}"#,
            told:
                "receipts read from the field old; receipts in new.er, new.est ignored; no subject "
                + "(override with --receipt-field, --id-field, --subject-field)",
            ["1 genuine"]),
        Export(
            "a column with receipts in most records", "a.csv", "id,note,blob\n1,R,R\n2,x,x\n3,x,R\n4,,R\n",
            told: "receipts read from the column blob; receipts in note ignored; no subject "
                + "(override with --receipt-field, --id-field, --subject-field)",
            ["1 genuine", "2 malformed", "3 genuine", "4 genuine"]),
        Export(
            "no column holds receipts", "a.csv", "id,note\n1,x\n",
            [
                "a.csv, line 1: no column receipt, and no column contains receipts in most of the first "
                    + "records; use --receipt-field, found id, note"
            ]),
        Export(
            "no header line", "a.csv", "7,R\n8,R\n",
            told: "receipts read from the column 2; no id, records are numbered; "
                + "no subject (override with --receipt-field, --id-field, --subject-field)",
            ["1 genuine", "2 genuine"]),
        Export(
            "only receipts", "a.csv", "R\nR\n",
            told: "receipts read from the column 1; no id, records are numbered; "
                + "no subject (override with --receipt-field, --id-field, --subject-field)",
            ["1 genuine", "2 genuine"]),
        Export(
            "a column without a name", "a.csv", "id,\n7,R\n",
            [
                "a.csv, line 1: column 2, named '', contains receipts: missing header "
                    + "line? Add column names, or use --receipt-field"
            ]),
        Export(
            "a name as long as a cell", "a.csv", "id,\(String(repeating: "x", count: 128))\n7,R\n",
            [
                "a.csv, line 1: column 2, named '\(String(repeating: "x", count: 128))', contains receipts: "
                    + "missing header line? Add column names, or use --receipt-field"
            ]),
        Export(
            "a column named like an absent value", "a.csv", "7,n/a\n8,R\n",
            [
                "a.csv, line 1: column 2, named 'n/a', contains receipts: missing header "
                    + "line? Add column names, or use --receipt-field"
            ]),
        Export(
            "a named column that is missing", "a.csv", "user_id,receipt\n7,R\n",
            columns: ColumnNames(subject: "user"),
            ["a.csv, line 1: no column user (--subject-field), found user_id, receipt"]),
        // Absent values
        Export(
            "the spellings of an absent value", "a.csv",
            "id,receipt\n1,\n2,NULL\n3,\\N\n4,null\n5, \n6,\"\"\n7,nil\n8,R\n",
            [
                "1 absent", "2 absent", "3 absent", "4 absent", "5 absent", "6 absent", "7 malformed",
                "8 genuine",
            ]),
        Export(
            "an absent subject", "a.csv", "id,receipt,subject\n1,R,NULL\n2,R,\\N\n3,R,\nNULL,R,x\n",
            ["1 genuine", "2 genuine", "3 genuine", "4 of x genuine"]),
        Export(
            "an absent subject and id in JSON", "a.ndjson",
            [#""subject":"""#, #""subject":"NULL""#, #""subject":"\\N""#, #""x":1,"subject":"null""#].map {
                #"{"receipt":"R",\#($0),"id":" "}"#
            }.joined(separator: "\n"), ["1 genuine", "2 genuine", "3 genuine", "4 genuine"]),
        Export(
            "null in JSON", "a.ndjson",
            #"{"id":1,"receipt":null}"# + "\n" + #"{"id":2,"receipt":""}"# + "\n"
                + #"{"id":3,"receipt":"NULL"}"# + "\n" + #"{"id":4,"receipt":"R"}"#,
            ["1 absent", "2 absent", "3 absent", "4 genuine"]),
        Export(
            "a parent that is null", "a.ndjson",
            #"{"id":1,"answer":null}"# + "\n" + #"{"id":2,"answer":{"latest_receipt":"R"}}"#,
            columns: ColumnNames(receipt: "answer.latest_receipt"), ["1 absent", "2 genuine"]),
        // The path `answer.id` makes the reader look into `answer`, whose name is a prefix of `answer_body`.
        Export(
            "null in a member with a similar name", "a.ndjson",
            [
                #"{"answer":null,"answer_body":"R"}"#, #"{"answer":null}"#,
                #"{"answer":{"id":"x"},"answer_body":"R"}"#,
            ].joined(separator: "\n"),
            columns: ColumnNames(id: "answer.id", receipt: "answer_body"),
            ["1 genuine", "null line 2 unreadable", "x genuine"]),
        // Delimiters
        Export("semicolons", "a.csv", "id;receipt;name\n1;R;Müller, Jörg\n", ["1 genuine"]),
        Export("semicolons in a quoted name", "a.csv", "\"id;x\",receipt\n1,R\n", ["1 genuine"]),
        Export("pipes", "a.csv", "id|receipt\n1|R\n", ["1 genuine"]),
        Export("tabs", "a.tsv", "id\treceipt\tname\n1\tR\ta,b,c,d\n2\t\\N\t\n", ["1 genuine", "2 absent"]),
        Export("tabs without a name", "a.csv", "id\treceipt\n1\t\"R\"\n", ["1 genuine"]),
        Export("Excel's sep line", "a.csv", "sep=;\r\nid;receipt\r\n1,2;R\r\n", ["1,2 genuine"]),
        Export("Excel's sep line with Unix line ends", "a.csv", "SEP=|\nid|receipt\n1|R\n", ["1 genuine"]),
        Export(
            "Excel's sep line in UTF-16", "a.csv", "sep=\t\r\nid\treceipt\r\n1,2,3,4\tR\r\n",
            encode: { utf16($0, isLittleEndian: true) }, ["1,2,3,4 genuine"]),
        Export("a column named like Excel's sep line", "a.csv", "sep=,receipt\n1,R\n", ["1 genuine"]),
        Export(
            "quoted text with line breaks", "a.csv", "id;name;receipt\n1;\"a;\r\nb\";R\r\n", ["1 genuine"]),
        // Encodings
        Export(
            "UTF-16, the Unicode text of spreadsheets", "a.csv", "id\treceipt\tsubject\r\n1\tR\tJörg 🍎\r\n",
            encode: { utf16($0, isLittleEndian: true) }, ["1 of Jörg 🍎 genuine"]),
        Export(
            "UTF-16, big-endian", "a.csv", "id,receipt\r\n1,R\r\n",
            encode: { utf16($0, isLittleEndian: false) }, ["1 genuine"]),
        Export(
            "UTF-16 and JSON", "a.json", #"[{"id":"ö","receipt":"R"}]"#,
            encode: { utf16($0, isLittleEndian: true) }, ["ö genuine"]),
        Export(
            "UTF-16 truncated inside a character", "a.csv", "id,receipt\n1,R\n",
            encode: { utf16($0, isLittleEndian: true) + [0x41] }, ["1 genuine", "null line 2 unreadable"]),
        Export(
            "a byte order mark", "a.ndjson", "\u{FEFF}" + #"{"id":1,"receipt":"R"}"#, ["1 genuine"]),
        Export("a byte order mark and CSV", "a.csv", "\u{FEFF}id,receipt\n1,R\n", ["1 genuine"]),
        Export(
            "a lone surrogate", "a.csv", "id,receipt\n1,R\n2,R\n3,R\n",
            encode: { text in
                var bytes = utf16(text, isLittleEndian: true)
                // The 2 before its comma.
                if let place = bytes.indices.first(where: { bytes[$0...].starts(with: [0x32, 0, 0x2C, 0]) }) {
                    bytes[place + 1] = 0xD8
                }
                return bytes
            }, ["1 genuine", "null line 2 unreadable", "3 genuine"]),
        // JSON
        Export(
            "an array", "a.json", #"[{"id":1,"receipt":"R"}, {"id":"b","receipt":"J"}]"#,
            ["1 genuine", "b genuine"]),
        Export(
            "an array over lines", "a.txt",
            "[\n  {\n    \"id\": 1,\n    \"receipt\": \"R\"\n  },\n  {\n    \"id\": 2,\n    \"receipt\": null\n  }\n]\n",
            ["1 genuine", "2 absent"]),
        Export("an array of receipts", "a.json", #"["R", "R"]"#, ["1 genuine", "2 genuine"]),
        Export("one object", "a.json", "{\n \"id\": 1,\n \"receipt\": \"R\"\n}\n", ["1 genuine"]),
        Export(
            "objects without a separator", "a.json",
            "{\n \"receipt\": \"R\"\n}\n{\n \"receipt\": \"R\"\n} {\"receipt\":\"R\"}",
            ["1 genuine", "2 genuine", "3 genuine"]),
        Export(
            "NDJSON in a file named .json", "a.json",
            #"{"id":1,"receipt":"R"}"# + "\n" + #"{"id":2,"receipt":"R"}"# + "\nx\n",
            ["1 genuine", "2 genuine", "null line 3 unreadable"]),
        Export(
            "NDJSON whose first line is truncated", "a.json",
            #"{"id":1,"receipt":"R""# + "\n" + #"{"id":2,"receipt":"R"}"# + "\n\n"
                + #"{"id":3,"receipt":"R"}"#,
            ["null line 1 unreadable", "2 genuine", "3 genuine"]),
        Export(
            "NDJSON whose first line is truncated after a comma", "a.json",
            #"{"id":1,"x":[1,2],"# + "\n" + #"{"id":2,"receipt":"R"}"#,
            ["null line 1 unreadable", "2 genuine"]),
        Export(
            "nested objects, each on its own line", "a.json",
            "{\"id\":1,\"receipt\":\"R\",\"x\":\n{\"y\":[1,\n{},\n{}]}\n}\n{\"receipt\":\"R\"}",
            ["1 genuine", "2 genuine"]),
        Export(
            "an array of an array", "a.json", "{\"x\":[0,\n{}],\n\"receipt\":\"R\"}", ["1 genuine"]),
        Export(
            "an array with invalid elements", "a.json",
            #"[{"id":1,"receipt":"R"},, {"id":2 "receipt":"R"}, [], {"id":3,"receipt":"R"},]"#,
            [
                "1 genuine", "null line 2 unreadable", "null line 3 unreadable", "null line 4 unreadable",
                "3 genuine", "null line 6 unreadable",
            ]),
        Export(
            "an array without its end", "a.json", #"[{"id":1,"receipt":"R"}"#,
            ["1 genuine", "null line 2 unreadable"]),
        Export(
            "an array truncated inside a record", "a.json", #"[{"id":1,"receipt":"R"},{"id":2,"rec"#,
            ["1 genuine", "null line 2 unreadable"]),
        Export("an empty array", "a.json", "[ ]", []),
        Export(
            "members of members", "a.ndjson",
            #"{"payload":{"receipt-data":"R","user":{"id":7}}}"# + "\n",
            columns: ColumnNames(id: "payload.user.id", receipt: "payload.receipt-data"), ["7 genuine"]),
        Export(
            "a field found in a nested object", "a.ndjson",
            #"{"_id":"x","response":{"status":0,"latest_receipt":"J"}}"#,
            told: "receipts read from the field response.latest_receipt; no id, records are "
                + "numbered; no subject (override with --receipt-field, --id-field, --subject-field)",
            ["1 genuine"]),
        Export(
            "answers of verifyReceipt", "a.json",
            #"{"status": 0, "receipt": {"in_app": []}, "latest_receipt": "R", "environment": "Sandbox"}"#,
            told: "receipts read from the field latest_receipt; no id, records are numbered; "
                + "no subject (override with --receipt-field, --id-field, --subject-field)",
            ["1 genuine"]),
        Export(
            "a period in a name", "a.ndjson", #"{"a.b":"R","id":1}"#, columns: ColumnNames(receipt: "a.b"),
            ["1 genuine"]),
        Export(
            "two members with the same path", "a.ndjson", #"{"a.b":"R","a":{"b":"R"},"id":1}"#,
            columns: ColumnNames(receipt: "a.b"), ["null line 1 unreadable"]),
        Export(
            "a number as the subject", "a.ndjson", #"{"id":1,"subject":17,"receipt":"R"}"#,
            ["1 of 17 genuine"]),
        Export(
            "no field holds receipts", "a.ndjson", #"{"id":1,"blob":"x"}"#,
            told: "no field receipt, and no field contains receipts in most of the first records; "
                + "use --receipt-field",
            ["null line 1 unreadable"]),
        Export(
            "an invalid first line", "a.ndjson", "x\n" + #"{"receipt":"R"}"#,
            ["null line 1 unreadable", "2 genuine"]),
        // Other formats
        Export(
            "Parquet", "a.parquet", "PAR1",
            [
                "a.parquet: Parquet is not supported here; use python -m appreceipt.records FILE | "
                    + "appreceipt audit -, or python -m appreceipt.spark INPUT OUTPUT"
            ]),
    ]

    private func audit(_ export: Export, _ input: String) throws -> (answers: [String], told: [String]) {
        let told = Mutex<[String]>([])
        var audit = try Forged.audit([input], format: export.format, columns: export.columns)
        audit.notify = { line in told.withLock { $0.append(line) } }
        let output = "out-\(UUID().uuidString)"
        var answers: [String] = []
        do {
            let counts = try audit.writeLines(to: workplace.file(output), jobs: 2)
            answers = try workplace.read(output).split(separator: 0x0A).map { line in
                let object = try #require(
                    try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
                let id = object["id"] ?? NSNull()
                let subject = object["subject"].map { " of \($0)" } ?? ""
                let place = object["line"].map { " line \($0)" } ?? ""
                let code = (object["refusal"] as? [String: Any])?["code"] ?? object["status"] ?? ""
                return "\(id is NSNull ? "null" : "\(id)")\(subject)\(place) \(code)"
            }
            #expect(counts.records == answers.count)
            #expect(counts.absent == answers.count { $0.hasSuffix(" absent") })
            #expect(counts.missingFields == [] || counts.unreadable == counts.records)
        } catch let error as AuditError {
            answers = [error.description.replacingOccurrences(of: workplace.path + "/", with: "")]
            let isThere = try InputFile(path: workplace.file(output)).exists
            #expect(!isThere)
        }
        return (
            answers,
            told.withLock { $0 }.map { $0.replacingOccurrences(of: workplace.path + "/", with: "") }
        )
    }

    @Test(arguments: exports)
    func isRead(_ export: Export) throws {
        let receipt = try Self.receipt.get()
        let text = export.text.replacing(/\bR\b/, with: receipt).replacing(
            /\bJ\b/, with: receipt.replacingOccurrences(of: "/", with: "\\/"))
        let input = try workplace.write(export.encode(text), to: export.name)
        let (answers, told) = try audit(export, input)
        #expect(answers == export.answers)
        #expect(told == (export.told.map { ["\(export.name): \($0)"] } ?? []))
        guard export.name != "a.parquet", export.name != "a.txt" else { return }

        // The compressed file gives the same result.
        try workplace.shell("gzip -k \(export.name)")
        let compressed = try audit(export, input + ".gz").answers
        #expect(compressed.map { $0.replacingOccurrences(of: ".csv.gz", with: ".csv") } == export.answers)
    }

    /// Checks that only the first thousand records determine the field, without records above the length
    /// limit.
    @Test func onlyTheFirstThousandRecordsDetermineTheField() throws {
        let receipt = try Self.receipt.get()
        func found(_ records: [String]) throws -> [String] {
            let text = "early,late\n" + records.joined()
            let input = try workplace.write(text.utf8, to: "in.csv")
            return try SourcePlan([input], SourceSettings(), limits: ReceiptLimits()).notes
        }
        let (early, late) = ("\(receipt),\n", ",\(receipt)\n")
        let many = Array(repeating: "x,\n", count: 999) + [late]
        #expect(try found(many + Array(repeating: early, count: 1500)).first?.contains("column late") == true)
        #expect(try found([early] + Array(repeating: late, count: 1500)).first?.contains("early") == true)
    }

    /// Checks that the detected field is the same from a pipe and with any number of threads, and that it is
    /// stored.
    @Test func detectedFieldIsASetting() throws {
        let receipt = try Self.receipt.get()
        let text = "user;blob\n" + (0..<300).map { "u\($0 % 7);\(receipt)\n" }.joined()
        let root = try workplace.write(try Forged.root(), to: "root.cer")
        let input = try workplace.write(text.utf8, to: "in.csv")
        let options = ["--root", root, "--subject-field", "user", "--as-of", "2026-01-01T00:00:00Z"]
        var lines: Set<[UInt8]> = []
        for jobs in ["1", "4"] {
            // Into files, because this test reads no output while the tool runs.
            for (name, source) in [("file", [input]), ("pipe", ["-", "--format", "csv"])] {
                let output = "\(name)-\(jobs)"
                let answer = try Tool.run(
                    ["audit"] + source + options + ["--jobs", jobs, "--ndjson", workplace.file(output)],
                    stdin: name == "pipe" ? Array(text.utf8) : [])
                #expect(answer.status == 0)
                lines.insert(try workplace.read(output))
            }
        }
        #expect(lines.count == 1)

        let audit = try Forged.audit([input], columns: ColumnNames(subject: "user"))
        _ = try audit.database(workplace.file("out.sqlite"))
        #expect(try audit.replay(workplace.file("out.sqlite"), jobs: 1) { Issue.record("\($0)") }.holds)
        // Another column name changes the file, but not the results.
        try workplace.write(text.replacing("blob", with: "receipt").utf8, to: "in.csv")
        var told: [String] = []
        _ = try audit.replay(workplace.file("out.sqlite"), jobs: 1) { told.append($0) }
        #expect(told.count == 2, "\(told)")
        #expect(told.allSatisfy { $0.hasPrefix("inputs 1: ") }, "\(told)")
        try workplace.write(text.replacing(";", with: ",").utf8, to: "in.csv")
        let error = #expect(throws: AuditError.self) {
            try audit.replay(workplace.file("out.sqlite"), jobs: 1) { _ in }
        }
        #expect(error?.description.contains("made with other settings: sources-read-as was") == true)
    }
}
