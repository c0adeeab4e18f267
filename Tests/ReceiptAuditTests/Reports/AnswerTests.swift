import AppReceipt
import Foundation
import OfferEligibility
import ReceiptForge
import SQLite
import TestSupport
import Testing

@testable import ReceiptAudit

/// The verdicts on customers in every output. One of the two receipts of a subject alone shows no
/// subscription.
struct AnswerTests {
    let workplace: Workplace
    let root: String
    let input: String
    /// The options for every run of the tool.
    let options: [String]

    init() throws {
        workplace = try Workplace()
        root = try workplace.write(try Forged.root(), to: "root.cer")
        let used = try Forged.receipt(
            FindingTests.content(FindingTests.offer("101", original: "101"), FindingTests.period("102")))
        let empty = try Forged.receipt(ReceiptContent())
        try workplace.write(used, to: "used.der")
        try workplace.write(empty, to: "empty.der")
        let lines =
            Forged.line("r1", empty, subject: "anna") + Forged.line("r2", used, subject: "anna")
            + Forged.line("r3", empty, subject: "bert") + Forged.line("r4", used)
        input = try workplace.write(lines, to: "in.ndjson")
        let catalog = try workplace.write(Array(ReportTests.catalog.utf8), to: "catalog.json")
        options = ["--root", root, "--catalog", catalog, "--as-of", "2026-01-01T00:00:00Z"]
    }

    private func audit(_ arguments: String...) throws -> EndedProcess {
        try Tool.run(["audit", input] + options + arguments)
    }

    // MARK: - Lines

    @Test func aLineForEachCustomerAndProduct() throws {
        let answer = try audit("--subject-verdicts", "-")
        #expect(answer.status == 0, "\(answer)")
        let lines = answer.output.split(separator: "\n").map(String.init)
        let starts = [
            #""subject":"anna","environment":"Production","bundle_id":"com.example.forge","realm":"custom","receipts":2,"linked_by":null,"#
                + #""rests_on":[{"number":2,"record":"r2"}],"product_id":"basic""#,
            #""subject":"anna","environment":"Production","bundle_id":"com.example.forge","realm":"custom","receipts":2,"linked_by":null,"#
                + #""rests_on":[{"number":2,"record":"r2"}],"product_id":"pro""#,
            #""subject":"bert","environment":"Production","bundle_id":"com.example.forge","realm":"custom","receipts":1,"linked_by":null,"#
                + #""rests_on":[{"number":3,"record":"r3"}],"product_id":"basic""#,
        ]
        #expect(lines.count == 6)
        for (number, start) in starts.enumerated() {
            #expect(lines[number].hasPrefix("{\"customer\":\(number / 2 + 1),\(start)"), "\(lines[number])")
        }
        #expect(lines[4].hasPrefix(#"{"customer":3,"subject":null,"#))
        #expect(lines[4].contains(#","linked_by":[],"#))
        // Byte for byte the output of `eligibility --merge` for the files.
        let merged = try Tool.run(
            ["eligibility", "--merge", workplace.file("empty.der"), workplace.file("used.der"), "--json"]
                + options)
        #expect(merged.status == 0)
        let verdicts = merged.output.split(separator: "\n").map { $0.drop { $0 != "]" }.dropFirst(2) }
        try #require(verdicts.count == 2)
        #expect(verdicts[0].contains(#""outcome":"ineligible","rule":"offer-used""#))
        for (line, verdict) in zip(lines, verdicts) { #expect(line.hasSuffix("}],\(verdict)")) }
    }

    /// Checks that the lines are the same with other outputs, for a finished run, and with any number of
    /// threads.
    @Test func linesAreTheSameForEveryRun() throws {
        let expected = try audit("--subject-verdicts", "-").output
        let files = ["a", "b"].map { workplace.file("\($0).ndjson") }
        let output = workplace.file("out.sqlite")
        let first = try audit(
            "--subject-verdicts", files[0], "--output", output, "--ndjson", "-", "--jobs", "3")
        #expect(first.status == 0)
        #expect(first.output.split(separator: "\n").count == 4)
        #expect(try String(contentsOfFile: files[0], encoding: .utf8) == expected)
        // The first run wrote lines.
        let again = try audit("--subject-verdicts", files[1], "--output", output, "--resume")
        #expect(again.status == 2, "\(again)")
        #expect(again.messages.contains("ndjson was yes, is no"), "\(again)")
        let other = workplace.file("other.sqlite")
        #expect(try audit("--output", other).status == 0)
        for _ in 0..<2 {
            let taken = try audit("--subject-verdicts", files[1], "--output", other, "--resume")
            #expect(taken.status == 0, "\(taken)")
            #expect(try String(contentsOfFile: files[1], encoding: .utf8) == expected)
        }
        #expect(
            try FileManager.default.attributesOfItem(atPath: files[0])[.posixPermissions] as? Int == 0o600)
    }

