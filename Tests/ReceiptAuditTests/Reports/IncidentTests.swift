import AppReceipt
import Foundation
import OfferEligibility
import ReceiptForge
import SQLite
import TestSupport
import Testing

@testable import ReceiptAudit

/// Incidents, which summarize findings for people, and the checks that were skipped.
struct IncidentTests {
    let workplace: Workplace

    init() throws { workplace = try Workplace() }

    private func database(
        _ receipts: [(String?, ReceiptContent)], catalog: String? = nil, deviceID: [UInt8]? = nil,
        asOf: EligibilityDate = .asked
    ) throws -> Connection {
        let lines = try receipts.enumerated().flatMap {
            try Forged.line("r\($0.offset)", $0.element.1, subject: $0.element.0)
        }
        let input = try workplace.write(lines, to: "\(UUID().uuidString).ndjson")
        let output = workplace.file("\(UUID().uuidString).sqlite")
        let audit = try Forged.audit([input], catalog: catalog, deviceID: deviceID, asOf: asOf.instant)
        _ = try audit.database(output)
        #expect(try audit.replay(output, jobs: 1) { Issue.record("\($0)") }.holds)
        return try Connection(path: output)
    }

    enum EligibilityDate {
        case asked, early
        var instant: EligibilityInstant {
            switch self {
            case .asked: Forged.asOf
            case .early: .clock(Timestamp(millisecondsSince1970: 1_700_000_000_000))
            }
        }
    }

    private func told(_ database: Connection) throws -> [String] {
        try database.prepare("SELECT * FROM incidents ORDER BY id").map {
            try
                "\($0["severity"] as String): \($0["summary"] as String) (\($0["findings"] as Int), \($0["receipts"] as Int))"
        }
    }

    /// Returns a number of receipts that share a number of purchases.
    private static func receipts(_ count: Int, purchases: Int) -> [ReceiptContent] {
        (0..<count).map { number in
            var content = FindingTests.content()
            content.purchases = stride(from: number, to: purchases, by: count).map {
                FindingTests.period("\(100 + $0)", original: "\(100 + $0)")
            }
            content.applicationVersion = "\(number)"
            return content
        }
    }

