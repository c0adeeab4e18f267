import AppReceipt
import Foundation
import OfferEligibility
import ReceiptForge
import RecordSources
import SQLite
import TestSupport
import Testing

@testable import ReceiptAudit

/// The verdicts on customers, one for each product, from all of a customer's receipts.
struct CustomerTests {
    static let catalog = #"{"groups": {"main": ["basic", "pro"]}}"#
    private static func content(
        created: String = "2024-06-15T00:00:00Z", _ purchases: PurchaseContent...
    ) -> ReceiptContent {
        var content = ReceiptContent(purchases: purchases)
        content.creationDate = created
        return content
    }

    private static let trial = FindingTests.offer("101", original: "101")
    private static let paid = FindingTests.period("102", original: "101", from: "2024-05-10T00:00:00Z")
    private static let other = FindingTests.period("201", original: "201", product: "pro")

    /// Returns the customers: subject, receipts, number of purchases, and the verdict on the product "basic"
    /// with the receipts that it rests on.
    private static func customers(_ receipts: [(String?, ReceiptContent)]) throws -> [String] {
        let workplace = try Workplace()
        let lines = try receipts.enumerated().flatMap {
            try Forged.line("r\($0.offset)", $0.element.1, subject: $0.element.0)
        }
        let input = try workplace.write(lines, to: "in.ndjson")
        let output = workplace.file("out.sqlite")
        let audit = try Forged.audit([input], catalog: catalog)
        _ = try audit.database(output)
        #expect(try audit.replay(output, jobs: 1) { Issue.record("\($0)") }.holds)
        return try withDatabase(output) { database in
            #expect(try database.prepare("PRAGMA foreign_key_check").rows().isEmpty)
            return try database.prepare(
                """
                SELECT c.*, v.introductory_outcome, v.introductory_rule, v.introductory_caveats, v.receipts AS rests,
                    (SELECT group_concat(receipt_id) FROM customer_receipts WHERE customer_id = c.id) AS own
                FROM customers c JOIN subject_verdicts v ON v.customer_id = c.id WHERE v.product_id = 'basic'
                ORDER BY c.id
                """
            ).map { row in
                let caveats: String = try row["introductory_caveats"]
                return try
                    "\(row["subject"] as String? ?? "-") [\(row["own"] as String)] \(row["purchases"] as Int): "
                    + "\(row["introductory_outcome"] as String) \(row["introductory_rule"] as String)"
                    + (caveats.isEmpty ? "" : " (\(caveats))") + " by \(row["rests"] as String)"
            }
        }
    }

