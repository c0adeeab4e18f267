import AppReceipt
import Foundation
import ReceiptForge
import ReceiptJSON
import SQLite
import TestSupport
import Testing

@testable import ReceiptAudit
@testable import ReceiptExamination
@testable import RecordSources

/// Exports with purchases of several stores, apps and trust anchors, and with further columns.
@Suite(.serialized)
struct MixedExportTests {
    let workplace: Workplace
    let root: String

    private static let token =
        "mbpkhfgjdaklmfnhnjpkhlpc.AO-J1OyIpbAIXgCSVFm4Xz_m3Jh1pT9dDqYk2-LrW8sQeVnBtGxUoZaKcHiEjMfP"

    init() throws {
        workplace = try Workplace()
        root = try workplace.write(try Forged.root(), to: "root.cer")
    }

    private func base64(_ bundleID: String = "com.example.forge") throws -> String {
        Data(try Forged.receipt(ReceiptContent(bundleID: bundleID))).base64EncodedString()
    }

    private func csv(_ rows: [String], _ name: String = "in.csv") throws -> String {
        try workplace.write(Array((rows.joined(separator: "\n") + "\n").utf8), to: name)
    }

    private func number(_ sql: String, _ name: String = "out.sqlite") throws -> Int? {
        try withDatabase(workplace.file(name)) { try $0.prepare(sql).firstValue() }
    }

    private func texts(_ sql: String, _ name: String = "out.sqlite") throws -> [String] {
        try withDatabase(workplace.file(name)) { try $0.prepare(sql).values() }
    }

    // MARK: - Foreign values

