import AppReceipt
import Foundation
import ReceiptForge
import SQLite
import TestSupport
import Testing

@testable import ReceiptAudit
@testable import RecordSources

/// The content of a report, for receipts with any content.
struct ReportTests {
    let workplace: Workplace

    init() throws { workplace = try Workplace() }

    static let catalog = #"{"groups": {"main": ["basic", "pro"]}}"#

    /// Returns the report of an audit of lines.
    func report(
        _ lines: [[UInt8]], catalog: String? = catalog, limits: Report.Limits = Report.Limits(),
        name: String = "in.ndjson"
    ) throws -> String {
        let input = try workplace.write(lines.joined(), to: name)
        let output = workplace.file("\(UUID().uuidString).sqlite")
        _ = try Forged.audit([input], catalog: catalog).database(output)
        var text = ""
        try Report(of: AuditDatabase(path: output, isReadOnly: true), limits: limits).render { text += $0 }
        return text
    }

    static func story(_ subject: String = "anna") throws -> [UInt8] {
        let trial = FindingTests.offer("101", original: "101", from: "2024-05-01T00:00:00Z")
        var refunded = FindingTests.period(
            "102", original: "101", from: "2024-05-20T00:00:00Z", product: "pro")
        refunded.cancellationDate = "2024-05-22T00:00:00Z"
        return try Forged.line("first", FindingTests.content(trial, refunded), subject: subject)
    }

