import AppReceipt
import Foundation
import ReceiptForge
import SQLite
import TestSupport
import Testing

@testable import ReceiptAudit

/// `migrate --compare`: receipts against answers of Apple's server, all forged under one root.
struct MigrationComparisonTests {
    let workplace: Workplace

    init() throws { workplace = try Workplace() }

    /// A purchase of the subscription 10, as a receipt and as a signed transaction.
    struct Purchase {
        var id = "10"
        var original: String? = "10"
        var product = "monthly"
        var from = "2026-01-01T00:00:00Z"
        var until: String? = "2026-02-01T00:00:00Z"
        var refund: String?
        var isUpgraded = false
        var signed = "2026-04-01T00:00:00Z"
    }

    static let first = Purchase()
    static let second = Purchase(id: "11", from: "2026-02-01T00:00:00Z", until: "2026-03-01T00:00:00Z")
    static let third = Purchase(id: "12", from: "2026-03-01T00:00:00Z", until: "2026-04-01T00:00:00Z")

    private static func changed(_ purchase: Purchase, _ change: (inout Purchase) -> Void) -> Purchase {
        var purchase = purchase
        change(&purchase)
        return purchase
    }

    // MARK: - Evidence

    /// Returns the line of a receipt of 2026-02-15.
    private func receipt(
        _ purchases: [Purchase], app: String = "com.example.app", subject: String = "anna"
    ) throws -> [UInt8] {
        var content = ReceiptContent(
            bundleID: app,
            purchases: purchases.map { given in
                var purchase = PurchaseContent(
                    productID: given.product, transactionID: given.id, purchaseDate: given.from,
                    type: given.until == nil ? 1 : 3)
                purchase.originalTransactionID = given.original
                purchase.originalPurchaseDate = given.from
                purchase.expiresDate = given.until ?? ""
                purchase.cancellationDate = given.refund ?? ""
                return purchase
            })
        content.receiptType = "Production"
        content.creationDate = "2026-02-15T00:00:00Z"
        return try Forged.line("receipt", content, subject: subject)
    }

    private func jws(_ purchase: Purchase, app: String = "com.example.app") throws -> String {
        func date(_ text: String?) -> String? {
            text.flatMap { Timestamp(rfc3339: $0) }.map { "\($0.millisecondsSince1970)" }
        }
        return try ForgedJWS.text(
            ForgedJWS.transaction(
                purchase.id,
                [
                    "originalTransactionId": purchase.original.map { "\"\($0)\"" }, "bundleId": "\"\(app)\"",
                    "environment": "\"Production\"", "productId": "\"\(purchase.product)\"",
                    "purchaseDate": date(purchase.from), "originalPurchaseDate": date("2026-01-01T00:00:00Z"),
                    "expiresDate": date(purchase.until), "revocationDate": date(purchase.refund),
                    "isUpgraded": purchase.isUpgraded ? "true" : nil,
                    "signedDate": date(purchase.signed), "subscriptionGroupIdentifier": nil,
                    "type": purchase.until == nil ? "\"Consumable\"" : "\"Auto-Renewable Subscription\"",
                ]))
    }

    private func page(_ purchases: [Purchase], hasMore: Bool = false, app: String = "com.example.app") throws
        -> String
    {
        let texts = try purchases.map { "\"\(try jws($0, app: app))\"" }.joined(separator: ",")
        return
            #"{"signedTransactions":[\#(texts)],"hasMore":\#(hasMore),"bundleId":"\#(app)","environment":"Production"}"#
    }

