import Foundation
import ReceiptForge
import SQLite
import TestSupport
import Testing

@testable import ReceiptAudit

/// The order of the report, and the numbers and plots of each app.
struct ReportPageTests {
    let workplace: Workplace

    init() throws { workplace = try Workplace() }

    private func database(_ lines: [[UInt8]]) throws -> AuditDatabase {
        let input = try workplace.write(lines.joined(), to: "in.ndjson")
        let output = workplace.file("\(UUID().uuidString).sqlite")
        _ = try Forged.audit([input], catalog: ReportTests.catalog).database(output)
        return try AuditDatabase(path: output, isReadOnly: true)
    }

    private func report(_ lines: [[UInt8]], limits: Report.Limits = Report.Limits()) throws -> String {
        var text = ""
        try Report(of: database(lines), limits: limits).render { text += $0 }
        return text
    }

    private static func content(
        app: String = "com.example.forge", created date: String = "2024-06-15T00:00:00Z",
        _ purchases: PurchaseContent...
    ) -> ReceiptContent {
        var content = ReceiptContent(bundleID: app, purchases: purchases)
        content.creationDate = date
        return content
    }

    // MARK: - Findings

    /// Returns two trials of each of three subjects, and one receipt that five subjects present.
    private static func shared() throws -> [[UInt8]] {
        let twice = try (0..<3).map { number in
            try Forged.line(
                "twice-\(number)",
                content(
                    FindingTests.offer("\(number)1", original: "\(number)1", from: "2024-01-01T00:00:00Z"),
                    FindingTests.offer("\(number)2", original: "\(number)2")), subject: "twice-\(number)")
        }
        let pair = try ["x", "y"].map { (subject: String) in
            try Forged.line(
                "pair-\(subject)", content(FindingTests.period("800", original: "800")), subject: subject)
        }
        let popular = try (0..<5).map {
            try Forged.line(
                "popular-\($0)", content(FindingTests.period("900", original: "900")), subject: "copy-\($0)")
        }
        return twice + pair + popular
    }

    @Test func kindsAndCasesThatConcernTheMostAccountsComeFirst() throws {
        try database(Self.shared()).access { database in
            let limits = Report.Limits()
            let found = try ReportFindings(database, limits, ShownReceipts(database, limits))
            #expect(found.kinds.map(\.id) == ["sharing", "several-introductory-offers"])
            #expect(found.kinds.map(\.accounts) == ["7", "3"])
            #expect(found.accounts == 10)
            #expect(found.kinds[0].worst.map(\.concerned) == ["5 accounts", "2 accounts"])
            #expect(found.kinds[0].incidents.map(\.id) == found.kinds[0].worst.map(\.id))
            #expect(found.kinds[1].worst.count == 3)
            #expect(found.kinds[1].worst.allSatisfy { $0.concerned == nil })
        }
    }

