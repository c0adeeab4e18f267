import AppReceipt
import OfferEligibility
import Testing

@testable import ReceiptCommands

/// The report for people of `appreceipt eligibility`.
struct EligibilityReportTests {
    static func verdicts(_ purchases: String, products: [String] = ["basic"], asOf: String) throws
        -> [ProductVerdict]
    {
        let catalog = try SubscriptionCatalog(
            parsing: #"{"groups": {"main": ["basic"], "news": ["weekly"]}}"#.utf8)
        let asOf = try #require(Timestamp(rfc3339: asOf))
        return OfferRules(catalog: catalog).verdicts(
            for: products, in: try PurchaseHistory(trusting: "[\(purchases)]".utf8), asOf: .date(asOf))
    }

    static func period(_ from: String, _ to: String, _ more: String = "") -> String {
        """
        {"product_id": "basic", "transaction_id": "7", "purchase_date": "\(from)T00:00:00Z",
         "expires_date": "\(to)T00:00:00Z"\(more)}
        """
    }

    @Test func timelineShowsEveryKind() throws {
        let purchases = [
            Self.period("2026-01-01", "2026-01-08", #", "is_trial_period": "true""#),
            Self.period("2026-01-08", "2026-02-08", #", "is_in_intro_offer_period": "true""#),
            Self.period("2026-02-08", "2026-03-08"),
            Self.period("2026-04-08", "2026-05-08", #", "cancellation_date": "2026-05-01T00:00:00Z""#),
        ].joined(separator: ", ")
        let verdicts = try Self.verdicts(purchases, asOf: "2026-06-02T00:00:00Z")
        let dashes = String(repeating: " ", count: 56)
        #expect(
            Timeline(verdicts[0]).lines == [
                "2026-01-01\(dashes)2026-06-02",
                "TTTTIIIIIIIIIIIIIII==============...............xxxxxxxxxxxx................",
                String(repeating: " ", count: 75) + "^",
                "T trial  I intro  = paid  x refunded  . gap  ^ as of 2026-06-02T00:00:00Z",
            ])
    }

    @Test func veryLongPeriodDoesNotShrinkTheOthers() throws {
        let purchases =
            Self.period("2026-01-01", "2026-02-01", #", "is_trial_period": "true""#) + ", "
            + Self.period("2026-03-01", "4001-01-01")
        let lines = Timeline(try Self.verdicts(purchases, asOf: "2026-06-01T00:00:00Z")[0]).lines
        #expect(lines[1].hasPrefix("TTTTTTTT"))
        #expect(lines[1].hasSuffix("=>"))
        #expect(lines[2].firstIndex(of: "^") == lines[2].index(lines[2].startIndex, offsetBy: 38))
    }

    @Test func reservationsPrecedeTheVerdicts() throws {
        let verdicts = try Self.verdicts("", asOf: "2026-06-01T00:00:00Z")
        let text = EligibilityReport(verdicts, of: ["a.der"], reservations: ["environment: Sandbox"]).text
        #expect(text.hasPrefix("a.der, as of 2026-06-01T00:00:00Z\n  (environment: Sandbox)\n\n"))
    }

    @Test func noPurchasesNoTimeline() throws {
        #expect(Timeline(try Self.verdicts("", asOf: "2026-06-01T00:00:00Z")[0]).lines.isEmpty)
    }

    // Checks that no identifier can control the terminal or exceed the 80 columns.
    @Test func hostileText() throws {
        let long = String(repeating: "com.example.", count: 20)
        let hostile = "\u{1b}[2J\u{202e}evil\nline"
        let verdicts = try Self.verdicts(
            #"{"product_id": "basic", "transaction_id": "\u001b[31m\#(long)", "expires_date_ms": 1}"#,
            products: ["basic", long, hostile], asOf: "2026-06-01T00:00:00Z")
        let text = EligibilityReport(verdicts, of: [hostile]).text
        #expect(!text.unicodeScalars.contains { $0 != "\n" && ($0.value < 0x20 || $0 == "\u{202e}") })
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 })
        #expect(text.contains(#"\u{1b}[2J\u{202e}evil\u{a}line"#))
    }

    /// Checks that the report shortens long texts and states their length. A full text took minutes and
    /// filled the screen.
    @Test(arguments: ["x", "e\u{301}", "\u{301}", "\u{7}", "\u{4e00}", "a "])
    func longTextsAreShortened(sign: String) throws {
        let long = String(repeating: sign, count: 400_000)
        let verdicts = try Self.verdicts(
            Self.period("2026-01-01", "2026-02-01"), products: [long], asOf: "2026-06-01T00:00:00Z")
        let text = EligibilityReport(verdicts, of: [long], reservations: [long]).text
        #expect(text.unicodeScalars.contains("…"))
        #expect(text.contains("00000"))
        #expect(text.utf8.count < 40_000)
        #expect(long.shown.unicodeScalars.count <= 400)
        #expect(long.shortened(to: 60).unicodeScalars.count <= 60)
        // Wrapping loses no characters, and a line has at most its columns plus combining marks.
        let lines = wrapped(long)
        #expect(
            lines.joined().unicodeScalars.count { $0 != " " }
                == long.printable.unicodeScalars.count { $0 != " " })
        #expect(lines.allSatisfy { $0.columns <= 80 && $0.unicodeScalars.count <= 161 })
    }

    @Test func textIsWrappedAtEightyColumns() {
        for line in wrapped(String(repeating: "word ", count: 200), indent: 6) { #expect(line.count <= 80) }
        #expect(wrapped("") == [""])
    }
}