    /// Checks that a subject's receipts are merged. One of the two receipts alone shows no subscription.
    @Test func receiptsOfASubjectAreMerged() throws {
        let used = Self.content(Self.trial, Self.paid)
        #expect(
            try Self.customers([("a", Self.content()), ("b", Self.content()), ("a", used), ("a", used)]) == [
                "a [1,3,4] 2: ineligible offer-used by 3", "b [2] 0: eligible never-subscribed by 2",
            ])
    }

    @Test func appsAndEnvironmentsAreNotMixed() throws {
        var sandbox = Self.content(Self.trial)
        sandbox.receiptType = "ProductionSandbox"
        // The catalog's product must appear in this app, or no verdict on it is made.
        var elsewhere = Self.content(Self.paid)
        elsewhere.bundleID = "com.example.other"
        #expect(
            try Self.customers([("a", Self.content()), ("a", sandbox), ("a", elsewhere)]) == [
                "a [1] 0: eligible never-subscribed by 1", "a [3] 1: eligible lapsed by 3",
                "a [2] 1: ineligible offer-used by 2",
            ])
        // An unknown environment differs from every other one, even from another unknown one.
        var nowhere = Self.content()
        nowhere.receiptType = "Elsewhere"
        #expect(try Self.customers([("a", nowhere), ("a", nowhere)]).count == 2)
    }

    /// Checks that receipts 1 and 3 are linked through receipt 2, which shares one transaction with each.
    @Test func originalTransactionsLinkReceiptsWithoutSubjects() throws {
        #expect(
            try Self.customers([
                (nil, Self.content(Self.trial)), (nil, Self.content(Self.paid, Self.other)),
                (nil, Self.content(Self.other)), (nil, Self.content()), ("a", Self.content(Self.trial)),
            ]) == [
                "a [5] 1: ineligible offer-used by 5", "- [1,2,3] 3: ineligible offer-used by 1",
                "- [4] 0: eligible never-subscribed by 4",
            ])
    }

    /// Checks a chain of receipts in random order, in which neighbors share an original transaction.
    @Test func longChainsAreLinked() throws {
        var generator = SplitMix64(seed: 3)
        let receipts = (0..<40).map { number in
            Self.content(
                FindingTests.period("a\(number)", original: "\(number)"),
                FindingTests.period("b\(number)", original: "\(number + 1)"))
        }.shuffled(using: &generator)
        let found = try Self.customers(receipts.map { (nil, $0) })
        #expect(found.count == 1)
        // Equal periods of one subscription are one, as after a restore.
        #expect(found.first?.contains("41: ") == true)
    }

    /// Checks that the newest receipt decides, and that an offer once recorded as used stays used.
    @Test func newestReceiptTakesPrecedence() throws {
        var cancelled = Self.paid
        cancelled.cancellationDate = "2024-05-20T00:00:00Z"
        let newest = Self.content(created: "2024-08-01T00:00:00Z", cancelled)
        #expect(
            try Self.customers([("a", newest), ("a", Self.content(Self.paid))]) == [
                "a [1,2] 1: ineligible refunded by 1"
            ])
        var denied = Self.trial
        denied.isTrialPeriod = false
        #expect(
            try Self.customers([
                ("a", Self.content(Self.trial)), ("a", Self.content(created: "2024-08-01T00:00:00Z", denied)),
            ]) == ["a [1,2] 1: ineligible offer-used by 2"])
    }

    @Test func conflictingReceiptsOfOneDateAreReported() throws {
        var longer = Self.paid
        longer.expiresDate = "2024-07-01T00:00:00Z"
        #expect(
            try Self.customers([("a", Self.content(Self.paid)), ("a", Self.content(longer))]) == [
                "a [1,2] 1: eligible lapsed (renewal-possible,told-differently) by 2"
            ])
    }

    /// Changes to a purchase, each with the column and its resulting value.
    private static let purchaseChanges: [(String, String, @Sendable (inout PurchaseContent) -> Void)] = [
        ("expires_date", "2024-07-01T00:00:00Z", { $0.expiresDate = "2024-07-01T00:00:00Z" }),
        ("cancellation_date", "2024-05-20T00:00:00Z", { $0.cancellationDate = "2024-05-20T00:00:00Z" }),
        ("purchase_date", "2024-05-12T00:00:00Z", { $0.purchaseDate = "2024-05-12T00:00:00Z" }),
        ("is_trial_period", "1", { $0.isTrialPeriod = true }),
        ("is_in_intro_offer_period", "1", { $0.isInIntroOfferPeriod = true }),
        ("product_id", "a", { $0.productID = "a" }),
        ("original_transaction_id", "100", { $0.originalTransactionID = "100" }),
    ]

    /// Checks that the view of purchases and the verdicts choose the same of two conflicting receipts of one
    /// date, in any order.
    @Test(arguments: purchaseChanges)
    func orderOfRecordsDoesNotAffectPurchases(
        column: String, value: String, change: @Sendable (inout PurchaseContent) -> Void
    ) throws {
        let workplace = try Workplace()
        var changed = Self.paid
        change(&changed)
        let older = Self.content(created: "2024-06-14T00:00:00Z", FindingTests.period("102", product: "0"))
        let lines = try [Self.content(Self.paid), Self.content(changed), older].map {
            try Forged.line("r", $0, subject: "a")
        }
        for (name, lines) in [("one", lines), ("other", lines.reversed())] {
            let input = try workplace.write(lines.joined(), to: name)
            let output = workplace.file(name + ".sqlite")
            _ = try Forged.audit([input], format: .ndjson).database(output)
            try withDatabase(output) { database in
                let rows = try database.prepare(
                    "SELECT CAST(\(column) AS TEXT), receipts, told_at FROM purchases"
                ).rows()
                #expect(rows.map { $0[0] } == [value.value], "\(name)")
                #expect(rows.map { $0[1] } == [.integer(3)], "\(name)")
                #expect(rows.map { $0[2] } == ["2024-06-15T00:00:00Z".value])
            }
        }
    }

    /// Checks that the verdict uses the original text. The database replaces U+0000 by another character.
    @Test(arguments: ["b\u{2400}", "b\u{2400}0", "b\0", "b\u{2400}\0"])
    func verdictUsesTheOriginalText(product: String) throws {
        let workplace = try Workplace()
        let used = Self.content(FindingTests.offer("101", original: "101", product: product))
        let input = try workplace.write(try Forged.line("r1", used, subject: "a"), to: "in.ndjson")
        let name = product.replacing("\0", with: "\\u0000")
        let output = workplace.file("out.sqlite")
        _ = try Forged.audit([input], catalog: "{\"groups\": {\"main\": [\"\(name)\"]}}").database(output)
        try withDatabase(output) { database in
            let columns = "product_id, introductory_rule, state_product_id"
            let (one, other) = (
                try database.prepare("SELECT \(columns) FROM verdicts").rows(),
                try database.prepare("SELECT \(columns) FROM subject_verdicts").rows()
            )
            #expect(one == other)
            #expect(one.count == 1)
            #expect(try one.first?["introductory_rule"] == "offer-used")
        }
    }

    @Test func viewsAnswerWithDatesAsText() throws {
        let workplace = try Workplace()
        let second = FindingTests.offer("301", original: "301", from: "2024-05-20T00:00:00Z", product: "pro")
        let input = try workplace.write(
            try Forged.line("r1", Self.content(Self.trial, Self.paid), subject: "a")
                + Forged.line("r2", Self.content(second), subject: "a")
                + Forged.line("r3", Self.content(Self.other), subject: "b"), to: "in.ndjson")
        let output = workplace.file("out.sqlite")
        _ = try Forged.audit([input], catalog: Self.catalog).database(output)
        try withDatabase(output) { database in
            func rows(_ sql: String) throws -> [String] {
                try database.prepare(sql).map { $0.values.map(\.description).joined(separator: " ") }
            }
            #expect(
                try rows("SELECT subject, product_id, offer, purchase_date FROM offers_used ORDER BY 2") == [
                    #""a" "basic" "trial" "2024-05-01T00:00:00Z""#,
                    #""a" "pro" "trial" "2024-05-20T00:00:00Z""#,
                ])
            #expect(
                try rows("SELECT subject, periods, products FROM several_introductory_offers") == [
                    #""a" 2 2"#
                ])
            #expect(
                try rows("SELECT month, sum(trials) FROM trials_by_product_and_month GROUP BY 1") == [
                    #""2024-05" 2"#
                ])
            #expect(
                try rows(
                    """
                    SELECT subject, product_id FROM active_periods
                    WHERE active_from <= '2024-05-15T00:00:00Z' AND active_until > '2024-05-15T00:00:00Z' ORDER BY 1, 2
                    """) == [#""a" "basic""#, #""a" "basic""#, #""b" "pro""#])
            // No view shows a date as a number.
            for view: String in try database.prepare("SELECT name FROM sqlite_master WHERE type = 'view'")
                .values()
            {
                for row in try database.prepare("SELECT * FROM \(view)").rows() {
                    for (column, value) in zip(row.names, row.values) {
                        if case .integer(let number) = value {
                            #expect(number < 1_000_000, "\(view).\(column)")
                        }
                    }
                }
            }
        }
    }
}
