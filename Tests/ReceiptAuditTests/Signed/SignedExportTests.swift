import Foundation
import ReceiptForge
import TestSupport
import Testing

@testable import ReceiptAudit

/// Exports with JWS and transaction receipts, in every source format.
@Suite(.serialized)
struct SignedExportTests {
    let workplace: Workplace
    let root: String
    let transaction: String
    let notification: String

    init() throws {
        workplace = try Workplace()
        root = try workplace.write(try Forged.root(), to: "root.cer")
        transaction = try ForgedJWS.text(.transaction)
        notification = try ForgedJWS.text(
            .notification([
                "signedTransactionInfo": "\"\(transaction)\"",
                "signedRenewalInfo": "\"\(try ForgedJWS.text(.renewalInfo))\"",
            ]))
    }

    private func audit(_ name: String, _ text: String, _ options: String...) throws -> [String] {
        let source = try workplace.write(Array(text.utf8), to: name)
        let answer = try Tool.run(["audit", source, "--root", root] + options)
        return answer.output.split(separator: "\n").map(String.init)
    }

    /// Returns the members of a line before its digest, and its status, kind or code.
    private func short(_ line: String) throws -> String {
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        let place = ["source", "id", "line", "subject", "path"].compactMap { name in
            object[name].map { "\(name) \($0)" }
        }
        let what =
            object["kind"] as? String ?? (object["refusal"] as? [String: Any])?["code"] as? String
            ?? (object["receipt"] == nil ? object["status"] as? String : "receipt")
        return (place + [what ?? "nothing"]).joined(separator: ", ")
    }

    /// Checks that a line equals that of verify, except for the record's name.
    @Test func lineEqualsThatOfVerify() throws {
        let file = try workplace.write(Array(notification.utf8), to: "in/a.jws")
        let verified = try Tool.run("verify", "--json", workplace.file("in"), "--root", root)
        let audited = try Tool.run("audit", workplace.file("in"), "--root", root)
        #expect(verified.output == audited.output)
        #expect(audited.output.contains("a.jws#data.signedRenewalInfo"))
        #expect(verified.status == 0)
        #expect(audited.status == 0)
        #expect(verified.output.split(separator: "\n").count == 3)
        let records = try audit("in.ndjson", #"{"id":7,"subject":"anna","receipt":"\#(notification)"}"#)
        let lines = verified.output.split(separator: "\n").map(String.init)
        for (record, line) in zip(records, lines) {
            let (start, rest) = (
                try #require(record.range(of: #","sha256""#)), try #require(line.range(of: #","sha256""#))
            )
            #expect(record[start.lowerBound...] == line[rest.lowerBound...])
        }
        #expect(
            try records.map(short) == [
                "id 7, subject anna, notification",
                "id 7, subject anna, path data.signedTransactionInfo, transaction",
                "id 7, subject anna, path data.signedRenewalInfo, renewal_info",
            ])
        _ = file
    }

