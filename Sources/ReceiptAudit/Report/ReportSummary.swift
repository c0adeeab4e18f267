import Foundation
import GRDB

/// What was audited, with what, and what came out.
struct ReportSummary {
    struct Figure {
        let label: String
        let count: String
        let share: String?
    }

    struct Entry {
        let term: String
        let values: [String]
    }

    struct Page {
        let style: String
        let policy: String
        let asked: String
        let version: String
        let figures: [Figure]
        let entries: [Entry]
        let hasVerdicts: Bool
    }

    let asOf: Int64
    private let figures: [Figure]
    private let entries: [Entry]
    private let version: String
    private let hasVerdicts: Bool

    init(_ database: Database) throws {
        guard let run = try Row.fetchOne(database, sql: "SELECT * FROM runs") else {
            throw AuditError("the database holds no run")
        }
        asOf = run["as_of"]
        version = run["tool_version"]
        hasVerdicts = run["catalog_sha256"] != nil
        let records: Int = run["records"]
        func figure(_ label: String, _ count: Int) -> Figure {
            Figure(label: label, count: ReportText.count(count), share: Self.share(count, of: records))
        }
        let findings = try Row.fetchAll(
            database, sql: "SELECT severity, count(*) AS findings FROM findings GROUP BY severity")
        let bySeverity = Dictionary(
            uniqueKeysWithValues: findings.map { ($0["severity"] as String, $0["findings"] as Int) })
        figures =
            [
                Figure(label: "records read", count: ReportText.count(records), share: nil),
                figure("genuine", run["genuine"]), figure("refused", run["refused"]),
                figure("unreadable", run["unreadable"]), figure("absent", run["absent"]),
            ]
            + ["alert", "warning", "note"].map {
                Figure(label: "\($0)s", count: ReportText.count(bySeverity[$0] ?? 0), share: nil)
            }
        entries = try Self.entries(run)
    }

    func page(_ templates: ReportTemplates) -> Page {
        Page(
            style: ReportTemplates.style, policy: templates.policy, asked: ReportText.date(asOf),
            version: version,
            figures: figures, entries: entries, hasVerdicts: hasVerdicts)
    }

    private static func entries(_ run: Row) throws -> [Entry] {
        var settings = try decode([String: String].self, run["settings"])
        let arguments = try decode([String].self, run["arguments"])
        let isClock: Bool = run["as_of_is_clock"]
        var entries = [
            Entry(
                term: "Sources",
                values: try decode([String].self, settings.removeValue(forKey: "sources") ?? "[]")
                    .map(ReportText.shown)),
            Entry(
                term: "As of",
                values: [
                    ReportText.date(run["as_of"]) + (isClock ? ", by this machine's clock" : ", as asked")
                ]),
            Entry(term: "Trust anchors, by SHA-256", values: try decode([String].self, run["anchors"])),
            Entry(
                term: "Catalogue, by SHA-256",
                values: [run["catalog_sha256"] ?? "none: no verdicts on offers"]),
            Entry(term: "Began", values: [ReportText.date(run["started_at"])]),
        ]
        if let ended = run["ended_at"] as Int64? {
            let duration = ReportText.duration(ended - run["started_at"])
            entries.append(Entry(term: "Ended", values: ["\(ReportText.date(ended)), after \(duration)"]))
        }
        var leftOut = LeftOut()
        leftOut.hidden = run["hidden"] ?? 0
        leftOut.filtered = run["filtered"] ?? 0
        leftOut.links = run["links"] ?? 0
        leftOut.blankLines = run["blank_lines"] ?? 0
        entries.append(Entry(term: "Left out of the sources", values: [leftOut.summary ?? "nothing"]))
        // What has an entry of its own is not told twice.
        for name in ["anchors", "catalog", "as-of"] { settings[name] = nil }
        let others = settings.sorted { $0.key < $1.key }.map { "\($0.key): \(ReportText.shown($0.value))" }
        entries.append(Entry(term: "Other settings", values: others))
        if !arguments.isEmpty {
            entries.append(
                Entry(
                    term: "Command",
                    values: [ReportText.shown("appreceipt " + arguments.joined(separator: " "))]))
        }
        return entries
    }

    private static func decode<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
        try JSONDecoder().decode(type, from: Data(text.utf8))
    }

    /// Rounded down to a tenth of a percent, so that 100 % means all.
    private static func share(_ part: Int, of whole: Int) -> String? {
        guard part > 0, whole > 0 else { return nil }
        let thousandths = part * 1000 / whole
        return thousandths == 0 ? "< 0.1 %" : "\(thousandths / 10).\(thousandths % 10) %"
    }
}
