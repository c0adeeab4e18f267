import AppReceipt
import Foundation
import ReceiptForge
import SQLite
import TestSupport
import Testing

@testable import ReceiptAudit

/// The ids of unusual evidence, and totals that SQL computes independently.
struct MigrationIDTests {
    let workplace: Workplace

    init() throws { workplace = try Workplace() }

    /// Audits an export and returns the lines for it.
    private func migrate(_ lines: [[UInt8]], _ arguments: String...) throws -> MigrationAnswer {
        let input = try workplace.write(lines.joined(), to: "in.ndjson")
        let database = workplace.file("out.sqlite")
        _ = try Forged.audit([input]).database(database)
        return try MigrationAnswer(["--database", database] + arguments)
    }

    private func receipt(
        _ record: String, subject: String? = nil, _ ids: [(transaction: String, original: String?)],
        type: String = "Production"
    ) throws -> [UInt8] {
        var content = ReceiptContent(
            bundleID: "com.example.app",
            purchases: ids.map { id in
                var purchase = PurchaseContent(
                    productID: "coins", transactionID: id.transaction, purchaseDate: "2026-01-01T00:00:00Z",
                    type: 1)
                purchase.originalTransactionID = id.original
                return purchase
            })
        content.receiptType = type
        return try Forged.line(record, content, subject: subject)
    }

    @Test func idOfAPurchaseIsTheOriginalOrTheTransaction() throws {
        let answer = try migrate([
            receipt("a", [("11", "10"), ("12", "0"), ("13", nil), ("0", "0"), ("0", nil), ("", "")])
        ])
        #expect(answer.ids == ["10", "12", "13"])
        #expect(answer.messages.contains("left out: 3 purchases without an id, which cannot be fetched"))
    }

    @Test func idsOfXcodeAreLeftOut() throws {
        let answer = try migrate([receipt("a", [("11", "10")], type: "Xcode")], "--environment", "any")
        #expect(answer.status == 0)
        #expect(answer.ids == [])
        #expect(answer.messages.contains("left out: 1 purchase of Xcode"))
    }

    @Test func aPurchaseInSeveralRecordsAndAccountsIsOneLine() throws {
        let lines = try [
            receipt("a", subject: "anna", [("11", "10"), ("12", "10")]),
            receipt("b", subject: "anna", [("11", "10"), ("12", "10")]),
            receipt("c", subject: "bert", [("11", "10")]), receipt("d", [("11", "10")]),
        ]
        let line = try #require(try migrate(lines).lines.first)
        #expect(line["subjects"] as? [String] == ["anna", "bert"])
        #expect(line["transaction_count"] as? Int == 2)
        #expect(line["record_count"] as? Int == 4)
        let records = line["records"] as? [[String: Any]] ?? []
        #expect(records.map { $0["record"] as? String } == ["a", "b", "c", "d"])
        #expect(records.map { $0["place"] as? Int } == [1, 2, 3, 4])
    }

    @Test func listsAreBoundedAndCountsAreNot() throws {
        let lines = try (0..<130).map { number in
            try receipt("r\(number)", subject: "s\(1000 + number)", [("11", "10")])
        }
        let line = try #require(try migrate(lines).lines.first)
        #expect(line["subject_count"] as? Int == 130)
        #expect(line["record_count"] as? Int == 130)
        #expect(line["subjects"] as? [String] == (0..<100).map { "s\(1000 + $0)" })
        #expect((line["records"] as? [[String: Any]])?.count == 100)
    }

    @Test func renewalInformationHasTheAppOfItsTransactions() throws {
        func renewal(_ id: String) throws -> [UInt8] {
            var payload = JSONMembers.renewalInfo
            payload["originalTransactionId"] = "\"\(id)\""
            payload["environment"] = #""Production""#
            return try ForgedJWS.line("renewal of \(id)", ForgedJWS.text(payload))
        }
        let answer = try migrate([renewal("10"), renewal("20"), receipt("a", [("11", "10")])])
        let apps = Dictionary(
            uniqueKeysWithValues: answer.lines.map {
                ($0["original_transaction_id"] as? String ?? "", $0["bundle_id"] as? String)
            })
        #expect(apps == ["10": "com.example.app", "20": nil])
        let counts = answer.lines.map { [$0["transaction_count"] as? Int, $0["record_count"] as? Int] }
        #expect(Set(counts) == [[0, 1], [1, 2]])
    }

    @Test func subjectsAreNoFormulasInCSV() throws {
        let lines = try [receipt("a", subject: "=1+1", [("1000000000000001", "1000000000000000")])]
        let answer = try migrate(lines, "--csv")
        try workplace.write(Array(answer.output.utf8), to: "ids.csv")
        let rows = try workplace.csv("ids.csv")
        let cells = Dictionary(uniqueKeysWithValues: zip(rows[0], rows[1]))
        #expect(cells["original_transaction_id"] == "'1000000000000000")
        #expect(cells["subjects"]?.first == "[")
    }

    /// Compares totals with SQL over the tables, for random receipts with every kind of purchase.
    @Test func totalsAreThoseOfSQL() throws {
        let answer = try migrate(try Forged.lines(300), "--environment", "any")
        #expect(answer.status == 0)
        let database = workplace.file("out.sqlite")
        let ids = """
            SELECT coalesce(environment, '') AS e, bundle_id AS b,
                CASE WHEN original_transaction_id <> '0' THEN original_transaction_id ELSE transaction_id END AS i, *
            FROM transactions JOIN receipts ON id = receipt_id
            WHERE coalesce(environment, '') <> 'Xcode'
                AND NOT (coalesce(original_transaction_id, '0') = '0' AND coalesce(transaction_id, '0') = '0')
            """
        func sum(_ name: String) -> Int { answer.lines.map { $0[name] as? Int ?? 0 }.reduce(0, +) }
        let lines = try ask(database, "SELECT count(*) FROM (SELECT DISTINCT e, b, i FROM (\(ids)))")
        #expect(lines == ["\(answer.lines.count)"])
        #expect(answer.lines.count > 100)
        #expect(
            try ask(database, "SELECT count(*) FROM (SELECT DISTINCT e, b, i, transaction_id FROM (\(ids)))")
                == ["\(sum("transaction_count"))"])
        #expect(
            try ask(database, "SELECT count(*) FROM (SELECT DISTINCT e, b, i, source, place FROM (\(ids)))")
                == ["\(sum("record_count"))"])
        #expect(
            try ask(
                database,
                "SELECT count(*) FROM (SELECT DISTINCT e, b, i, subject FROM (\(ids)) WHERE subject IS NOT NULL)"
            )
                == ["\(sum("subject_count"))"])
        let refunded = answer.lines.filter { $0["is_refunded"] as? Bool == true }.count
        #expect(
            try ask(
                database,
                "SELECT count(*) FROM (SELECT DISTINCT environment, bundle_id, original_transaction_id FROM refunds)"
            )
                == ["\(refunded)"])
        #expect(refunded > 0)
    }
}