    @Test func pageStartsWithTheVerdict() throws {
        let text = try report(
            try Self.shared() + [
                Array(#"{"id":"x","receipt":"MAA="}"#.utf8), [10], Array(#"{"id":"y","receipt":null}"#.utf8),
            ])
        let verdict = try #require(
            text.range(of: "<p class=\"verdict\">Of 12 records, 10 are genuine, 1 is not and"))
        #expect(
            text[verdict.upperBound...].hasPrefix(
                " 1 holds no receipt; findings concern 10 accounts, 7 of them under “Receipts or purchases of "
                    + "several subjects”.</p>"))
        let figures = try #require(text.range(of: "<strong>12</strong> <span>records</span>"))
        let kinds = try #require(text.range(of: "id=\"kinds\""))
        #expect(verdict.upperBound < figures.lowerBound)
        #expect(figures.upperBound < kinds.lowerBound)
        #expect(text.contains("<strong>10</strong> <span>customers</span>"))
        #expect(text.contains("Of 12 records, 1 is refused (1 malformed). Findings do not cover them"))
        #expect(text.contains("<strong>10</strong> <span>not Apple&#39;s</span>"))
    }

    @Test func pageWithoutFindingsSaysSo() throws {
        let text = try report([try Forged.line("r", Self.content(), subject: "a")])
        #expect(text.contains("Of 1 record, 1 is genuine and 0 are not; no check found anything."))
    }

    // MARK: - Apps

    private static func apps() throws -> [[UInt8]] {
        var refunded = FindingTests.period("301", original: "301", from: "2024-05-03T00:00:00Z")
        refunded.cancellationDate = "2024-05-10T00:00:00Z"
        return try [
            Forged.line(
                "a", content(app: "com.example.one", FindingTests.offer("101", original: "101")), subject: "a"
            ),
            Forged.line(
                "b",
                content(
                    app: "com.example.one", created: "2024-03-15T00:00:00Z",
                    FindingTests.period("201", original: "201", from: "2024-03-01T00:00:00Z")), subject: "b"),
            Forged.line("c", content(app: "com.example.two", refunded), subject: "a"),
        ]
    }

    /// Checks that each app has a section with its own numbers, which are those of the questions.
    @Test func eachAppHasItsOwnNumbers() throws {
        try database(Self.apps()).access { database in
            let report = try ReportApps(database, Report.Limits(), asOf: 1_767_225_600_000)
            #expect(report.hasSeveral)
            #expect(report.apps.map(\.name) == ["com.example.one", "com.example.two"])
            #expect(
                report.apps.map { $0.figures.map(\.count) }.map { Array($0.prefix(5)) } == [
                    // Records, customers, active, refunds, offers.
                    ["2", "2", "0", "0", "1"], ["1", "1", "0", "1", "0"],
                ])
            for (number, app) in report.apps.enumerated() {
                var scope = QuestionScope()
                scope.app = app.name
                let answers = try ["customers", "active", "refunds", "offers-used"].map {
                    try QuestionAnswer(#require(AuditQuestion.named($0)), scope, of: database).number
                }
                #expect(answers.map(ReportText.count) == report.lines[number].numbers[1...4].map(\.self))
            }
            #expect(report.apps[0].offers.title == "1 offer used, most for basic (1)")
            #expect(report.apps[1].offers.title == "No offers used")
        }
    }

    @Test func severalAppsHaveASelector() throws {
        let several = try report(Self.apps())
        #expect(several.contains("<option value=\"app-2\">com.example.two</option>"))
        #expect(several.components(separatedBy: "<section class=\"app\"").count == 3)
        let one = try report([try Self.apps()[0]])
        #expect(!one.contains("id=\"choice\""))
        #expect(!one.contains("id=\"overview\""))
        #expect(one.components(separatedBy: "<section class=\"app\"").count == 2)
    }

    @Test func appsBeyondTheLimitAreInTheOverview() throws {
        var limits = Report.Limits()
        limits.apps = 1
        let text = try report(Self.apps(), limits: limits)
        #expect(text.contains("1 of 2 apps have a section"))
        #expect(text.components(separatedBy: "<section class=\"app\"").count == 2)
        #expect(text.contains("<th scope=\"row\">com.example.two"))
    }

    // MARK: - Plots

    @Test func emptyMonthsAreColumns() throws {
        try database(Self.apps()).access { database in
            let app = try #require(ReportApps(database, Report.Limits(), asOf: 1_767_225_600_000).apps.first)
            #expect(app.plots.map(\.id) == ["app-1-receipts", "app-1-active", "app-1-refunds", "app-1-eras"])
            #expect(app.plots[0].title == "2 genuine records: most in 2024-03 (1), none in 2 months")
            #expect(app.plots[0].lines.map(\.label) == ["2024-03", "2024-04", "2024-05", "2024-06"])
            #expect(app.plots[0].lines.map(\.cells) == [["1"], ["0"], ["0"], ["1"]])
            // The periods end with the first instant of June.
            #expect(app.plots[1].lines.map(\.cells) == [["1"], ["1"], ["2"], ["0"]])
            #expect(app.plots[2].title == "No refunds")
            #expect(app.plots[3].lines[0].cells == ["0", "1 (100.0 %)", "0"])
            #expect(app.plots[3].columns[1].parts.isEmpty)
        }
    }

    /// Checks the columns of ranges of months.
    @Test(arguments: [
        (0, 1, 1, 2, "0000-01"), (24_290, 24_300, 1, 11, "2024-03"),
        // Sixty months are columns of months, more are quarters or years.
        (24_240, 24_299, 1, 60, "2020-01"), (24_240, 24_300, 3, 21, "2020 Q1"),
        (24_000, 24_300, 12, 26, "2000"),
        // Of two thousand years, the last sixty.
        (0, 24_300, 12, 60, "1966"),
    ])
    func columnsGetWider(first: Int, last: Int, width: Int, count: Int, label: String) {
        let months = ReportMonths(from: first, through: last, limit: 60)
        #expect(months.width == width)
        #expect(months.count == count)
        #expect(months.label(0) == label)
        let (values, rest) = months.sums([first: [1], last: [2]], of: 1)
        #expect(values.map { $0.figures[0] }.reduce(rest, +) == 3)
        #expect(values.last?.figures[0] ?? 0 >= 2)
        #expect(months.totals([first: 1]).allSatisfy { $0.figures[0] >= 0 })
    }

    @Test(arguments: [
        ("2024-05-01T00:00:00Z", 24_292), ("2024-05-01T00:00:01Z", 24_293), ("2024-05-31T23:59:59Z", 24_293),
        ("-471-05-01T00:00:00Z", nil), ("", nil), ("2024", nil),
    ])
    func firstMonthNotBeforeADate(date: String, month: Int?) {
        #expect(ReportMonths.start(notBefore: date) == month)
    }

    /// Checks that a plot's columns stay inside the drawing, for any figures.
    @Test(arguments: [0, 1, 5, 6, 999, 1_000_000, Int(Int32.max)])
    func columnsStayInTheDrawing(largest: Int) {
        for isShare in [false, true] {
            let plot = ReportPlot(
                "p", "P", unit: "records", definition: "", series: ["a", "b"], isShare: isShare,
                values: [("2024-01", [largest, largest / 3]), ("2024-02", [0, 0]), ("2024-03", [1, 0])])
            #expect(plot.rows.count <= 7)
            #expect(plot.rows.allSatisfy { (240...1_980).contains($0.place) })
            for column in plot.columns {
                #expect(column.start >= plot.left)
                #expect(column.start + column.width <= 4_740)
                for part in column.parts {
                    #expect(part.top >= 200)
                    #expect(part.top + part.height <= 1_980)
                    #expect(part.height > 0)
                }
            }
            #expect(plot.columns[1].parts.isEmpty)
        }
    }
}