    /// Checks that a file whose first line is not about customer 1 is replaced. Some customers have no line.
    @Test func fileOfALaterCustomerIsReplaced() throws {
        let output = workplace.file("out.sqlite")
        #expect(try audit("--output", output).status == 0)
        let line = "{\"customer\":20,\"subject\":null}\n"
        let verdicts = try workplace.write(Array(line.utf8), to: "verdicts.ndjson")
        let answer = try audit("--subject-verdicts", verdicts, "--output", output, "--resume")
        #expect(answer.status == 0, "\(answer)")
        #expect(try workplace.read("verdicts.ndjson") != Array(line.utf8))
    }

    /// Checks that an existing file of other content is not overwritten.
    @Test func otherFilesAreNotOverwritten() throws {
        let output = workplace.file("out.sqlite")
        let mine = try workplace.write(Array("{\"customer\":2}\n".utf8), to: "mine.ndjson")
        for more in [[], ["--resume"]] {
            let answer = try Tool.run(
                ["audit", input, "--output", output, "--subject-verdicts", mine] + options + more)
            #expect(answer.status == 2)
            #expect(answer.messages.hasPrefix("error: refusing to overwrite \(mine)"))
            #expect(try workplace.read("mine.ndjson") == Array("{\"customer\":2}\n".utf8))
            #expect(!FileManager.default.fileExists(atPath: output))
        }
    }

    @Test(arguments: [
        (["--subject-verdicts", "a", "--replay", "b"], "--replay: cannot be combined with"),
        (["--subject-verdicts", "-", "--ndjson", "-"], "only one can be written to standard output"),
        (
            ["--subject-verdicts", "a", "--report", "./a"],
            "--subject-verdicts: a is also given as --report"
        ),
    ])
    func wrongUsageIsReported(arguments: [String], message: String) throws {
        let answer = try Tool.run(["audit", input] + options + arguments)
        #expect(answer.status == 64, "\(answer)")
        #expect(answer.messages.contains(message), "\(answer)")
        #expect(answer.output.isEmpty)
    }

    @Test func catalogIsRequired() throws {
        let answer = try Tool.run("audit", input, "--root", root, "--subject-verdicts", "-")
        #expect(answer.status == 64, "\(answer)")
        #expect(answer.messages.contains("requires --catalog FILE"), "\(answer)")
    }

