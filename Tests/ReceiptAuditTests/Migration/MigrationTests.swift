import Foundation
import ReceiptForge
import SQLite
import TestSupport
import Testing

@testable import ReceiptAudit

/// The command `migrate`. The expected lines are computed from the described purchases.
struct MigrationTests {
    let export: SaleExport
    let workplace: Workplace

    init() throws {
        export = try SaleExport.shared.get()
        workplace = try Workplace()
    }

    private func migrate(_ arguments: String...) throws -> MigrationAnswer {
        try MigrationAnswer(["--database", export.path] + arguments)
    }

    private static func id(_ line: [String: Any]) -> String {
        let parts = ["environment", "bundle_id", "original_transaction_id"].map { line[$0] as? String ?? "-" }
        return parts.joined(separator: "/")
    }

    // MARK: - Lines

    @Test(
        arguments: [
            ("production", "Production", nil), ("sandbox", "Sandbox", nil), ("any", "any", nil),
            ("production", "Production", "com.example.two"),
        ] as [(String, String, String?)])
    func eachIDHasOneLineWithItsFacts(option: String, environment: String, app: String?) throws {
        let answer = try MigrationAnswer(
            ["--database", export.path, "--environment", option] + (app.map { ["--bundle-id", $0] } ?? []))
        #expect(answer.status == 0)
        let sales = Dictionary(
            grouping: SaleExport.sales(in: environment, app: app), by: \.subscription)
        #expect(answer.lines.count == sales.count)
        #expect(Set(answer.lines.map(Self.id)) == Set(sales.keys))
        for line in answer.lines {
            let name = Self.id(line)
            let sold = sales[name] ?? []
            let subjects = Set(sold.flatMap { $0.subjects.compactMap(\.self) }).sorted()
            #expect(line["subjects"] as? [String] == subjects, "\(name)")
            #expect(line["subject_count"] as? Int == subjects.count, "\(name)")
            #expect(line["products"] as? [String] == Set(sold.map(\.product)).sorted(), "\(name)")
            #expect(line["first_purchase_date"] as? String == sold.map(\.from).min(), "\(name)")
            #expect(line["last_purchase_date"] as? String == sold.map(\.from).max(), "\(name)")
            #expect(line["last_expiration_date"] as? String == sold.compactMap(\.until).max(), "\(name)")
            #expect(line["is_refunded"] as? Bool == sold.contains(where: \.isRefund), "\(name)")
            #expect(line["transaction_count"] as? Int == Set(sold.map(\.id)).count, "\(name)")
            // Shared purchases have one record for each account, those without a price three, and all others four.
            let records = sold.map { $0.subjects.count * ($0.isShared ? 1 : $0.price == nil ? 3 : 4) }.reduce(
                0, +)
            #expect(line["record_count"] as? Int == records, "\(name)")
            let listed = line["records"] as? [[String: Any]] ?? []
            #expect(listed.count == records, "\(name)")
            #expect(listed.allSatisfy { $0["source"] as? String == export.input }, "\(name)")
        }
    }

