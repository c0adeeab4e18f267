import AppReceipt
import Foundation
import OfferEligibility
import ReceiptForge
import SQLite
import TestSupport
import Testing

@testable import ReceiptAudit

/// A catalog of several products with evidence of several apps.
struct ScopedCatalogTests {
    /// Returns a receipt of an app with one purchase.
    private static func receipt(_ app: String, _ product: String, _ id: String) -> ReceiptContent {
        var content = ReceiptContent(
            bundleID: app, purchases: [FindingTests.period(id, original: id, product: product)])
        content.creationDate = "2024-06-15T00:00:00Z"
        return content
    }

    private static let one = receipt("com.example.one", "basic", "101")
    private static let two = receipt("com.example.two", "pro", "201")

    /// Returns the products with verdicts for each customer and for each receipt, and the products that were
    /// not checked.
    private static func asked(
        _ receipts: [ReceiptContent], catalog: String
    ) throws -> (customers: [String], receipts: [String], unchecked: [String]) {
        let workplace = try Workplace()
        let lines = try receipts.enumerated().flatMap {
            try Forged.line("r\($0.offset)", $0.element, subject: "s\($0.offset)")
        }
        let input = try workplace.write(lines, to: "in.ndjson")
        let output = workplace.file("out.sqlite")
        let audit = try Forged.audit([input], catalog: catalog)
        _ = try audit.database(output)
        #expect(try audit.replay(output, jobs: 1) { Issue.record("\($0)") }.holds)
        return try withDatabase(output) { database in
            (
                try database.prepare(
                    """
                    SELECT c.bundle_id || ' ' || coalesce(v.product_id || ' ' || v.introductory_rule, c.unjudged)
                    FROM customers c LEFT JOIN subject_verdicts v ON v.customer_id = c.id
                    WHERE v.product_id IS NOT NULL OR c.unjudged IS NOT NULL ORDER BY c.id, v.product_id
                    """
                ).values(),
                try database.prepare(
                    """
                    SELECT r.bundle_id || ' ' || v.product_id FROM verdicts v JOIN receipts r ON r.id = v.receipt_id
                    ORDER BY r.id, v.product_id
                    """
                ).values(),
                try database.prepare(
                    "SELECT title FROM not_looked_for WHERE title LIKE 'Offers of %' ORDER BY id"
                ).values()
            )
        }
    }

    @Test func onlyAppsThatShowAProductAreEvaluated() throws {
        let found = try Self.asked(
            [Self.one, Self.two], catalog: #"{"groups": {"main": ["basic", "pro", "never", "no-one"]}}"#)
        #expect(found.customers == ["com.example.one basic lapsed", "com.example.two pro lapsed"])
        #expect(found.receipts == ["com.example.one basic", "com.example.two pro"])
        #expect(found.unchecked == ["Offers of 2 products: never, no-one"])
    }

    @Test func appWithoutProductsIsListed() throws {
        let found = try Self.asked([Self.one, Self.two], catalog: #"{"groups": {"main": ["basic"]}}"#)
        #expect(found.customers == ["com.example.one basic lapsed"])
        #expect(found.unchecked == ["Offers of 1 app: com.example.two"])
    }

    @Test func singleAppIsEvaluatedForEveryProduct() throws {
        let found = try Self.asked([Self.one], catalog: #"{"groups": {"main": ["basic"], "other": ["pro"]}}"#)
        #expect(found.customers == ["com.example.one basic lapsed", "com.example.one pro never-subscribed"])
        #expect(found.receipts == ["com.example.one basic", "com.example.one pro"])
        #expect(found.unchecked.isEmpty)
    }

    @Test func scopedCatalogEvaluatesEachAppsProducts() throws {
        let found = try Self.asked(
            [Self.one, Self.two, Self.receipt("com.example.three", "basic", "301")],
            catalog: """
                {"apps": {"com.example.one": {"groups": {"main": ["basic"], "second": ["pro"]}},
                  "com.example.two": {"groups": {"main": ["pro"]}}}}
                """)
        #expect(
            found.customers == [
                "com.example.one basic lapsed", "com.example.one pro never-subscribed",
                "com.example.two pro lapsed", "com.example.three the catalog does not list the app",
            ])
        #expect(found.receipts == ["com.example.one basic", "com.example.one pro", "com.example.two pro"])
        #expect(found.unchecked == ["Offers of 1 app: com.example.three"])
    }
}