    @Test func reportStatesInputsAndResults() throws {
        let text = try report([
            try Self.story("anna"), try Self.story("bert"), Array(#"{"id":"x","receipt":"MAA="}"#.utf8), [10],
            Array("[]\n".utf8),
        ])
        for expected in [
            "<strong>4</strong> <span>records</span>",
            "<strong>2</strong> <span>genuine</span> <small>50.0 %</small>",
            "<strong>1</strong> <span>refused</span>", "<strong>1</strong> <span>unreadable</span>",
            "2026-01-01T00:00:00Z, as given", "What receipts do not show",
            "The subjects anna and bert share 1 receipt and 1 purchase</a>",
            "href=\"#incident-1\"", "id=\"incident-1\"",
            "<span class=\"reservation\">Genuine, but not Apple's.</span> 2 of 2 genuine receipts (2 under a root of your own) prove nothing",
            "Of 4 records, 1 is refused (1 malformed) and 1 is unreadable",
            "Skipped because no device was named (--device-id):",
            "shared-receipt:", "<bdi>bert</bdi>", "Checks without findings", "free trial", "paid, refunded",
            "ineligible: offer-used, proven", "unreadable: ", "href=\"#receipt-1\"",
        ] { #expect(text.contains(expected), "\(expected)") }
    }

    /// Checks that the report counts receipts without an environment or with an unknown one, and has their
    /// plot of months.
    @Test(arguments: [nil, "ProductionX"])
    func reportIncludesReceiptsWithoutAnEnvironment(type: String?) throws {
        var content = FindingTests.content(
            FindingTests.offer("101", original: "101", from: "2024-05-01T00:00:00Z"))
        content.receiptType = type
        let text = try report([try Forged.line("first", content, subject: "anna")])
        #expect(text.contains("<strong>1</strong> <span>genuine</span>"))
        #expect(text.contains("Genuine records by month of creation."))
    }

    @Test func theSameDatabaseGivesTheSameBytes() throws {
        let input = try workplace.write(try Forged.lines(60).joined(), to: "in.ndjson")
        let output = workplace.file("out.sqlite")
        _ = try Forged.audit([input], catalog: Self.catalog).database(output)
        for name in ["a.html", "b.html"] {
            try Report(of: AuditDatabase(path: output, isReadOnly: true)).write(to: workplace.file(name))
        }
        #expect(try workplace.read("a.html") == workplace.read("b.html"))
        #expect(try workplace.read("a.html").count > 10_000)
        #expect(throws: AuditError.self) {
            try ReportFile.requireWritable(at: workplace.file("a.html"), isReplacing: false)
        }
        #expect(!FileManager.default.fileExists(atPath: workplace.file("a.html.part")))
    }

    @Test func everyLimitIsStated() throws {
        var limits = Report.Limits()
        (limits.rows, limits.details, limits.incidentsOfAKind) = (4, 2, 1)
        (limits.findingsOfAnIncident, limits.evidenceOfAnIncident) = (1, 1)
        (limits.purchasesOfAReceipt, limits.verdictsOfAReceipt, limits.inputs) = (1, 1, 0)
        let lines = try (0..<3).flatMap { number in
            try ["a", "b"].map {
                // Each receipt belongs to a different pair of subjects.
                try Forged.line(
                    "r\(number)",
                    FindingTests.content(
                        FindingTests.offer("1\(number)", original: "1\(number)"),
                        FindingTests.period("2\(number)", original: "1\(number)")), subject: "\($0)\(number)")
            }
        }
        let text = try report(lines, limits: limits)
        for expected in [
            "4 of 6 records",
            "This page has 4 of 6 records, in input order. Those with findings were chosen first",
            "Details of 2 of 6 genuine receipts",
            "2 more of this kind are in the database: SELECT * FROM incidents WHERE kind = &#39;sharing&#39;",
            "1 more are in the database, in the table inputs",
            "and 1 more</code>", "more rows", "1 earlier ones are in the database",
            "1 more product in the database",
        ] { #expect(text.contains(expected), "\(expected)") }
        #expect(text.components(separatedBy: "<tr id=\"row-").count == 5)
        #expect(text.components(separatedBy: "<article ").count == 3)
    }

    /// Hostile texts. U+0D4E combines with the next character, and U+0301 with the previous one.
    static let hostile = [
        "<script>alert(1)</script>", "\" onload=\"alert(1)", "' onload='x",
        "\u{D4E}<script>alert(1)</script>",
        "\"\u{301} onload=x <\u{301}b>", "\u{1B}[2J\u{202E}\u{2066}\u{200B}b\u{FEFF}",
        "a\u{34F}\u{115F}\u{3164}\u{FE0F}\u{E0100}b",
        "a\u{0}b",
        "{{{style}}}{{#x}}{{/y}}", "</style></title>&lt;",
        "http://example.com/?src=url(x)", "a\r\nb\tc", String(repeating: "long", count: 250),
    ]

    /// Checks that long texts are shortened. An identifier of 150,000 escaped characters took too long, and
    /// fifty thousand of them made a page that no browser opens.
    @Test(arguments: ["&", "\u{202E}", "e\u{301}", "\u{1F600}"])
    func longTextsAreShortened(sign: String) throws {
        let long = String(repeating: sign, count: 150_000 / sign.unicodeScalars.count)
        #expect(HTMLScalars().escapeText(long).utf8.count >= 150_000)
        let record = Array(#"{"id":"\#(long)","subject":"\#(long)","receipt":"MAT7"}"#.utf8) + [0x0A]
        let page = try report([record, record])
        #expect(page.contains("… (150,000 characters)"))
        #expect(page.utf8.count < 150_000)
        #expect(ReportText.shown(String(repeating: "x", count: 1024)).count == 1024)
        #expect(ReportText.shown(String(repeating: "é", count: 1024)).count == 1024)
    }

    @Test(arguments: hostile)
    func hostileTextStaysText(text: String) throws {
        var purchase = FindingTests.offer("1" + text, original: "1" + text, product: text)
        purchase.promotionalOfferIdentifier = text
        var content = ReceiptContent(bundleID: text, purchases: [purchase])
        content.applicationVersion = text
        let receipt = Data(try Forged.receipt(content)).base64EncodedString()
        let encoder = JSONEncoder()
        let lines = try ["", " too"].map { suffix in
            try encoder.encode(["id": text + suffix, "subject": text + suffix, "receipt": receipt]) + [10]
        }
        let groups = try encoder.encode(["groups": [text: [text]]])
        let name = text.count < 60 ? text.filter { $0 != "/" && $0 != "\0" } + ".ndjson" : "in.ndjson"
        let page = try report(
            lines.map { Array($0) }, catalog: String(decoding: groups, as: UTF8.self), name: name)
        let harmless = try report([try Self.story("anna"), try Self.story("bert")])

        for sign in ["<script", "<style", "<title", "</style", "</title", "<img", " onload=\"", " onload=x>"]
        {
            #expect(
                page.components(separatedBy: sign).count == harmless.components(separatedBy: sign).count,
                "\(sign)")
        }
        // No quote, bracket or control character remains, whatever the text combines with.
        let written = HTMLScalars().escapeText(text)
        #expect(
            !written.unicodeScalars.contains {
                ["<", ">", "\"", "'", "\0", "\u{202E}", "\r", "\n"].contains($0)
            })
        // SQLite returns text up to its first NUL.
        let stored = HTMLScalars().escapeText(String(text.prefix { $0 != "\0" }))
        #expect(page.components(separatedBy: stored).count > 10)
        #expect(
            page.unicodeScalars.allSatisfy {
                $0 == "\n"
                    || !["Cc", "Cf"].contains($0.properties.generalCategory.short)
                        && !$0.properties.isDefaultIgnorableCodePoint
            })
    }

    @Test func reportHasNoExternalReferences() throws {
        let text = try report([try Self.story("anna"), try Self.story("bert")])
        for reference in ["http:", "https:", "//", "src=", "url(", "@import", "<link", "<iframe", "style=\""]
        where reference != "//" || text.replacing("// ", with: "").contains("//") {
            #expect(!text.contains(reference), "\(reference)")
        }
        #expect(text.contains("default-src &#39;none&#39;; style-src &#39;sha256-"))
        #expect(!text.contains("unsafe-inline"))
    }

    @Test func anUnfinishedRunHasNoReport() throws {
        let output = workplace.file("out.sqlite")
        _ = try Forged.audit([try workplace.write(try Self.story(), to: "in.ndjson")]).database(output)
        try Connection(path: output).execute("UPDATE runs SET ended_at = NULL")
        #expect(throws: AuditError("\(output): contains no finished audit run")) {
            try Report(of: AuditDatabase(path: output, isReadOnly: true)).write(to: workplace.file("r.html"))
        }
        #expect(!FileManager.default.fileExists(atPath: workplace.file("r.html")))
    }
}

extension Unicode.GeneralCategory {
    fileprivate var short: String {
        switch self {
        case .control: "Cc"
        case .format: "Cf"
        default: ""
        }
    }
}