    /// Sources: name, text, and the content of the lines. %T stands for a transaction, %N for a notification.
    private static let sources: [(String, String, [String])] = [
        // The member named `receipt`, as text.
        ("a.ndjson", #"{"id":"a","receipt":"%T"}"#, ["id a, transaction"]),
        // A member found by its content.
        ("b.ndjson", #"{"id":"a","payload":"%T","note":"e.g. a note"}"#, ["id a, transaction"]),
        // Members with Apple's names at any depth. A record without an identifier has its number.
        (
            "c.ndjson", #"{"data":[{"lastTransactions":[{"status":1,"signedTransactionInfo":"%T"}]}]}"#,
            ["id 1, path data[0].lastTransactions[0].signedTransactionInfo, transaction"]
        ),
        (
            "d.ndjson", #"{"signedPayload":"%N"}"#,
            [
                "id 1, path signedPayload, notification",
                "id 1, path signedPayload#data.signedTransactionInfo, transaction",
                "id 1, path signedPayload#data.signedRenewalInfo, renewal_info",
            ]
        ),
        // A name with escapes.
        ("e.ndjson", #"{"\u0073ignedPayload":"%T"}"#, ["id 1, path signedPayload, transaction"]),
        // The member `receipt` and one of Apple's members: both are verified.
        (
            "f.ndjson", #"{"id":"a","receipt":"%T","signedTransactionInfo":"%T"}"#,
            ["id a, transaction", "id a, path signedTransactionInfo, transaction"]
        ),
        (
            "g.ndjson", #"{"id":"a","receipt":null,"signedTransactionInfo":"%T"}"#,
            ["id a, path signedTransactionInfo, transaction"]
        ),
        // A response in the receipt's member, as object and as text.
        (
            "h.ndjson", #"{"id":"a","receipt":{"signedTransactions":["%T","%T"]}}"#,
            [
                "id a, path receipt.signedTransactions[0], transaction",
                "id a, path receipt.signedTransactions[1], transaction",
            ]
        ),
        (
            "i.ndjson", #"{"id":"a","receipt":"{\"signedTransactions\":[\"%T\",7]}"}"#,
            ["id a, path signedTransactions[0], transaction", "id a, path signedTransactions[1], malformed"]
        ),
        // null means absent, and a record without any object is not genuine.
        ("j.ndjson", #"{"id":"a","signedTransactionInfo":null}"#, ["id a, absent"]),
        (
            "k.ndjson", #"{"id":"a","signedPayload":"%T","signedRenewalInfo":null}"#,
            ["id a, path signedPayload, transaction"]
        ),
        // Lines of both kinds.
        (
            "m.ndjson", "{\"id\":\"a\",\"receipt\":\"%T\"}\n{\"id\":\"b\",\"signedPayload\":\"%T\"}",
            ["id a, transaction", "id b, path signedPayload, transaction"]
        ),
        (
            "a.json", #"{"signedTransactions": ["%T",\#n "%T"]}"#,
            [
                "id 1, path signedTransactions[0], transaction",
                "id 1, path signedTransactions[1], transaction",
            ]
        ),
        (
            "b.json", "[\"%T\",\n\"%N\"]",
            [
                "id 1, transaction", "id 2, notification",
                "id 2, path data.signedTransactionInfo, transaction",
                "id 2, path data.signedRenewalInfo, renewal_info",
            ]
        ),
        (
            "c.json", #"[{"id": "a", "signedTransactionInfo": "%T"}]"#,
            ["id a, path signedTransactionInfo, transaction"]
        ),
        // The column found by content, and other columns with Apple's names. Empty cells are absent.
        (
            "a.csv", "key,jws,signedRenewalInfo\n1,%T,\n2,,%T\n3,,",
            [
                "id 1, transaction", "id 2, path signedRenewalInfo, transaction", "id 3, absent",
            ]
        ),
        ("b.csv", "%T\n%T", ["id 1, transaction", "id 2, transaction"]),
        // Wrapped by an export.
        ("c.csv", "id,receipt\na,\"\"\"%T\"\"\"", ["id a, transaction"]),
        // JSON in a JSON string.
        (
            "d.csv", #"id,receipt\#na,"""{\""signedPayload\"":\""%N\""}""""#,
            [
                "id a, path signedPayload, notification",
                "id a, path signedPayload#data.signedTransactionInfo, transaction",
                "id a, path signedPayload#data.signedRenewalInfo, renewal_info",
            ]
        ),
        ("one.jws", "%T\n", ["source one.jws, transaction"]),
        // Leading white space is not part of a JWS, as in verify.
        ("two.jws", " %T", ["source two.jws, malformed"]),
    ]

    @Test(arguments: sources.indices)
    func isRead(index: Int) throws {
        let (name, text, expected) = Self.sources[index]
        let filled = text.replacing("%T", with: transaction).replacing("%N", with: notification)
        let lines = try audit(name, filled).map { line in
            try short(line).replacing(workplace.path + "/", with: "")
        }
        #expect(lines == expected, "\(name)")
    }

    @Test func foldersArchivesAndStandardInputToo() throws {
        try workplace.write(Array(transaction.utf8), to: "in/a")
        try workplace.write(Array(#"{"signedTransactions":["\#(transaction)"]}"#.utf8), to: "in/b")
        try workplace.write(try Forged.receipt(ReceiptContent()), to: "in/c")
        let folder = try Tool.run("audit", workplace.file("in"), "--root", root)
        let expected = [
            "source a, transaction", "source b#signedTransactions[0], transaction", "source c, receipt",
        ]
        #expect(try folder.output.split(separator: "\n").map { try short(String($0)) } == expected)
        var tar = TarWriter()
        for name in ["a", "b", "c"] { tar.add(name, try workplace.read("in/\(name)")) }
        let archive = try workplace.write(tar.bytes + [UInt8](repeating: 0, count: 1024), to: "in.tar")
        #expect(try Tool.run("audit", archive, "--root", root).output == folder.output)
        let stream = try Tool.run(
            ["audit", "-", "--root", root, "--ndjson", "-"],
            stdin: ForgedJWS.line("a", transaction, subject: "anna") + Forged.line("b", ReceiptContent()))
        #expect(
            try stream.output.split(separator: "\n").map { try short(String($0)) } == [
                "id a, subject anna, transaction", "id b, receipt",
            ])
    }

    /// Checks that counts are of signed objects, and that the database has a row for each line.
    @Test func recordWithSeveralObjectsCountsAsSeveral() throws {
        let source = try workplace.write(
            Array(#"{"signedPayload":"\#(notification)"}"#.utf8) + [0x0A] + ForgedJWS.line("b", transaction),
            to: "in.ndjson")
        let (output, lines) = (workplace.file("out.sqlite"), workplace.file("out.ndjson"))
        let answer = try Tool.run("audit", source, "--root", root, "--output", output, "--ndjson", lines)
        #expect(answer.status == 0)
        #expect(answer.messages.contains("4 records: 4 GENUINE, BUT NOT APPLE'S"))
        #expect(
            try ask(output, "SELECT id, place, record, path, kind FROM receipts") == [
                "1 1 1 signedPayload notification",
                "2 1 1 signedPayload#data.signedTransactionInfo transaction",
                "3 1 1 signedPayload#data.signedRenewalInfo renewal-info", "4 2 b - transaction",
            ])
        #expect(try ask(output, "SELECT source_records, records, genuine FROM runs") == ["2 4 4"])
        #expect(
            String(decoding: try workplace.read("out.ndjson"), as: UTF8.self).split(separator: "\n").count
                == 4)
        let replay = try Tool.run("audit", "--replay", output, source, "--root", root)
        #expect(replay.status == 0)
        #expect(replay.output == "4 records verified again: every row matches\n")
    }

    /// Checks that an interrupted run is resumed with the same lines and rows, and is refused with other
    /// sources.
    @Test func interruptedRunIsResumed() throws {
        var source: [UInt8] = []
        for index in 0..<40 {
            source +=
                index % 3 == 0
                ? Array(#"{"id":"\#(index)","signedPayload":"\#(notification)"}"#.utf8) + [0x0A]
                : ForgedJWS.line("\(index)", transaction)
        }
        let path = try workplace.write(source, to: "in.ndjson")
        let audit = try Forged.audit([path])
        _ = try audit.database(workplace.file("whole.sqlite"), lines: workplace.file("whole.ndjson"))
        let counts = try #require(
            try? ask(workplace.file("whole.sqlite"), "SELECT source_records, records FROM runs"))
        #expect(counts == ["40 68"])
        // The state after a kill between two commits.
        for records in [1, 13, 27] {
            let (name, lines) = (
                workplace.file("killed\(records).sqlite"), workplace.file("killed\(records).ndjson")
            )
            let part = try workplace.write(
                source.split(separator: 0x0A).prefix(records).flatMap { Array($0) + [0x0A] }, to: "in.ndjson")
            _ = try Forged.audit([part]).database(name, lines: lines)
            try unfinish(name)
            try workplace.write(source, to: "in.ndjson")
            let resumed = try audit.database(name, lines: lines, isResuming: true, jobs: 1)
            #expect(resumed.records == 68)
            #expect(resumed.sourceRecords == 40)
            #expect(try dump(name) == dump(workplace.file("whole.sqlite")))
            #expect(try workplace.read("killed\(records).ndjson") == workplace.read("whole.ndjson"))
        }
        // The last record that was read now contains fewer objects.
        let short = workplace.file("short.sqlite")
        let first = Array(#"{"id":"0","signedPayload":"\#(transaction)"}"#.utf8) + [0x0A]
        let two = #"{"id":"0","signedPayload":"\#(transaction)","signedRenewalInfo":"\#(transaction)"}"#
        try workplace.write(Array(two.utf8), to: "in.ndjson")
        _ = try audit.database(short)
        try unfinish(short)
        try workplace.write(first, to: "in.ndjson")
        #expect {
            try audit.database(short, isResuming: true)
        } throws: {
            "\($0)".contains("had 2 signed objects, now 1")
        }
    }
}
