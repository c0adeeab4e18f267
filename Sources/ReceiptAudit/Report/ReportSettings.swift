import RecordSources
import SQLite
import StrictJSON

/// The inputs and settings of the audit, which another run needs to get the same result.
struct ReportSettings {
    struct Entry {
        let term: String
        let values: [String]
    }

    struct Input {
        let name: String
        let bytes: String
        let sha256: String
    }

    let revocation: [Entry]
    let entries: [Entry]
    let inputs: [Input]
    let moreInputs: String?
    let hasVerdicts: Bool
    let script = ReportRenderer.script

    init(_ database: Connection, _ run: Row, _ limits: Report.Limits) throws {
        hasVerdicts = try run["catalog_sha256"] as String? != nil
        revocation = try Self.revocation(run, database)
        entries = try Self.entries(run)
        inputs = try database.prepare(
            "SELECT source, path, bytes, sha256 FROM inputs ORDER BY path IS NOT NULL, id LIMIT ?",
            limits.inputs
        ).map { row in
            let source = try row["source"] == "-" ? "standard input" : row.text("source") ?? ""
            return try Input(
                name: row.text("path").map { "\(source): \($0)" } ?? source,
                bytes: ReportText.count(row["bytes"]), sha256: row["sha256"])
        }
        let count = try database.prepare("SELECT count(*) FROM inputs").firstValue() ?? 0
        let left = count - inputs.count
        moreInputs =
            left > 0 ? "\(ReportText.count(left)) more are in the database, in the table inputs." : nil
    }

    /// Returns what was checked for revocation, with which lists and results.
    private static func revocation(_ run: Row, _ database: Connection) throws -> [Entry] {
        let settings = try StoredJSON.settings(run["settings"])
        let meanings = [
            "check": "check: revoked and distrusted certificates are refused",
            "require": "require: certificates whose status no list shows are refused, too",
        ]
        guard let policy = settings["revocation"].flatMap({ meanings[$0] }) else {
            return [Entry(term: "Policy", values: ["off: revocation was not checked (--crl, --distrust)"])]
        }
        let lists = try database.prepare(
            "SELECT sha256, issuer, issued_at, next_update, entries, unused_because FROM revocation_lists ORDER BY id LIMIT 200"
        ).map { row -> (text: String, fault: String?) in
            let next = try (row["next_update"] as Int64?).map { ", next \(ReportText.date($0))" } ?? ""
            let text = try """
            \(row.text("issuer") ?? ""), issued \(ReportText.date(row["issued_at"]))\(next), \
            \(ReportText.count(row["entries"], "entry", "entries")), SHA-256 \(row["sha256"] as String)
            """
            return (text, try row.text("unused_because"))
        }
        let unused = lists.compactMap { list in list.fault.map { "\(list.text): \($0)" } }
        let distrust = settings["distrust"].flatMap { $0 == "none" ? nil : "SHA-256 \($0)" }
        return [
            Entry(term: "Policy", values: [policy]),
            Entry(term: "Records", values: [try RevocationCounts(of: database).text]),
            Entry(
                term: "Revocation lists",
                values: lists.isEmpty ? ["none"] : lists.filter { $0.fault == nil }.map(\.text)),
            Entry(term: "Distrust list", values: [distrust.map(ReportText.shown) ?? "none"]),
        ] + (unused.isEmpty ? [] : [Entry(term: "Lists that could not be used", values: unused)])
    }

    private static func entries(_ run: Row) throws -> [Entry] {
        var settings = try StoredJSON.settings(run["settings"])
        let arguments = try StoredJSON.decode([String].self, run["arguments"])
        let isClock: Bool = try run["as_of_is_clock"]
        let anchors = try AuditAnchor.list(run["anchors"]).map {
            "\($0.name)\($0.realm == "app_store" ? "" : " (\($0.subject))"), SHA-256 \($0.sha256)"
        }
        var entries = [
            Entry(
                term: "Sources",
                values: try StoredJSON.decode([String].self, settings.removeValue(forKey: "sources") ?? "[]")
                    .map(ReportText.shown)),
            Entry(
                term: "As of",
                values: [
                    ReportText.date(try run["as_of"])
                        + (isClock ? ", from the machine's clock" : ", as given")
                ]),
            Entry(term: "Trusted roots", values: anchors.map(ReportText.shown)),
            Entry(
                term: "Catalog, SHA-256",
                values: [try run["catalog_sha256"] ?? "none, so no verdicts on offers"]),
            Entry(term: "Started", values: [ReportText.date(try run["started_at"])]),
        ]
        if let ended = try run["ended_at"] as Int64? {
            let duration = ReportText.duration(ended - (try run["started_at"]))
            entries.append(Entry(term: "Ended", values: ["\(ReportText.date(ended)), after \(duration)"]))
        }
        entries.append(
            Entry(term: "Merkle root of the audit (RFC 6962)", values: [try run["root"] ?? "not finished"]))
        entries.append(
            Entry(term: "Skipped in the sources", values: [try LeftOut(of: run).summary ?? "nothing"]))
        // Settings that have their own entry are not repeated.
        for name in ["anchors", "catalog", "as-of", "crl", "distrust", "revocation"] { settings[name] = nil }
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
}

extension AuditAnchor {
    /// Decodes the trust anchors of the run's row.
    static func list(_ json: String) throws -> [AuditAnchor] {
        try StoredJSON.decode([AuditAnchor].self, json)
    }
}