    private func line(_ record: String, _ answer: String) -> [UInt8] {
        Array(#"{"id":"\#(record)","subject":"anna","answers":[\#(answer)]}"#.utf8) + [0x0A]
    }

    private func compare(_ lines: [[UInt8]], _ arguments: String...) throws -> MigrationAnswer {
        let input = try workplace.write(lines.joined(), to: "in.ndjson")
        let database = workplace.file("out.sqlite")
        _ = try Forged.audit([input]).database(database)
        return try MigrationAnswer(["--database", database, "--compare"] + arguments)
    }

    struct Expected: Sendable {
        let result: String
        let kinds: [String]
        let percent: Double

        init(_ result: String, _ kinds: [String] = [], _ percent: Double = 0) {
            (self.result, self.kinds, self.percent) = (result, kinds, percent)
        }
    }

    /// Compares a receipt with the purchases 10 and 11 with an answer.
    private func expect(
        _ answer: MigrationAnswer, _ expected: Expected, reason: String? = nil,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        let line = try #require(answer.lines.first, sourceLocation: location)
        #expect(line["result"] as? String == expected.result, sourceLocation: location)
        #expect(line["reason"] as? String == reason, sourceLocation: location)
        let findings = line["findings"] as? [[String: Any]] ?? []
        #expect(findings.map { $0["kind"] as? String } == expected.kinds, sourceLocation: location)
        #expect(line["finding_count"] as? Int == expected.kinds.count, sourceLocation: location)
        let coverage = answer.lines.last?["coverage"] as? [String: Any]
        #expect(coverage?["percent"] as? Double == expected.percent, sourceLocation: location)
        #expect(answer.status == (expected.percent == 100 ? 0 : 1), sourceLocation: location)
    }

    // MARK: - Results

    @Test(
        arguments: [
            ([first, second], "agrees", []),
            // Milliseconds, which receipts do not have.
            ([changed(first) { $0.from = "2026-01-01T00:00:00.999Z" }, second], "agrees", []),
            ([first, second, third], "newer", ["later-transaction"]),
            // A transaction from before the receipt that the receipt does not list, such as a finished consumable.
            (
                [first, changed(first) { ($0.id, $0.until) = ("101", nil) }, second], "newer",
                ["in-no-receipt"]
            ),
            ([first, changed(second) { $0.until = "2026-03-15T00:00:00Z" }], "newer", ["later-expiration"]),
            ([first, changed(second) { $0.refund = "2026-03-01T00:00:00Z" }], "newer", ["later-refund"]),
        ] as [([Purchase], String, [String])])
    func completeAnswerWithoutContradictionCovers(
        purchases: [Purchase], result: String, kinds: [String]
    ) throws {
        let answer = try compare([
            receipt([Self.first, Self.second]), line("answer", try page(purchases)),
        ])
        try expect(answer, Expected(result, kinds, 100))
    }

    @Test(
        arguments: [
            ([changed(first) { $0.product = "yearly" }, second], ["product"]),
            ([changed(first) { $0.from = "2026-01-01T00:00:01Z" }, second], ["purchase-date"]),
            // The answer is older than the receipt, so the receipt should agree.
            (
                [
                    first,
                    changed(second) {
                        ($0.until, $0.signed) = ("2026-03-15T00:00:00Z", "2026-02-10T00:00:00Z")
                    },
                ], ["expiration"]
            ),
            // The answer is newer, and the expiration earlier.
            ([first, changed(second) { $0.until = "2026-02-20T00:00:00Z" }], ["expiration"]),
            // A refund from before the receipt, which does not show it.
            ([changed(first) { $0.refund = "2026-01-10T00:00:00Z" }, second], ["refund"]),
            ([first], ["missing-at-apple"]),
            (
                [changed(first) { $0.product = "yearly" }, third],
                ["product", "missing-at-apple", "later-transaction"]
            ),
        ] as [([Purchase], [String])])
    func contradictionsAreNotCovered(purchases: [Purchase], kinds: [String]) throws {
        let answer = try compare([
            receipt([Self.first, Self.second]), line("answer", try page(purchases)),
        ])
        try expect(answer, Expected("contradicts", kinds))
    }

    /// Checks two receipts of one date, of which one contradicts the answer, in both orders.
    @Test(
        arguments: [
            (changed(second) { $0.until = "2026-03-15T00:00:00Z" }, "expiration"),
            (changed(second) { $0.until = "2026-02-20T00:00:00Z" }, "later-expiration"),
            (changed(second) { $0.product = "yearly" }, "product"),
        ], [false, true])
    func contradictionOfAReceiptOfOneDateCounts(other: (Purchase, String), isReversed: Bool) throws {
        let receipts = try [receipt([Self.first, Self.second]), receipt([Self.first, other.0])]
        let answer = try compare(
            (isReversed ? receipts.reversed() : receipts)
                + [line("answer", try page([Self.first, Self.second]))])
        if other.1 == "later-expiration" {
            try expect(answer, Expected("agrees", [], 100))
        } else {
            try expect(answer, Expected("contradicts", [other.1]))
        }
    }

    // The product was upgraded on 2026-01-20. Rows: the cancellation in the receipt, the revocationDate and the signing date in Apple's
    // answer, and the result.
    @Test(
        arguments: [
            ("2026-01-20", nil, "2026-04-01", Expected("agrees", [], 100)),
            // The answer is older than the receipt.
            ("2026-01-20", nil, "2026-02-10", Expected("agrees", [], 100)),
            ("2026-01-20", "2026-01-20", "2026-04-01", Expected("agrees", [], 100)),
            // The upgrade is from after the receipt.
            (nil, "2026-02-20", "2026-04-01", Expected("agrees", [], 100)),
            // A refund after the upgrade that the receipt shows.
            ("2026-01-20", "2026-03-01", "2026-04-01", Expected("newer", ["later-refund"], 100)),
            // The cancellation in the receipt is of another date than the upgrade, or only of that of the purchase itself.
            ("2026-01-25", nil, "2026-02-10", Expected("contradicts", ["refund"])),
            ("2026-01-01", nil, "2026-02-10", Expected("contradicts", ["refund"])),
        ] as [(String?, String?, String, Expected)])
    func upgradedPurchase(cancelled: String?, revoked: String?, signed: String, expected: Expected) throws {
        func purchase(_ change: (inout Purchase) -> Void) -> Purchase { Self.changed(Self.first, change) }
        let shown = purchase { $0.refund = cancelled.map { $0 + "T00:00:00Z" } }
        let upgraded = purchase {
            ($0.isUpgraded, $0.refund) = (true, revoked.map { $0 + "T00:00:00Z" })
            $0.signed = signed + "T00:00:00Z"
        }
        let successor = Self.changed(Self.second) {
            ($0.product, $0.from) = ("yearly", "2026-01-20T00:00:00Z")
        }
        let answer = try compare([
            receipt([shown, successor]), line("answer", try page([upgraded, successor])),
        ])
        try expect(answer, expected)
    }

    @Test func findingsNameTheRecordsOfBothSides() throws {
        let other = Self.changed(Self.first) { $0.product = "yearly" }
        let answer = try compare([
            receipt([Self.first, Self.second]), line("answer", try page([other, Self.second])),
        ])
        let finding = (answer.lines.first?["findings"] as? [[String: Any]])?.first
        #expect(finding?["transaction_id"] as? String == "10")
        let (receipt, apple) = (finding?["receipt"] as? [String: Any], finding?["apple"] as? [String: Any])
        #expect(receipt?["record"] as? String == "receipt")
        #expect(receipt?["place"] as? Int == 1)
        #expect(receipt?["value"] as? String == "monthly")
        #expect(apple?["record"] as? String == "answer")
        #expect(apple?["place"] as? Int == 2)
        #expect(apple?["value"] as? String == "yearly")
    }

    @Test func restoredPurchaseIsThatOfItsOriginal() throws {
        let coins = Self.changed(Self.first) { $0.until = nil }
        let restored = Self.changed(coins) { $0.id = "15" }
        let answer = try compare([receipt([restored]), line("answer", try page([coins]))])
        try expect(answer, Expected("newer", ["in-no-receipt"], 100))
    }

    @Test(
        arguments: [
            (Purchase(product: "gems", until: nil), ["in-no-receipt", "product"]),
            // A refund from before the receipt, which does not show it.
            (Purchase(until: nil, refund: "2026-01-10T00:00:00Z"), ["in-no-receipt", "refund"]),
        ] as [(Purchase, [String])])
    func restoredPurchaseIsComparedWithItsOriginal(original: Purchase, kinds: [String]) throws {
        // The id sorts before that of the original.
        let answer = try compare([
            receipt([Purchase(id: "05", until: nil)]), line("answer", try page([original])),
        ])
        try expect(answer, Expected("contradicts", kinds))
    }

    /// Checks a subscription's period that has another id in the receipt of the device on which it was restored.
    @Test(arguments: ["15", "05"])
    func restoredPeriodIsThatOfApple(id: String) throws {
        let restored = Self.changed(Self.second) { $0.id = id }
        let answer = try compare([
            receipt([Self.first, restored]), line("answer", try page([Self.first, Self.second])),
        ])
        try expect(answer, Expected("agrees", [], 100))
    }

    // MARK: - Completeness

    @Test(
        arguments: [
            // The complete answer lacks a purchase of the receipt.
            ([first, second], [first], second, "not_compared", []),
            // The complete answer lacks what is newer.
            ([first], [first], third, "not_compared", ["later-transaction"]),
            (
                [first, second], [first, second],
                changed(second) { ($0.refund, $0.signed) = ("2026-03-01T00:00:00Z", "2026-05-01T00:00:00Z") },
                "not_compared", ["later-refund"]
            ),
            // The same purchase again.
            (
                [first, second], [first, second], changed(second) { $0.signed = "2026-05-01T00:00:00Z" },
                "agrees", []
            ),
        ] as [([Purchase], [Purchase], Purchase, String, [String])])
    func singleTransactionsDoNotCompleteAnswers(
        purchases: [Purchase], answered: [Purchase], single: Purchase, result: String, kinds: [String]
    ) throws {
        let answer = try compare([
            receipt(purchases), line("answer", try page(answered)),
            line("single", #"{"signedTransactionInfo":"\#(try jws(single))"}"#),
        ])
        let isCovered = result == "agrees"
        try expect(
            answer, Expected(result, kinds, isCovered ? 100 : 0),
            reason: isCovered ? nil : "incomplete answer")
    }

    @Test func lastPageAloneDoesNotCompleteAnOlderAnswer() throws {
        let answer = try compare([
            receipt([Self.first, Self.second]), line("answer", try page([Self.first])),
            line("last page", try page([Self.second])),
        ])
        try expect(answer, Expected("not_compared"), reason: "incomplete answer")
    }

    @Test(
        arguments: [
            ("unreadable", "1 unreadable record, 0 records not selected, 0 files filtered"),
            ("not_selected", "0 unreadable records, 1 record not selected, 0 files filtered"),
            ("filtered", "0 unreadable records, 0 records not selected, 1 file filtered"),
        ])
    func receiptsThatWereNotReadAreNotCovered(column: String, counts: String) throws {
        let complete = try compare([receipt([Self.first]), line("answer", try page([Self.first]))])
        try expect(complete, Expected("agrees", [], 100))
        let database = workplace.file("out.sqlite")
        try Connection(path: database).execute("UPDATE runs SET \(column) = 1")
        let compared = try MigrationAnswer(["--database", database, "--compare"])
        #expect(compared.status == 1)
        #expect(compared.messages.contains("\(counts): not all receipts were read"), "\(compared.messages)")
        let listed = try MigrationAnswer(["--database", database])
        #expect(listed.status == 0)
        #expect(listed.messages.contains("\(counts): not all receipts were read"), "\(listed.messages)")
    }

    @Test(
        arguments: [
            // Another field.
            ("in.ndjson", #"{"id":"a","receipt":"R","old":"R"}"# + "\n", "in.ndjson: receipts in old"),
            ("in.csv", "id,receipt,old\na,R,R\n", "in.csv: receipts in old"),
            // A place outside the records of JSON that is keyed by id.
            (
                "in.json",
                #"{"users":{"u0":{"receipt":"R"},"u1":{"receipt":"R"}},"old":{"l":{"a":{"b":"R"}}}}"#,
                "in.json: receipts outside users.*.receipt (1, the first at old.l.a.b)"
            ),
            // Another place in the records.
            (
                "in.json", #"{"users":{"u0":{"receipt":"R","old":"R"},"u1":{"receipt":"R","old":"R"}}}"#,
                "in.json: receipts in users.*.old"
            ),
            // Another column of a table.
            ("in.sql", "INSERT INTO a (id, r, s) VALUES (1, 'R', 'R');\n", "in.sql: table a: receipts in s"),
            // Another table.
            (
                "in.sql",
                "INSERT INTO a (id, receipt) VALUES (1, 'R');\nINSERT INTO b (id, x) VALUES (2, '{\"r\":\"R\"}');\n",
                "in.sql: receipts outside the tables and columns that were read (1, the first at b.x)"
            ),
            // A source without records.
            ("in.ndjson", "", "in.ndjson"),
        ])
    func placesThatWereNotReadAreNotCovered(name: String, text: String, message: String) throws {
        let line = try receipt([Self.first])
        let object = try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any]
        let base64 = try #require(object?["receipt"] as? String)
        let input = try workplace.write(
            Array(
                text.replacing("\"R\"", with: "\"\(base64)\"").replacing("'R'", with: "'\(base64)'")
                    .replacing(",R", with: ",\(base64)").utf8), to: name)
        let answers = try workplace.write(
            line + self.line("answer", try page([Self.first])), to: "answers.ndjson")
        let database = workplace.file("out.sqlite")
        _ = try Forged.audit([input, answers]).database(database)
        let compared = try MigrationAnswer(["--database", database, "--compare"])
        #expect(compared.messages.contains("100.00 % of ids covered"))
        #expect(compared.status == 1)
        #expect(compared.messages.contains("\(message): not all receipts were read"), "\(compared.messages)")
    }

    @Test func missingAnswerIsNotCompared() throws {
        let answer = try compare([receipt([Self.first])])
        try expect(answer, Expected("not_compared"), reason: "no answer")
        #expect(answer.messages.contains("com.example.app, Production: 0.00 % of ids covered"))
    }

    enum Incomplete: CaseIterable {
        /// A page with more pages after it.
        case page
        /// A last page that lacks the first transaction of the subscription.
        case lastPage
        /// Pages in different records, which may be of different customers.
        case pagesInTwoRecords
        /// Two first pages and one last page.
        case otherPages
        /// A complete answer before the first page of another customer.
        case pageAfterLast
        case status, single, forged
        /// A page with a forged transaction, with a null, of nulls, with a number, or with another app's transaction before a
        /// last page that is genuine.
        case forgedPage, nullOnPage, pageOfNulls, numberOnPage, appOnPage
    }

    @Test(arguments: Incomplete.allCases)
    func incompleteAnswerIsNotCompared(kind: Incomplete) throws {
        let (first, second) = (try page([Self.first], hasMore: true), try page([Self.second]))
        let whole = try page([Self.first, Self.second])
        func forge(_ answer: String, _ purchase: Purchase) throws -> String {
            answer.replacing(try jws(purchase), with: String(try jws(purchase).dropLast(8)) + "AAAAAAAA")
        }
        let answers: [String] =
            switch kind {
            case .page: [try page([Self.first, Self.second], hasMore: true)]
            case .lastPage: [second]
            case .pagesInTwoRecords: [first, second]
            case .otherPages: [first + "," + second + "," + second]
            case .pageAfterLast:
                [
                    whole + ","
                        + (try page(
                            [Self.changed(Self.first) { ($0.id, $0.original, $0.until) = ("20", "20", nil) }],
                            hasMore: true))
                ]
            case .status:
                [
                    #"{"data":[{"lastTransactions":[{"signedTransactionInfo":"\#(try jws(Self.first))"}]}],"bundleId":"com.example.app","environment":"Production"}"#
                ]
            case .single: [#"{"signedTransactionInfo":"\#(try jws(Self.first))"}"#]
            case .forged: [try forge(whole, Self.second)]
            case .forgedPage:
                [try forge(page([Self.first, Self.third], hasMore: true), Self.third) + "," + second]
            case .nullOnPage: [first.replacing("],", with: ",null],") + "," + second]
            case .pageOfNulls:
                [try page([], hasMore: true).replacing("[]", with: "[null,null]") + "," + whole]
            case .numberOnPage: [first.replacing("],", with: ",1],") + "," + second]
            case .appOnPage:
                [first.replacing(#""com.example.app""#, with: #""com.example.other""#) + "," + second]
            }
        let lines = answers.enumerated().map { line("answer \($0)", $1) }
        let answer = try compare([receipt([Self.first, Self.second])] + lines)
        try expect(answer, Expected("not_compared"), reason: "incomplete answer")
    }

    @Test func allPagesInOneRecordAreOneAnswer() throws {
        let pages = try page([Self.first], hasMore: true) + "," + page([Self.second])
        try expect(
            compare([receipt([Self.first, Self.second]), line("answer", pages)]), Expected("agrees", [], 100))
    }

    @Test func incompleteAnswersContradict() throws {
        let other = Self.changed(Self.first) { $0.product = "yearly" }
        let answer = try compare([receipt([Self.first]), line("answer", try page([other], hasMore: true))])
        try expect(answer, Expected("contradicts", ["product"]))
    }

    @Test func unknownIDsContradict() throws {
        let file = try workplace.write(Array("10\n".utf8), to: "unknown")
        let answer = try compare([receipt([Self.first])], "--unknown", file)
        try expect(answer, Expected("contradicts", ["unknown-at-apple"]))
    }

    @Test func purchasesWithoutIDAreNotCovered() throws {
        let without = Self.changed(Self.second) { ($0.id, $0.original) = ("0", nil) }
        let answer = try compare([receipt([Self.first, without]), line("answer", try page([Self.first]))])
        try expect(answer, Expected("agrees", [], 50))
        #expect(answer.messages.contains("1 purchases without an id"))
    }

    @Test func coverageIsForEachApp() throws {
        let answer = try compare([
            receipt([Self.first, Self.second]), receipt([Self.first], app: "com.example.other"),
            line("answer", try page([Self.first, Self.second])),
        ])
        let coverage = answer.lines.compactMap { $0["coverage"] as? [String: Any] }
        #expect(coverage.map { $0["bundle_id"] as? String } == ["com.example.app", "com.example.other"])
        #expect(coverage.map { $0["percent"] as? Double } == [100, 0])
        #expect(answer.status == 1)
    }

    @Test func percentageIsRoundedDown() throws {
        var lines = try (0..<300).map { number in
            try receipt([Self.changed(Self.first) { ($0.id, $0.original) = ("1\(number)", "1\(number)") }])
        }
        let answered = try (1..<300).map { number in
            try page([Self.changed(Self.first) { ($0.id, $0.original) = ("1\(number)", "1\(number)") }])
        }
        lines += answered.map { line("answer", $0) }
        let coverage = try compare(lines).lines.last?["coverage"] as? [String: Any]
        #expect(coverage?["percent"] as? Double == 99.66)
        #expect(coverage?["agrees"] as? Int == 299)
        #expect(coverage?["not_compared"] as? Int == 1)
    }

    @Test func idsWithoutReceiptsAreNotInTheCoverage() throws {
        let answer = try compare([line("answer", try page([Self.first]))])
        #expect(answer.lines.first?["result"] as? String == "only_at_apple")
        #expect(answer.lines.count == 1)
        #expect(answer.status == 1)
        #expect(answer.messages.contains("no receipt shows a purchase"))
    }

    @Test func csvHasALineForEachID() throws {
        let answer = try compare([receipt([Self.first])], "--csv")
        try workplace.write(Array(answer.output.utf8), to: "ids.csv")
        let rows = try workplace.csv("ids.csv")
        #expect(rows.count == 2)
        #expect(rows[0].contains("result"))
        #expect(rows[1].contains("not_compared"))
    }
}