    /// Checks that a customer with more purchases than the limit has a line.
    @Test func customerAboveTheLimitHasALine() throws {
        let path = workplace.file("lines")
        var customer = Customer(Customer.Key(subject: Array("a␀␀b".utf8), realm: Array("custom".utf8)))
        _ = customer.snapshot.take(
            receipt: 7, kind: "receipt", createdAt: nil, content: [1], listing: nil, account: nil)
        let lines = try AuditDatabase.temporary().access { database in
            try database.execute(AuditSchema.tables)
            try CustomerLines.write(to: LineSink(path: path), of: database) { output in
                try output.add(customer, number: 1, answer: nil)
            }
            return try workplace.read("lines")
        }
        #expect(
            String(decoding: lines, as: UTF8.self) == """
                {"customer":1,"subject":"a␀b","environment":null,"bundle_id":null,"realm":"custom","receipts":1,\
                "linked_by":null,"unjudged":"more than 100000 purchases"}\n
                """)
    }

    // MARK: - Report and tables

    @Test func reportStartsWithCustomers() throws {
        let page = workplace.file("r.html")
        #expect(try audit("--report", page).status == 0)
        let text = String(decoding: try workplace.read("r.html"), as: UTF8.self)
        for expected in [
            "<a href=\"#customers\">Customers</a>",
            "The offers of 3 customers, 1 of them with several receipts.",
            "A verdict in <a href=\"#details\">Details</a> is based on one receipt alone",
            // Eligible, ineligible, undetermined.
            "<th scope=\"row\">Introductory</th><td class=\"number\">1</td><td class=\"number\">2</td><td class=\"number\">0</td>",
            "<bdi>anna</bdi> <small>com.example.forge, Production</small>",
            "1 of 2 receipts alone differs",
            "<a href=\"#receipt-2\">№ 2</a>", "<caption>Verdicts on this receipt alone",
            // The receipt without purchases, with its own verdict first.
            "<td>eligible: never-subscribed, as of receipt<br><span class=\"reservation\">all receipts of the customer: "
                + "ineligible</span></td>",
            "<bdi>Customer 3, no subject</bdi>",
        ] { #expect(text.contains(expected), "\(expected)") }
        // No note where the verdicts on customer and receipt are equal.
        #expect(text.components(separatedBy: "all receipts of the customer: ").count == 7)
        let order = ["id=\"summary\"", "id=\"customers\"", "id=\"findings\"", "id=\"details\""].map {
            text.range(of: $0)?.lowerBound
        }
        #expect(order.compactMap(\.self) == order.compactMap(\.self).sorted())
        #expect(!order.contains(nil))
        let rows = try #require(text.range(of: "id=\"answers\""))
        #expect(text[rows.upperBound...].range(of: "<tbody>\n<tr><th scope=\"row\"><bdi>anna") != nil)
    }

    @Test func withoutACatalogThereAreNoVerdicts() throws {
        let page = workplace.file("r.html")
        #expect(try Tool.run("audit", input, "--root", root, "--report", page).status == 0)
        #expect(!String(decoding: try workplace.read("r.html"), as: UTF8.self).contains("#customers"))
    }

    @Test func limitsAreStated() throws {
        var limits = Report.Limits()
        (limits.answers, limits.productsOfCustomers) = (1, 1)
        let output = workplace.file("out.sqlite")
        #expect(try audit("--output", output).status == 0)
        var text = ""
        try Report(of: AuditDatabase(path: output, isReadOnly: true), limits: limits).render { text += $0 }
        #expect(
            text.contains("1 of 6 verdicts: first those that differ from the verdict on a single receipt"))
        #expect(text.contains("1 more are in the database, in the view answers."))
    }

    @Test func tablesHaveCustomers() throws {
        #expect(try audit("--csv", workplace.file("csv")).status == 0)
        let customers = try workplace.csv("csv/customers.csv")
        #expect(
            customers[0] == [
                "number", "subject", "environment", "bundle_id", "vouched_for_by", "receipts", "purchases",
                "evidence_date", "newest_receipt_number", "newest_record", "linked_by", "unjudged",
            ])
        #expect(
            customers.dropFirst().map { "\($0[0]) \($0[1]) \($0[5]) \($0[6])" } == [
                "1 anna 2 2", "2 bert 1 0", "3  1 2",
            ])
        #expect(customers[1][4] == "not Apple: a root of your own")
        let answers = try workplace.csv("csv/subject_verdicts.csv")
        let outcome = try #require(answers[0].firstIndex(of: "introductory_outcome"))
        #expect(
            answers.dropFirst().map { "\($0[0]) \($0[5]) \($0[outcome]) \($0.last ?? "")" } == [
                "1 basic ineligible № 2", "1 pro ineligible № 2", "2 basic eligible № 3",
                "2 pro eligible № 3",
                "3 basic ineligible № 4", "3 pro ineligible № 4",
            ])
        // The verdict on one receipt, followed by the one on the customer.
        let verdicts = try workplace.csv("csv/verdicts.csv")
        let (own, all) = (
            try #require(verdicts[0].firstIndex(of: "introductory_outcome")),
            try #require(verdicts[0].firstIndex(of: "customer_introductory_outcome"))
        )
        #expect(verdicts[1][own] == "eligible")
        #expect(verdicts[1][all] == "ineligible")
        #expect(verdicts[1][all - 1] == "1")
        let receipts = try workplace.csv("csv/receipts.csv")
        let customer = try #require(receipts[0].firstIndex(of: "customer"))
        #expect(receipts.dropFirst().map { $0[customer] } == ["1", "1", "2", "3"])
    }

    /// Checks that the dates select customers who presented a receipt in that time, with verdicts from all
    /// receipts.
    @Test func datesSelectTheShownCustomers() throws {
        var late = FindingTests.content(FindingTests.offer("201", original: "201"))
        late.creationDate = "2025-01-01T00:00:00Z"
        let input = try workplace.write(
            try Forged.line("r1", ReceiptContent(), subject: "anna")
                + Forged.line("r2", late, subject: "anna")
                + Forged.line("r3", late, subject: "bert"), to: "dates.ndjson")
        let answer = try Tool.run(
            ["audit", input] + options + [
                "--created-before", "2024-12-01T00:00:00Z", "--csv", workplace.file("csv"),
                "--subject-verdicts",
                workplace.file("answers"),
            ])
        #expect(answer.status == 0, "\(answer)")
        #expect(try workplace.csv("csv/receipts.csv").dropFirst().map { $0[3] } == ["r1"])
        #expect(try workplace.csv("csv/customers.csv").dropFirst().map { $0[1] + $0[5] } == ["anna2"])
        let answers = try workplace.csv("csv/subject_verdicts.csv").dropFirst()
        #expect(answers.map { $0[7] } == ["ineligible", "ineligible"])
        #expect(try workplace.read("answers").count { $0 == 0x0A } == 4)
    }
}