    /// Checks that values of other stores and empty cells are not refusals, and that damaged receipts still are.
    @Test(
        arguments: [
            ([], Int32(0), 0), (["5,\(String(repeating: "MIIB", count: 30))"], 1, 1),
            (["5,eyJhbGciOiJFUzI1NiIsIng1YyI6WyJN"], 1, 1),
        ] as [([String], Int32, Int)])
    func foreignValueIsNotRefused(more: [String], status: Int32, refused: Int) throws {
        let rows = [
            "id,receipt", "1,\(try base64())", "2,\(Self.token)", "3,sub_1MowQVLkdIwHu7ixeraBm864", "4,",
        ]
        let source = try csv(rows + more)
        let lines = try Tool.run("audit", source, "--root", root)
        #expect(lines.status == status)
        let answers = lines.output.split(separator: "\n")
        #expect(answers[1] == #"{"id":"2","sha256":null,"status":"foreign","kind":"google_play_token"}"#)
        #expect(answers[2] == #"{"id":"3","sha256":null,"status":"foreign","kind":"stripe_id"}"#)
        #expect(answers[3] == #"{"id":"4","sha256":null,"status":"absent"}"#)
        let output = workplace.file("out.sqlite")
        let audit = try Tool.run("audit", source, "--root", root, "--output", output)
        #expect(audit.status == status)
        #expect(audit.messages.contains(" \(refused) refused, 0 unreadable, 1 absent, 2 foreign\n"))
        #expect(audit.messages.contains("foreign: 1 Google Play purchase token, 1 Stripe ID\n"))
        #expect(try number("SELECT foreign_values FROM runs") == 2)
        #expect(
            try texts("SELECT kind FROM receipts WHERE status = 'foreign' ORDER BY id")
                == ["google-play-token", "stripe-id"])
        #expect(try Tool.run("audit", source, "--root", root, "--replay", output).status == 0)
    }

    /// Checks JSON members: a purchase as an object is foreign, any other object stays an error.
    @Test func foreignObjectInJSONIsRecognized() throws {
        let source = try workplace.write(
            Array(
                """
                {"id":"a","receipt":"\(try base64())"}
                {"id":"b","receipt":{"packageName":"com.example","purchaseToken":"x"}}

                """.utf8), to: "in.ndjson")
        let answer = try Tool.run("audit", source, "--root", root)
        #expect(answer.status == 0)
        #expect(
            answer.output.hasSuffix(
                #"{"id":"b","sha256":null,"status":"foreign","kind":"google_play_purchase"}"# + "\n"))
        let other = try workplace.write(
            Array(#"{"id":"b","receipt":{"packageName":"x"}}"#.utf8), to: "b.ndjson")
        #expect(try Tool.run("audit", other, "--root", root).status == 2)
    }

    /// Checks that the column of receipts is found although most of its values are foreign.
    @Test func columnWithMostlyForeignValuesIsFound() throws {
        let foreign = (0..<20).map { "\($0),\(Self.token)" }
        let answer = try Tool.run(
            "audit", try csv(["n,payload"] + foreign + ["20,\(try base64())"]), "--root", root)
        #expect(answer.status == 0)
        #expect(answer.messages.contains("receipts read from the column payload"))
        #expect(answer.output.contains("\"status\":\"genuine\""))
    }

    @Test func exportWithoutReceiptsIsNotASuccess() throws {
        let answer = try Tool.run("audit", try csv(["id,receipt", "1,\(Self.token)", "2,"]), "--root", root)
        #expect(answer.status == 2)
        #expect(
            answer.messages.hasSuffix(
                """
                error: no record was verified: 1 of 2 records have an empty receipt, 1 a value of another store

                """))
    }

    // MARK: - Kept columns and selected records

    /// Checks kept columns in the database, the tables and the report, and that records that are not selected are
    /// only counted.
    @Test func keptColumnsAndSelectedRows() throws {
        let receipt = try base64()
        let source = try csv([
            "id,receipt,platform,country,note", "1,\(receipt),ios,DK,x", "2,\(receipt),android,SE,x",
            "3,MAT7,ios,,", "4,\(receipt),web,NO,x", "5,\(receipt),mac,\"a,\"\"b\"\"\",x",
        ])
        let arguments = [
            "audit", source, "--root", root, "--keep", "country", "--keep", "platform", "--where",
            "platform=ios",
            "--where", "platform=mac",
        ]
        let answer = try Tool.run(
            arguments + [
                "--output", workplace.file("out.sqlite"), "--csv", workplace.file("csv"), "--report",
                workplace.file("r.html"),
            ])
        #expect(answer.status == 1)
        #expect(answer.messages.contains("3 records: 2 GENUINE, BUT NOT APPLE'S, 1 refused"))
        #expect(answer.messages.contains("not selected by --where: 2 records\n"))
        #expect(try number("SELECT not_selected FROM runs") == 2)
        #expect(try texts("SELECT record FROM receipts ORDER BY id") == ["1", "3", "5"])
        #expect(
            try texts("SELECT kept FROM receipts ORDER BY id") == [
                #"{"country":"DK","platform":"ios"}"#, #"{"platform":"ios"}"#,
                #"{"country":"a,\"b\"","platform":"mac"}"#,
            ])
        let rows = try workplace.csv("csv/receipts.csv")
        #expect(rows[0].suffix(2) == ["country", "platform"])
        #expect(rows[2].suffix(2) == ["", "ios"])
        #expect(rows[3].suffix(2) == ["a,\"b\"", "mac"])
        let page = String(decoding: try workplace.read("r.html"), as: UTF8.self)
        #expect(page.contains("<br>country: DK<br>platform: ios</th>"))
        // The settings come from the database.
        #expect(
            try Tool.run("audit", source, "--root", root, "--replay", workplace.file("out.sqlite")).output
                == "3 records verified again: every row matches\n")
        let none = try Tool.run("audit", source, "--root", root, "--where", "platform=tv")
        #expect(none.status == 2)
        #expect(none.messages == "error: no record has the values of --where\n")
        for (option, value) in [("--keep", "city"), ("--where", "city=x")] {
            let missing = try Tool.run("audit", source, "--root", root, option, value)
            #expect(missing.status == 2)
            #expect(missing.messages.contains("line 1: no column city (\(option)), found id, receipt, "))
        }
        let files = try Tool.run("audit", root, "--root", root, "--where", "a=b")
        #expect(files.status == 2)
        #expect(files.messages.contains("--where: a source of files has no column a"))
        #expect(try Tool.run("audit", source, "--root", root, "--where", "platform").status == 64)
    }

    /// Checks members of JSON at any depth, and that `all` keeps no receipts.
    @Test func keptMembersOfJSON() throws {
        let receipt = try base64()
        let source = try workplace.write(
            Array(
                """
                {"id":"a","receipt":"\(receipt)","user":{"country":"DK","age":7,"old":true,"x":null},"tags":["t"]}
                {"id":"b","receipt":"\(receipt)","user":{"country":"SE"}}

                """.utf8), to: "in.ndjson")
        let arguments = ["audit", source, "--root", root]
        let named = try Tool.run(
            arguments + [
                "--output", workplace.file("out.sqlite"), "--keep", "user.country", "--where",
                "user.country=DK",
            ])
        #expect(named.status == 0)
        #expect(try texts("SELECT kept FROM receipts") == [#"{"user.country":"DK"}"#])
        let all = try Tool.run(arguments + ["--output", workplace.file("all.sqlite"), "--keep", "all"])
        #expect(all.status == 0)
        #expect(
            try texts("SELECT kept FROM receipts ORDER BY id", "all.sqlite") == [
                #"{"id":"a","user.country":"DK","user.age":"7","user.old":"true"}"#,
                #"{"id":"b","user.country":"SE"}"#,
            ])
    }

    /// Checks that kept fields, which the database repeats for each signed object, do not multiply a record's size.
    @Test(arguments: [
        // (fields of a thousand bytes, answers to 64 signed objects)
        (4, 64), (200, 18),
    ])
    func keptFieldsAreRepeatedToALimit(fields: Int, answers: Int) throws {
        let kept = (0..<fields).map { "\"f\($0)\":\"\(String(repeating: "a", count: 1_000))\"" }
        let objects = Array(repeating: "1", count: 64).joined(separator: ",")
        let line = "{\(kept.joined(separator: ",")),\"signedTransactions\":[\(objects)]}\n"
        let source = try workplace.write(Array(line.utf8), to: "in.ndjson")
        let run = try Tool.run([
            "audit", source, "--root", root, "--output", workplace.file("out.sqlite"), "--keep", "all",
        ])
        #expect(run.status == 1)
        #expect(try texts("SELECT cast(count(*) AS TEXT) FROM receipts") == ["\(answers)"])
    }

    /// Checks that a resumed run continues after records that were not selected.
    @Test(arguments: [1, 3, 30])
    func selectionIsResumed(period: Int) throws {
        let lines = try Forged.lines(60).enumerated().map { index, line in
            let platform = index % period == 0 ? "ios" : "web"
            return Array(
                String(decoding: line, as: UTF8.self).replacing(
                    "{\"id\"", with: "{\"p\":\"\(platform)\",\"id\""
                ).utf8)
        }
        let source = try workplace.write(lines.joined(), to: "in.ndjson")
        var audit = try Forged.audit([source])
        var settings = audit.settings
        settings.reading.conditions = [.init(column: "p", value: "ios")]
        audit = Audit(sources: [source], settings: settings, examiner: audit.evaluator.examiner)
        let whole = try audit.database(workplace.file("whole.sqlite"))
        #expect(whole.notSelected == 60 - (60 + period - 1) / period)
        // The source ends early, as if the run was interrupted there.
        try workplace.write(lines[..<31].joined(), to: "in.ndjson")
        _ = try audit.database(workplace.file("part.sqlite"))
        try unfinish(workplace.file("part.sqlite"))
        try workplace.write(lines.joined(), to: "in.ndjson")
        let resumed = try audit.database(workplace.file("part.sqlite"), isResuming: true)
        #expect(resumed.notSelected == whole.notSelected)
        #expect(resumed.root == whole.root)
        #expect(try dump(workplace.file("part.sqlite")) == dump(workplace.file("whole.sqlite")))
    }

    /// Checks that long values and many fields are bounded.
    @Test func keptValuesAreBounded() throws {
        let members = (0..<1000).map { "\"m\($0)\":\"v\"" }.joined(separator: ",")
        let long = String(repeating: "é", count: 4000)
        let source = try workplace.write(
            Array("{\"id\":\"a\",\"long\":\"\(long)\",\"receipt\":\"\(try base64())\",\(members)}\n".utf8),
            to: "in.ndjson")
        let answer = try Tool.run(
            "audit", source, "--root", root, "--output", workplace.file("out.sqlite"), "--keep", "all")
        #expect(answer.status == 0)
        #expect(try number("SELECT count(*) FROM receipts, json_each(kept)") == KeptFields.mostFields)
        let kept = try #require(texts("SELECT kept ->> 'long' FROM receipts").first)
        #expect(kept.hasSuffix("… (8000 bytes)"))
        #expect(kept.utf8.count < 1100)
    }

    /// Checks that a kept name, which the database stores with escapes, may be longer than a name in other JSON.
    @Test(arguments: ["a", "\u{2400}"])
    func longNamesAreKept(character: String) throws {
        let name = String(repeating: character, count: 1000 / character.utf8.count)
        let source = try workplace.write(
            Array("{\"id\":\"a\",\"receipt\":\"\(try base64())\",\"\(name)\":\"kept value\"}\n".utf8),
            to: "in.ndjson")
        let tables = workplace.file("tables")
        let answer = try Tool.run(
            "audit", source, "--root", root, "--output", workplace.file("out.sqlite"), "--keep", "all",
            "--csv",
            tables, "--report", workplace.file("report.html"))
        #expect(answer.status == 0)
        #expect(try String(contentsOfFile: tables + "/receipts.csv", encoding: .utf8).contains("kept value"))
    }

    // MARK: - Subjects

    /// Names that exports give the customer's column, and names that are something else.
    @Test(arguments: [
        ("user_id", true), ("userId", true), ("USER_ID", true), ("account_id", true), ("customer_id", true),
        ("appAccountToken", true), ("app_user_id", true), ("subject", true), ("User-ID", true),
        ("order_id", false),
        ("device_id", false), ("username_hash", false), ("transaction_id", false),
    ])
    func subjectIsRecognizedByName(name: String, isSubject: Bool) throws {
        let receipt = try base64()
        let rows = try csv(["id,receipt,\(name)", "1,\(receipt),anna", "2,\(receipt),bert"])
        let json = try workplace.write(
            Array("{\"id\":\"1\",\"receipt\":\"\(receipt)\",\"\(name)\":\"anna\"}\n".utf8), to: "in.ndjson")
        for (source, subjects) in [(rows, 2), (json, 1)] {
            let output = workplace.file("out.sqlite")
            try? FileManager.default.removeItem(atPath: output)
            let answer = try Tool.run("audit", source, "--root", root, "--output", output)
            #expect(answer.status == 0)
            #expect(try number("SELECT count(DISTINCT subject) FROM receipts") == (isSubject ? subjects : 0))
            let told = "appreceipt: subjects read from \(source): \(name) (override with --subject-field)\n"
            #expect(answer.messages.contains(told) == (isSubject && name != "subject"))
            let lead = "appreceipt: 3 checks skipped: no customer column (--subject-field)\n"
            #expect(answer.messages.contains(lead) != isSubject)
            #expect(try Tool.run("audit", source, "--root", root, "--replay", output).status == 0)
        }
    }

    @Test(
        arguments: [
            (["user_id", "subject"], "subject"), (["account_id", "user_id"], "user_id"),
            (["user_id", "user_id"], nil),
            (["customer", "customer_id"], "customer_id"), (["user.id"], "user.id"), ([], nil),
        ] as [([String], String?)])
    func subjectNamesAreRanked(names: [String], found: String?) {
        #expect(SubjectNames.find(in: names) == found)
    }

    /// Checks that the summary begins with the checks that need a customer.
    @Test func summaryBeginsWithSkippedChecks() throws {
        let source = try csv(["id,receipt,subject", "1,\(try base64()),"])
        let answer = try Tool.run(
            "audit", source, "--root", root, "--output", workplace.file("out.sqlite"))
        let lead = "appreceipt: 3 checks skipped: no genuine receipt has a customer (--subject-field)\n"
        #expect(answer.messages.hasPrefix(lead))
    }

    // MARK: - Apps and trust anchors

    @Test func receiptsOfOtherAppsAreNotRefused() throws {
        let rows = [
            "id,receipt", "1,\(try base64())", "2,\(try base64("com.example.other"))",
            "3,\(try base64("com.example.third"))",
        ]
        let source = try csv(rows)
        let output = workplace.file("out.sqlite")
        let arguments = ["audit", source, "--root", root, "--bundle-id", "com.example.forge"]
        let answer = try Tool.run(
            arguments + [
                "--output", output, "--csv", workplace.file("csv"), "--report", workplace.file("r.html"),
            ])
        #expect(answer.status == 0)
        #expect(
            answer.messages.contains(
                "3 records: 1 GENUINE, BUT NOT APPLE'S, 0 refused, 0 unreadable, 2 of other apps\n"))
        #expect(
            try texts("SELECT app FROM other_apps") == ["com.example.other", "com.example.third"])
        #expect(try number("SELECT count(*) FROM refusals_by_reason") == 0)
        #expect(try number("SELECT other_apps FROM runs") == 2)
        let unverified = try #require(AuditQuestion.named("unverified"))
        let count = try QuestionDatabase(path: output).answer(unverified, QuestionScope()) { $0.number }
        #expect(count == 0)
        #expect(
            try workplace.csv("csv/receipts.csv")[1...].map { $0[5] } == [
                "genuine", "other app", "other app",
            ])
        #expect(try Tool.run(["audit", source, "--root", root, "--replay", output]).status == 0)
        // The lines keep their refusals.
        #expect(try Tool.run(arguments).output.contains("\"code\":\"wrong_bundle_id\""))
        let both = try Tool.run(arguments + ["--bundle-id", "com.example.other", "--ndjson", "/dev/null"])
        #expect(both.status == 0)
        #expect(
            both.messages.contains(
                "3 records: 2 GENUINE, BUT NOT APPLE'S, 0 refused, 0 unreadable, 1 of other apps\n"))
        // A misspelled app is not a success.
        let wrong = try Tool.run("audit", source, "--root", root, "--bundle-id", "com.example.frge")
        #expect(wrong.status == 2)
        #expect(wrong.messages.contains("all 3 verified records are of other apps; check --bundle-id"))
        // A refused receipt of another app stays refused.
        let forged = try csv(
            rows + ["4,\(String(try base64("com.example.fourth").dropLast(400)))"], "forged.csv")
        #expect(try Tool.run(["audit", forged] + arguments[2...]).status == 1)
    }

    /// Checks that a bundle with foreign values, receipts of other apps and renewal information without an app
    /// passes its own check.
    @Test func bundleOfAMixedExportIsConfirmed() throws {
        let renewal = try ForgedJWS.text(.renewalInfo)
        let source = try csv([
            "id,receipt,country", "1,\(try base64()),DK", "2,\(try base64("com.example.other")),DK",
            "3,\(Self.token),DK", "4,,DK", "5,\(renewal),DK",
        ])
        let folder = workplace.file("bundle")
        let made = try Tool.run(
            "audit", source, "--root", root, "--bundle-id", "com.example.forge", "--keep", "country",
            "--evidence", folder)
        #expect(made.status == 1)
        #expect(made.messages.contains("1 refused, 0 unreadable, 1 of other apps, 1 absent, 1 foreign\n"))
        let checked = try Tool.run("evidence", "--check", folder, "--root", root)
        #expect(checked.status == 0, "\(checked.output)")
    }

    @Test func rootsAreCombined() throws {
        let genuine = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(
                path: "../../../Fixtures/genuine/receipts/ideas-ios-purchasing-experiments-sandbox.b64")
        let apples = try String(contentsOf: genuine, encoding: .utf8).filter { !$0.isWhitespace }
        let source = try csv(["id,receipt", "1,\(apples)", "2,\(try base64())"])
        let answer = try Tool.run(
            "audit", source, "--also-root", root, "--output", workplace.file("out.sqlite"))
        #expect(answer.status == 0)
        #expect(answer.messages.contains("2 genuine (1 of them GENUINE, BUT NOT APPLE'S)"))
        #expect(try texts("SELECT realm FROM receipts ORDER BY id") == ["app_store", "custom"])
        #expect(try Tool.run("audit", source).status == 1)
        #expect(try Tool.run("audit", source, "--root", root).status == 1)
        let again = ["audit", source, "--replay", workplace.file("out.sqlite")]
        #expect(try Tool.run(again).messages.contains("pass it with --also-root FILE"))
        #expect(try Tool.run(again + ["--also-root", root]).status == 0)
        // Numbers count the evidence under one kind of root.
        let asked = ["ask", "customers", "--database", workplace.file("out.sqlite"), "--environment", "any"]
        let uncounted = "appreceipt: not counted: 1 genuine record under other roots (--trust-anchor"
        let underApples = try Tool.run(asked)
        #expect(underApples.messages == "\(uncounted) custom)\n")
        let underRoot = try Tool.run(asked + ["--trust-anchor", "custom"])
        #expect(underRoot.messages == "\(uncounted) app_store)\n")
        #expect(underRoot.output != underApples.output)
    }

    // MARK: - Second fields

    /// Checks a second field with receipts next to one named `receipt`.
    @Test func secondFieldWithReceiptsIsNotIgnored() throws {
        let receipt = try base64()
        let rows = try csv([
            "id,receipt,old_receipt", "1,\(receipt),", "2,\(receipt),\(receipt)", "3,,\(receipt)",
        ])
        let json = try workplace.write(
            Array("{\"id\":\"1\",\"receipt\":\"\(receipt)\",\"old_receipt\":\"\(receipt)\"}\n".utf8),
            to: "in.ndjson")
        for source in [rows, json] {
            let answer = try Tool.run("audit", source, "--root", root)
            #expect(answer.status == 2)
            #expect(
                answer.messages.contains(
                    "error: \(source): receipts in old_receipt were not read; use --receipt-field, one run for each field\n"
                ))
            for field in ["receipt", "old_receipt"] {
                #expect(try Tool.run("audit", source, "--root", root, "--receipt-field", field).status == 0)
            }
        }
    }

    /// Returns forms of receipts, and of other texts, by letter.
    private func values() throws -> [(letter: String, text: String)] {
        let (receipt, list) = (try base64(), TransactionReceiptRecipe.list([("signature", Self.longText)]))
        let digits = try Forged.receipt(ReceiptContent()).map { String(format: "%02x", $0) }.joined()
        return [
            ("R", receipt), ("J", try ForgedJWS.text(.renewalInfo)), ("H", digits), ("Q", "'\(receipt)'"),
            ("T", Data(list.utf8).base64EncodedString()), ("N", #"{\"a\":\"\#(receipt)\"}"#),
            ("W", "eyJhbGciOiJSUzI1NiIsImtpZCI6ImEifQ.\(Self.longText).AAAA"),
            ("D", #"{\"receipt-data\": \"\#(receipt)\"}"#),
            (
                "P",
                list.replacing("\"", with: "\\\"").replacing("\n", with: "\\n").replacing("\t", with: "\\t")
            ),
            ("S", Data("{\n \"signature\": \"\(Self.longText)\"}".utf8).base64EncodedString()),
            ("C", "MIIEIjCCAwqgAwIBAgIIAd68xDltoBAwDQYJKoZIhvcNAQEFBQAw\(Self.longText)"),
        ]
    }

    private static let deep = String(repeating: "[", count: 40) + String(repeating: "]", count: 40)
    private static let many = (0..<5_000).map { "\"m\($0)\":1" }.joined(separator: ",")

    /// Checks the subject after a member that is deep, and after records in which it has no value.
    @Test(arguments: [
        #"{"id":"a","receipt":"R","deep":\#(deep),"user_id":"ann"}"#,
        #"{"id":"b","receipt":"R","user_id":null}"# + "\n" + #"{"id":"a","receipt":"R","user_id":"ann"}"#,
        #"{"id":"b","receipt":"R","user_id":""}"# + "\n" + #"{"id":"a","receipt":"R","user_id":"ann"}"#,
        // A member without values does not hide one with them.
        #"{"id":"a","receipt":"R","subject":null,"user_id":"","customer_id":"ann"}"#,
    ])
    func subjectIsFound(lines: String) throws {
        let text = Array(lines.replacing("\"R\"", with: "\"\(try base64())\"").utf8)
        let source = try workplace.write(text, to: "in.ndjson")
        for (name, stdin) in [(source, []), ("-", text)] {
            let answer = try Tool.run(["audit", name, "--root", root, "--ndjson", "-"], stdin: stdin)
            #expect(answer.output.contains(#""id":"a","subject":"ann""#), "\(answer.output)")
        }
    }

    private static let longText = String(repeating: "e30x", count: 60)

    /// Checks other members of the first records, in files and in pipes: `R`, `H`, `T`, `Q` and `N` are receipts.
    @Test(
        arguments: [
            (#""old":["R"]"#, "old.*"), (#""old":["T"]"#, "old.*"), (#""old":[{"n":["H"]}]"#, "old.*"),
            (#""old":{"n":["Q"]}"#, "old.n.*"), (#""old":"T""#, "old"), (#""old":"H""#, "old"),
            (#""old":"Q""#, "old"), (#""old":"N""#, "old"), (#""old":["W","S","C"]"#, nil),
            (#""old":"W","a":"S","b":"C""#, nil), (#""x":{"signedTransactions":["J"]}"#, nil),
            // After members that are deep or many.
            (#""x":\#(deep),"old":"R""#, "old"), (#""x":{\#(many)},"old":["R"]"#, "old.*"),
        ] as [(String, String?)])
    func receiptInTheFirstRecordsIsNoticed(member: String, place: String?) throws {
        let records = "{\"id\":\"a\",\"receipt\":\"R\"}\n{\"id\":\"b\",\"receipt\":\"\",\(member)}\n"
        let text = try values().reduce(records) { $0.replacing("\"\($1.letter)\"", with: "\"\($1.text)\"") }
        let source = try workplace.write(Array(text.utf8), to: "in.ndjson")
        for (name, stdin) in [(source, []), ("-", Array(text.utf8))] {
            let answer = try Tool.run(["audit", name, "--root", root, "--ndjson", "/dev/null"], stdin: stdin)
            #expect(answer.status == (place == nil ? 0 : 2), "\(name): \(answer.messages)")
            if let place { #expect(answer.messages.contains("receipts in \(place) were not read")) }
        }
    }

    /// Checks that a field with receipts in JSON is not the field of receipts.
    @Test func receiptsInsideTextsDoNotMakeTheField() throws {
        let lines = ["R", "N", "N"].map { #"{"payload":"\#($0)","receipt_data":"R"}"# }.joined(
            separator: "\n")
        let text = try values().reduce(lines) { $0.replacing("\"\($1.letter)\"", with: "\"\($1.text)\"") }
        let source = try workplace.write(Array(text.utf8), to: "in.ndjson")
        let answer = try Tool.run("audit", source, "--root", root, "--ndjson", "/dev/null")
        #expect(answer.messages.contains("3 GENUINE"), "\(answer.messages)")
        #expect(answer.messages.contains("receipts in payload were not read"), "\(answer.messages)")
    }

    /// Checks a second column of a table in a pipe.
    @Test func receiptInTheFirstRowsOfAPipeIsNoticed() throws {
        let (receipt, rows) = (try base64(), "id,old,receipt")
        let text = "\(rows)\na,,\(receipt)\nb,'\(receipt)',\n"
        let options = ["audit", "-", "--format", "csv", "--root", root, "--ndjson", "/dev/null"]
        let answer = try Tool.run(options, stdin: Array(text.utf8))
        #expect(answer.status == 2)
        #expect(answer.messages.contains("standard input: receipts in old were not read"))
    }

    @Test(
        arguments: [
            ("", "R", "", true), ("", "H", "", true), ("", "T", "", true), ("{NULL,", "R", "}", true),
            ("{", "T", ",NULL}", true), (#"["x",""#, "H", #""]"#, true), ("", "W", "", false),
            ("", "S", "", false), ("", "C", "", false), ("{", "W", ",x}", false), ("[\"", "C", "\"]", false),
            // JSON after white space, JSON in a JSON string, the representation of Python, addresses of data, headers.
            (" \n{\"receipt\": \"", "R", "\"}", true), (#""{\"receipt\":\""#, "R", #"\"}""#, true),
            ("{'receipt': '", "R", "'}", true), ("data:application/octet-stream;base64,", "R", "", true),
            (#"s:9:"x";s:5000:""#, "R", "\"", true), ("Bearer ", "J", "", true), ("Bearer ", "W", "", false),
            (String(repeating: "words of a text ", count: 9), "H", ".", true),
            // Escapes of JSON: a line end, and the equals sign of Gson.
            (#"line\n"#, "R", "", true), (#"receipt\u003d"#, "R", "", true), (#"a\/b\n"#, "T", "", true),
            (#"line\n\/"#, "C", "", false),
            (#"line\\\n"#, "H", "", true), (#"\nC\n"#, "C", "", false),
            (String(repeating: "A", count: 300) + ",", "T", "", true),
            // Not at the beginning of the base64.
            ("AAAA", "R", "", false),
        ])
    func beginningOfAReceiptIsRecognized(
        before: String, letter: String, after: String, isReceipt: Bool
    ) throws {
        let value = try #require(try values().first { $0.letter == letter })
        let bytes = Array((before + value.text + after).utf8)
        let holds = UnreadReceipts.holdsReceipt(bytes.span)
        #expect(holds == isReceipt)
    }

    /// A source whose last record alone has another field, with its name and the options.
    struct LateField: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let name: String
        var start = ""
        /// The first record, a record without a receipt, and the last record. `R` is a receipt, and `J` a JWS.
        let records: [String]
        var end = ""
        var options: [String] = []
        /// The place in the message, or nil if the audit reads all receipts.
        let place: String?
    }

    static let lateFields = [
        LateField(
            testDescription: "a member of NDJSON", name: "in.ndjson",
            records: [
                #"{"id":"a","receipt":"R"}"#, #"{"id":"b","receipt":""}"#,
                #"{"id":"c","receipt":"R","old":"R"}"#,
            ], place: "old in record 1002"),
        LateField(
            testDescription: "a transaction receipt", name: "in.ndjson",
            records: [
                #"{"id":"a","receipt":"R"}"#, #"{"id":"b","receipt":""}"#,
                #"{"id":"c","receipt":"R","old":"T"}"#,
            ], place: "old in record 1002"),
        LateField(
            testDescription: "hexadecimal", name: "in.ndjson",
            records: [
                #"{"id":"a","receipt":"R"}"#, #"{"id":"b","receipt":""}"#,
                #"{"id":"c","receipt":"R","old":"H"}"#,
            ], place: "old in record 1002"),
        LateField(
            testDescription: "a nested member", name: "in.ndjson",
            records: [
                #"{"id":"a","receipt":"R"}"#, #"{"id":"b","receipt":""}"#,
                #"{"id":"c","receipt":"R","old":{"n":[1,"R"]}}"#,
            ], place: "old.* in record 1002"),
        LateField(
            testDescription: "a nested member beside one with a name of the App Store Server API",
            name: "in.ndjson",
            records: [
                #"{"id":"a","receipt":"R"}"#, #"{"id":"b","receipt":""}"#,
                #"{"id":"c","receipt":"R","signedTransactionInfo":null,"old":{"n":"R"}}"#,
            ], place: "old.* in record 1002"),
        LateField(
            testDescription: "an object of an array, beside one that is read", name: "in.ndjson",
            records: [
                #"{"id":"a","receipt":"R"}"#, #"{"id":"b","receipt":""}"#,
                #"{"id":"c","receipt":"R","x":[{"signedTransactionInfo":"J"},{"receipt":"R"}]}"#,
            ], place: "x.* in record 1002"),
        LateField(
            testDescription: "a member of an object whose other member is read", name: "in.ndjson",
            records: [
                #"{"id":"a","receipt":"R"}"#, #"{"id":"b","receipt":""}"#,
                #"{"id":"c","receipt":"R","x":[{"receipt":"H","signedTransactionInfo":"J"}]}"#,
            ], place: "x.* in record 1002"),
        LateField(
            testDescription: "a transaction receipt that is not in base64", name: "in.ndjson",
            records: [
                #"{"id":"a","receipt":"R"}"#, #"{"id":"b","receipt":""}"#,
                #"{"id":"c","receipt":"R","old":"P"}"#,
            ], place: "old in record 1002"),
        LateField(
            testDescription: "JSON in a text that is read", name: "in.ndjson",
            records: [
                #"{"id":"a","receipt":"R"}"#, #"{"id":"b","receipt":""}"#,
                #"{"id":"c","items":[{"receipt":"D","signedTransactionInfo":"J"}]}"#,
            ], place: nil),
        LateField(
            testDescription: "JSON in a text", name: "in.ndjson",
            records: [
                #"{"id":"a","receipt":"R"}"#, #"{"id":"b","receipt":""}"#,
                #"{"id":"c","receipt":"R","old":"N"}"#,
            ], place: "old in record 1002"),
        LateField(
            testDescription: "an element of a JSON array", name: "in.json", start: "[",
            records: [
                #"{"id":"a","receipt":"R"},"#, #"{"id":"b","receipt":""},"#,
                #"{"id":"c","old":"R","receipt":"R"}"#,
            ], end: "]", place: "old in record 1002"),
        LateField(
            testDescription: "a column of CSV", name: "in.csv", start: "id,old,receipt\n",
            records: ["a,,R", "b,,", "c,R,R"], place: "old in record 1002"),
        LateField(
            testDescription: "a column of a table", name: "in.sql",
            records: [
                "INSERT INTO t (id, receipt, old) VALUES (1, 'R', NULL);",
                "INSERT INTO t (id, receipt, old) VALUES (2, NULL, NULL);",
                "INSERT INTO t (id, receipt, old) VALUES (3, 'R', 'R');",
            ], place: "old in record 1002"),
        LateField(
            testDescription: "a nested member whose name begins the name of one that is read",
            name: "in.ndjson",
            records: [
                #"{"id":"a","receipt":"R"}"#, #"{"id":"b","receipt":""}"#,
                #"{"id":"c","receipt":"R","older":{"signedTransactionInfo":"J"},"old":{"n":"R"}}"#,
            ], place: "old.* in record 1002"),
        LateField(
            testDescription: "a named field leaves the others", name: "in.ndjson",
            records: [
                #"{"id":"a","receipt":"R"}"#, #"{"id":"b","receipt":""}"#,
                #"{"id":"c","receipt":"R","old":"R"}"#,
            ], options: ["--receipt-field", "receipt"], place: nil),
        LateField(
            testDescription: "members with names of the App Store Server API are read", name: "in.ndjson",
            records: [
                #"{"id":"a","receipt":"R"}"#, #"{"id":"b","receipt":""}"#,
                #"{"id":"c","receipt":"R","x":{"signedTransactions":["J"]},"signedRenewalInfo":"J"}"#,
            ], place: nil),
        LateField(
            testDescription: "receipts beside such members are read without a receipt", name: "in.ndjson",
            records: [
                #"{"id":"a","receipt":"R"}"#, #"{"id":"b","receipt":""}"#,
                #"{"id":"c","latest_receipt":"R","signedRenewalInfo":"J"}"#,
            ], place: nil),
        LateField(
            testDescription: "other long texts are no receipts", name: "in.csv", start: "id,old,receipt\n",
            records: ["a,,R", "b,,", "c,\(String(repeating: "MIIB", count: 100)),R"], place: nil),
    ]

    /// Checks fields that first have a receipt after the records in which fields are searched for receipts.
    @Test(arguments: lateFields)
    func receiptInALaterRecordIsNoticed(field: LateField) throws {
        let receipt = try base64()
        let middle = Array(repeating: field.records[1], count: FieldSearch.mostRecords)
        let rows = ([field.records[0]] + middle + [field.records[2]]).joined(separator: "\n")
        let start = (field.start + rows + "\n" + field.end).replacing("'R'", with: "'\(receipt)'")
            .replacing(",R", with: ",\(receipt)")
        let text = try values().reduce(start) { $0.replacing("\"\($1.letter)\"", with: "\"\($1.text)\"") }
        let source = try workplace.write(Array(text.utf8), to: field.name)
        let answer = try Tool.run(["audit", source, "--root", root, "--ndjson", "/dev/null"] + field.options)
        #expect(answer.status == (field.place == nil ? 0 : 2), "\(answer.messages)")
        let message = field.place.map {
            "error: \(source): receipts outside the field that was read (1, the first at \($0)) were not read;"
        }
        if let message { #expect(answer.messages.contains(message), "\(answer.messages)") }
    }

    // MARK: - Outputs

    @Test func outputsToDevices() throws {
        let source = try csv(["id,receipt,user_id", "1,\(try base64()),anna"])
        let arguments = ["audit", source, "--root", root, "--as-of", "2026-01-01T00:00:00Z"]
        for outputs in [
            ["--ndjson", "/dev/null"], ["--output", "/dev/null"], ["--report", "/dev/null"],
            ["--output", "/dev/null", "--ndjson", "/dev/null", "--report", "/dev/null"],
        ] {
            let answer = try Tool.run(arguments + outputs)
            #expect(answer.status == 0, "\(outputs)")
            #expect(answer.output.isEmpty)
        }
        let lines = try Tool.run(arguments + ["--ndjson", "-"]).output
        #expect(lines.contains("genuine"))
        #expect(try Tool.run(arguments + ["--ndjson", "/dev/stdout"]).output == lines)
        let page = try Tool.run(arguments + ["--report", "/dev/stdout"])
        #expect(page.status == 0)
        #expect(page.output.hasPrefix("<!DOCTYPE html>"))
        for outputs in [
            ["--ndjson", "-", "--report", "/dev/stdout"], ["--output", "/dev/stdout"], ["--report", "-"],
        ] {
            #expect(try Tool.run(arguments + outputs).status == 64, "\(outputs)")
        }
        #expect(FileManager.default.fileExists(atPath: "/dev/null"))
    }

    /// Checks that existing files stay unless their replacement is requested, and that a failed run does not delete
    /// them.
    @Test func existingFilesAreReplacedOnRequest() throws {
        let source = try csv(["id,receipt,user_id", "1,\(try base64()),anna"])
        let names = ["out.sqlite", "out.ndjson", "out.html"]
        for name in names { try workplace.write(Array("mine".utf8), to: name) }
        let outputs = zip(["--output", "--ndjson", "--report"], names).flatMap { [$0, workplace.file($1)] }
        #expect(try Tool.run(["audit", source, "--root", root] + outputs).status == 2)
        for index in 0..<3 {
            let one = Array(outputs[(2 * index)..<(2 * index + 2)])
            #expect(try Tool.run(["audit", source, "--root", root] + one).status == 2)
            let missing = workplace.file("missing.csv")
            #expect(try Tool.run(["audit", missing, "--root", root, "--force"] + one).status == 2)
        }
        for name in names { #expect(try workplace.read(name) == Array("mine".utf8)) }
        for _ in 0..<2 {
            #expect(try Tool.run(["audit", source, "--root", root, "--force"] + outputs).status == 0)
        }
        #expect(try number("SELECT count(*) FROM receipts") == 1)
        #expect(try workplace.read("out.ndjson").count { $0 == 0x0A } == 1)
        #expect(String(decoding: try workplace.read("out.html"), as: UTF8.self).hasPrefix("<!DOCTYPE html>"))
        #expect(
            try Tool.run(["audit", source, "--root", root, "--force", "--resume"] + outputs).status == 64)
    }
}