    @Test func sharingOfTwoSubjectsIsOneIncident() throws {
        let shared = Self.receipts(9, purchases: 14)
        let audited = try database(["anna", "bert"].flatMap { subject in shared.map { (subject, $0) } })
        #expect(try audited.prepare("SELECT count(*) FROM findings").firstValue() == 23)
        #expect(
            try told(audited) == [
                "alert: The subjects anna and bert share 9 receipts and 14 purchases (23, 18)"
            ])
    }

    /// Checks that sharing is transitive: subjects that share with a third belong to one incident.
    @Test func sharingIsTransitive() throws {
        let receipts = Self.receipts(4, purchases: 0)
        let audited = try database([
            ("c", receipts[0]), ("b", receipts[0]), ("b", receipts[1]), ("d", receipts[1]),
            ("d", receipts[2]),
            ("a", receipts[2]), ("x", receipts[3]), ("y", receipts[3]), ("z", FindingTests.content()),
        ])
        #expect(
            try told(audited) == [
                "alert: The subjects a, b and 2 others share 3 receipts (3, 6)",
                "alert: The subjects x and y share 1 receipt (1, 2)",
            ])
    }

    @Test func sharedPurchaseInSeparateReceipts() throws {
        let one = FindingTests.content(FindingTests.period("101"))
        let other = FindingTests.content(FindingTests.period("102", from: "2024-05-02T00:00:00Z"))
        #expect(
            try told(try database([("a", one), ("b", other)])) == [
                "alert: The subjects a and b share 1 purchase, in different receipts (1, 2)"
            ])
    }

    /// Checks that findings in the sandbox are notes, because testers share accounts. Findings in production
    /// keep their severity.
    @Test func sandboxFindingsAreNotes() throws {
        var sandbox = Self.receipts(2, purchases: 2)
        for index in sandbox.indices { sandbox[index].receiptType = "ProductionSandbox" }
        let production = Self.receipts(1, purchases: 0)
        let audited = try database(
            ["tester", "anna"].flatMap { subject in sandbox.map { (subject, $0) } }
                + [("anna", production[0]), ("bert", production[0])])
        #expect(
            try told(audited) == [
                "alert: The subjects anna and bert share 1 receipt (1, 2)",
                "note: The subjects anna and tester share 2 receipts and 2 purchases (4, 4)",
            ])
        var late = FindingTests.content(FindingTests.period("101", from: "2024-06-03T00:00:00Z"))
        #expect(try told(try database([(nil, late)])).first?.hasPrefix("warning: ") == true)
        late.receiptType = "ProductionSandbox"
        #expect(try told(try database([(nil, late)])).first?.hasPrefix("note: ") == true)
    }

    /// Checks that rows are grouped by subject or purchase, not by receipt.
    @Test func incidentsGroupBySubjectAndPurchase() throws {
        let receipts = Self.receipts(3, purchases: 0)
        let early = try database(
            receipts.map { ("anna", $0) } + receipts.map { (nil, $0) } + [("bert", FindingTests.content())],
            asOf: .early)
        #expect(
            try told(early) == [
                "warning: 3 receipts of the subject anna were created after the as-of date (3, 3)",
                "warning: 3 receipts without a subject were created after the as-of date (3, 3)",
                "warning: The receipt r6 was created after the as-of date (1, 1)",
            ])
        let device = try database(receipts.map { ("anna", $0) }, deviceID: [1])
        #expect(
            try told(device) == ["alert: 3 receipts of the subject anna were made for another device (3, 3)"])
        var (first, second) = (
            FindingTests.content(FindingTests.period("101", from: "2024-06-03T00:00:00Z")),
            FindingTests.content(FindingTests.period("101", from: "2024-06-03T00:00:00Z"))
        )
        (first.applicationVersion, second.applicationVersion) = ("1", "2")
        #expect(
            try told(try database([(nil, first), (nil, second)])) == [
                "warning: 2 receipts without a subject hold purchases that were made after them (2, 2)"
            ])
    }

    // MARK: - Not checked

    private func omissions(_ database: Connection) throws -> [String: String] {
        let rows = try database.prepare("SELECT title, reason FROM not_looked_for")
            .map { row -> (String, String) in try (row["title"], row["reason"]) }
        return Dictionary(uniqueKeysWithValues: rows)
    }

    private func title(_ kind: String) throws -> String {
        try #require(FindingRule.all.first { $0.kind == kind }).title
    }

    private static let noSubjects =
        "no genuine receipt has a subject, the account that presented it (--subject-field)"

    @Test func skippedChecksAreListed() throws {
        let nothing = try omissions(try database([(nil, FindingTests.content())]))
        for kind in ["shared-receipt", "shared-purchase", "several-introductory-offers"] {
            #expect(nothing[try title(kind)] == Self.noSubjects)
        }
        #expect(nothing[try title("wrong-device")] == "no device was named (--device-id)")
        #expect(nothing["Who may get which subscription offer"] == "no catalog was given (--catalog)")
        #expect(nothing["Receipts of other apps"] == "no app was named (--bundle-id)")

        let device: [UInt8] = (0..<16).map { $0 &* 0x11 }
        let everything = try omissions(
            try database(
                [
                    ("anna", FindingTests.content()),
                    ("bert", FindingTests.content(FindingTests.period("101"))),
                ],
                catalog: DatabaseTests.catalog, deviceID: device))
        #expect(
            try Set(everything.keys) == [
                "Receipts of other apps", "Certificates that signed hardly any of the receipts",
                "Revoked certificates", title("revoked-elsewhere"),
            ])
    }

    @Test func partlySkippedChecksAreListed() throws {
        let some = try omissions(
            try database([("anna", FindingTests.content()), (nil, FindingTests.content())]))
        #expect(
            some[
                "Shared receipts, shared purchases and several introductory offers among 1 of 2 genuine receipts"
            ]
                == "they have no subject")
        // A column with the same value in every record, such as a tenant, does not distinguish accounts.
        for kind in ["shared-receipt", "shared-purchase"] {
            #expect(some[try title(kind)] == "all genuine receipts have one subject (--subject-field)")
        }
        #expect(some.keys.contains("Several introductory offers across the products of a group"))
        var test = FindingTests.content(FindingTests.period("101"))
        test.receiptType = "Xcode"
        #expect(
            try omissions(try database([("anna", test)]))["Purchases of 1 receipt of Xcode in other receipts"]
                != nil)
    }

    @Test(arguments: [0, 1, 1234])
    func customersWithoutVerdictsAreListed(count: Int) throws {
        let audited = try database([("anna", FindingTests.content())], catalog: DatabaseTests.catalog)
        try audited.transaction {
            try audited.execute("DELETE FROM not_looked_for")
            for _ in 0..<count {
                try audited.prepare(
                    """
                    INSERT INTO customers (newest_receipt_id, bundle_id, receipts, unjudged) VALUES (1, 'x', 1, ?)
                    """, CustomerSnapshot.isTooLongBecause
                ).execute()
            }
            try SkippedChecks.insert(genuine: Forged.counts(audited), asked: nil, into: audited)
        }
        let title = "The offers of \(ReportText.count(count, "customer")), based on all receipts of each"
        #expect(
            try omissions(audited)[title] == (count == 0 ? nil : "each has more than 100,000 purchases"))
    }

    /// Checks that without genuine receipts the checks count as skipped.
    @Test func withoutGenuineReceiptsChecksAreSkipped() throws {
        let none = try omissions(try database([(nil, FindingTests.content())], deviceID: [1]))
        #expect(none[try title("told-differently")]?.hasPrefix("no receipt is genuine") == true)
        // The device was checked and differs.
        #expect(none[try title("wrong-device")] == nil)
        let input = try workplace.write(Array(#"{"id":"x","receipt":"MAA="}"#.utf8), to: "in.ndjson")
        let output = workplace.file("out.sqlite")
        let counts = try Forged.audit([input]).database(output)
        #expect(counts.outcome?.notLookedFor.count ?? 0 >= FindingRule.all.count)
        var text = ""
        try Report(of: AuditDatabase(path: output, isReadOnly: true)).render { text += $0 }
        #expect(text.contains("<li>None.</li>"))
    }
}