    @Test(arguments: [[], ["--environment", "any"], ["--csv"], ["--bundle-id", "com.example.two"]])
    func sourcesHaveTheLinesOfTheirDatabase(options: [String]) throws {
        let root = try workplace.write(Forged.root(), to: "root.cer")
        let catalog = try workplace.write(
            Array(#"{"groups": {"g": ["monthly", "yearly"]}}"#.utf8), to: "catalog.json")
        let database = workplace.file("audit.sqlite")
        _ = try Tool.run("audit", export.input, "--root", root, "--catalog", catalog, "--output", database)
        let answer = try MigrationAnswer([export.input, "--root", root, "--catalog", catalog] + options)
        let expected = try MigrationAnswer(["--database", database] + options)
        #expect(answer.output == expected.output)
        #expect(answer.messages.hasPrefix(expected.messages))
        #expect(answer.messages.contains("appreceipt: audited "))
        #expect(answer.status == expected.status)
    }

    /// Checks that sources that were not read are errors, as in an audit.
    @Test(
        arguments: [
            ("", "the sources contain no records"), ("no record\n", "1 of 1 records are unreadable"),
            (#"{"id":"a","receipt":""}"# + "\n", "no record was verified"),
        ])
    func unreadSourcesAreErrors(text: String, message: String) throws {
        let answer = try MigrationAnswer([workplace.write(Array(text.utf8), to: "in.ndjson")])
        #expect(answer.status == 2)
        #expect(answer.messages.contains(message))
    }

    @Test(
        arguments: [
            ([], "give either sources or --database FILE"),
            (["x.ndjson", "--database", "x.sqlite"], "give either sources or --database FILE"),
            (
                ["--database", "x.sqlite", "--root", "x.cer"],
                "--catalog, --root, --also-root, --storekit-test-root: cannot be combined with --database"
            ),
        ] as [([String], String)])
    func sourcesExcludeADatabase(arguments: [String], message: String) throws {
        let answer = try MigrationAnswer(arguments)
        #expect(answer.status == 64)
        #expect(answer.messages.contains(message))
    }

    @Test func subscriptionsComeFirstTheLatestExpirationFirst() throws {
        let lines = try migrate("--environment", "any").lines
        let keys = lines.map { line in
            let dates = ["last_expiration_date", "last_purchase_date"].map { line[$0] as? String ?? "" }
            return (dates[0], dates[1], line["original_transaction_id"] as? String ?? "")
        }
        for (one, other) in zip(keys, keys.dropFirst()) {
            #expect(one.0 >= other.0)
            if one.0 == other.0 { #expect(one.1 >= other.1) }
            if (one.0, one.1) == (other.0, other.1) { #expect(one.2 <= other.2) }
        }
        #expect(keys.last?.0 == "")
    }

    @Test func notCountedEvidenceIsReported() throws {
        let answer = try migrate()
        #expect(answer.messages.contains("genuine records of Sandbox (--environment any)"))
    }

    @Test func linesAreTheSameInEveryRun() throws { #expect(try migrate().output == migrate().output) }

    // MARK: - Files

    @Test(arguments: [1, 3, 40])
    func partsAreDealtInTurn(parts: Int) throws {
        let folder = workplace.file("ids")
        let answer = try migrate("--output", folder, "--parts", "\(parts)")
        #expect(answer.status == 0)
        #expect(answer.output == "")
        let names = Set(try FileManager.default.contentsOfDirectory(atPath: folder))
        #expect(names == Set((1...parts).map { "ids-\($0)-of-\(parts).ndjson" }))
        let files = try (1...parts).map { part in
            String(decoding: try workplace.read("ids/ids-\(part)-of-\(parts).ndjson"), as: UTF8.self)
                .split(separator: "\n")
        }
        let lines = try migrate().output.split(separator: "\n")
        for (index, line) in lines.enumerated() { #expect(files[index % parts][index / parts] == line) }
        #expect(files.map(\.count).reduce(0, +) == lines.count)
    }

    @Test func nonEmptyFolderIsRefused() throws {
        try workplace.write([], to: "ids/file")
        let answer = try migrate("--output", workplace.file("ids"))
        #expect(answer.status == 2)
        #expect(answer.messages.hasSuffix("the folder is not empty; choose another path or empty it\n"))
    }

    @Test func csvHasTheSameValues() throws {
        let answer = try migrate("--csv")
        try workplace.write(Array(answer.output.utf8), to: "ids.csv")
        let rows = try workplace.csv("ids.csv")
        let lines = try migrate().lines
        #expect(rows.count == lines.count + 1)
        for (row, line) in zip(rows.dropFirst(), lines) {
            let cells = Dictionary(uniqueKeysWithValues: zip(rows[0], row))
            #expect(cells["original_transaction_id"] == line["original_transaction_id"] as? String)
            #expect(cells["last_purchase_date"] == line["last_purchase_date"] as? String)
            #expect(cells["record_count"] == "\(line["record_count"] as? Int ?? -1)")
            let subjects = try JSONSerialization.jsonObject(with: Data((cells["subjects"] ?? "").utf8))
            #expect(subjects as? [String] == line["subjects"] as? [String])
        }
    }

    // MARK: - Fetched ids

    @Test(
        arguments: [
            // Ids, one a line, with blank lines and CRLF.
            ("101\r\n\r\n131\r\n", ["101", "131"]),
            // Lines of the command itself. Another environment and another app are other ids.
            (
                #"{"original_transaction_id":"101","environment":"Sandbox","bundle_id":"com.example.one"}"#
                    + "\n", []
            ),
            (
                #"{"original_transaction_id":"101","environment":"Production","bundle_id":"com.example.one"}"#
                    + "\n", ["101"]
            ),
            // A JSON array of ids, and unknown ids.
            (#"["131", "999"]"#, ["131"]),
        ] as [(String, [String])])
    func fetchedIDsAreLeftOut(text: String, expected: [String]) throws {
        let file = try workplace.write(Array(text.utf8), to: "done")
        let all = try migrate("--bundle-id", "com.example.one")
        let answer = try migrate("--bundle-id", "com.example.one", "--done", file)
        #expect(answer.status == 0)
        #expect(all.ids.subtracting(answer.ids) == Set(expected))
        #expect(answer.messages.contains("left out: \(expected.count) id"))
    }

    @Test func linesOfTheCommandLeaveOutEverything() throws {
        let file = try workplace.write(Array(try migrate("--environment", "any").output.utf8), to: "done")
        let answer = try migrate("--environment", "any", "--done", file)
        #expect(answer.output == "")
        #expect(answer.messages.contains("appreceipt: 0 original transaction ids to fetch"))
    }

    private func answer(_ ids: [String], _ members: String) throws -> [UInt8] {
        let texts = try ids.map { id in
            try ForgedJWS.text(
                ForgedJWS.transaction(
                    id,
                    [
                        "originalTransactionId": "\"\(id)\"", "bundleId": "\"com.example.one\"",
                        "environment": "\"Production\"",
                    ]))
        }
        let list = texts.map { "\"\($0)\"" }.joined(separator: ",")
        return Array(
            #"{"signedTransactions":[\#(list)],\#(members),"bundleId":"com.example.one","environment":"Production"}"#
                .utf8)
    }

    @Test func onlyCompleteAnswersCount() throws {
        try workplace.write(try answer(["101", "103"], #""hasMore":false"#), to: "answers/last.json")
        try workplace.write(try answer(["131"], #""hasMore":true"#), to: "answers/page.json")
        try workplace.write(
            Array(try ForgedJWS.text(ForgedJWS.transaction("141")).utf8), to: "answers/one.jws")
        let all = try migrate("--bundle-id", "com.example.one")
        let answer = try migrate("--bundle-id", "com.example.one", "--done", workplace.file("answers"))
        #expect(all.ids.subtracting(answer.ids) == ["101", "103"])
        #expect(answer.messages.contains("--done: covers no id: 2 values"))
    }

    enum Saved: CaseIterable {
        case agrees, newer, contradicts, notCompared, error, errorWithID
        case pages, statuses, pageAfterLast, lastPage, unreadableObject, otherEnvironment

        var isDone: Bool {
            switch self {
            case .agrees, .newer, .pages: true
            case .contradicts, .notCompared, .error, .errorWithID: false
            case .statuses, .pageAfterLast, .lastPage, .unreadableObject, .otherEnvironment: false
            }
        }
    }

    /// `--done` leaves out only what `--compare` may cover.
    @Test(arguments: Saved.allCases)
    func idIsDoneIfItIsCovered(saved: Saved) throws {
        func text(_ ids: [String], _ members: String) throws -> String {
            String(decoding: try answer(ids, members), as: UTF8.self)
        }
        let (last, more) = (#""hasMore":false"#, #""hasMore":true"#)
        func result(_ name: String) -> String { #"{"original_transaction_id":"101","result":"\#(name)"}"# }
        func renewed() throws -> String {
            let payload = ForgedJWS.transaction(
                "102",
                [
                    "originalTransactionId": "\"101\"", "bundleId": "\"com.example.one\"",
                    "environment": "\"Production\"",
                ])
            return try ForgedJWS.text(payload)
        }
        let value: String =
            switch saved {
            case .agrees: result("agrees")
            case .newer: result("newer")
            case .contradicts: result("contradicts")
            case .notCompared: result("not_compared")
            case .error: #"{"id":"101","errorCode":4040010,"errorMessage":"Transaction id not found."}"#
            case .errorWithID: #"{"original_transaction_id":"101","errorCode":5000001}"#
            case .pages: #"{"pages":[\#(try text(["101"], more)),\#(try text(["103"], last))]}"#
            case .pageAfterLast: #"{"pages":[\#(try text(["101"], last)),\#(try text(["103"], more))]}"#
            case .statuses:
                #"{"data":[{"lastTransactions":[{"originalTransactionId":"101","signedTransactionInfo":"\#(try renewed())"}]}],"bundleId":"com.example.one","environment":"Production"}"#
            case .lastPage:
                #"{"signedTransactions":["\#(try renewed())"],"hasMore":false,"bundleId":"com.example.one","environment":"Production"}"#
            case .otherEnvironment:
                try text(["101"], last).replacing(
                    #""environment":"Production""#, with: #""environment":"Sandbox""#)
            case .unreadableObject:
                try text(["101"], last).replacing("\"],", with: "\",null],")
            }
        let file = try workplace.write(Array((value + "\n").utf8), to: "done.ndjson")
        let list = try migrate("--bundle-id", "com.example.one", "--done", file)
        #expect(list.status == 0, "\(list.messages)")
        #expect(list.ids.contains("101") != saved.isDone)
        #expect(list.messages.contains("--done: covers no id: 1 value (") != saved.isDone)
    }

    @Test(arguments: [
        ("101\nid\n", "line 2: not an original transaction id"),
        (
            #"{"original_transaction_id":"=1"}"#,
            "value 1: contains neither original_transaction_id nor an answer"
        ),
        (#"{"id":"101"}"#, "value 1: contains neither original_transaction_id nor an answer"),
        (#"{"original_transaction_id":"#, "value 1: "),
    ])
    func otherFilesAreRefused(text: String, message: String) throws {
        let file = try workplace.write(Array(text.utf8), to: "done")
        let answer = try migrate("--done", file)
        #expect(answer.status == 2)
        #expect(answer.output == "")
        #expect(answer.messages.hasPrefix("error: \(file), \(message)"), "\(answer.messages)")
    }
}

/// The output of the command.
struct MigrationAnswer {
    let status: Int32
    let output: String
    let messages: String
    let lines: [[String: Any]]

    init(_ arguments: [String]) throws {
        let process = try Tool.run(["migrate"] + arguments)
        (status, output, messages) = (process.status, process.output, process.messages)
        let isCSV = output.hasPrefix("\u{FEFF}")
        lines = try (isCSV ? "" : output).split(separator: "\n").map { line in
            try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
        }
    }

    var ids: Set<String> { Set(lines.compactMap { $0["original_transaction_id"] as? String }) }
}
