package import RecordSources
import SQLite
import StrictJSON
import SystemLibrary

/// The tables of an audit as CSV for people: a folder with one file each, for their owner alone.
package struct CSVExport {
    private let database: AuditDatabase

    init(of database: AuditDatabase) { self.database = database }

    /// The byte order mark. Without it, spreadsheets do not recognize UTF-8.
    static let start: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Creates the folder if it does not exist, and fails if the files cannot be written, before hours of
    /// work.
    /// - Throws: ``AuditError``.
    package static func requireWritable(in folder: String, isReplacing: Bool, isForced: Bool = false)
        throws(AuditError)
    {
        let file = InputFile(path: folder)
        if try !file.exists {
            guard unsafe mkdir(folder, 0o700) == 0 else {
                throw AuditError(creationMessage(folder, errno))
            }
        } else if try !file.isFolder {
            throw AuditError("\(folder): \(systemMessage(ENOTDIR))")
        }
        for name in tables.map(\.name) {
            let path = "\(folder)/\(name)"
            guard try InputFile(path: path).exists else { continue }
            let isOurs = isReplacing && (try? InputFile(path: path).start(start.count)) == start
            if !isOurs && !isForced { throw AuditError.exists(path) }
        }
        try UnfinishedFile.requireWritable(beside: "\(folder)/\(tables[0].name)", name: folder)
    }

    /// Writes all files, each under a temporary name and then renamed.
    /// - Throws: ``AuditError``.
    func write(to folder: String) throws {
        for (name, query) in Self.tables {
            try UnfinishedFile.write(to: "\(folder)/\(name)") { try write(query, to: $0) }
        }
    }

    private func write(_ query: String, to sink: LineSink) throws {
        try database.access { database in
            let statement = try database.prepare(query)
            var bytes = Self.start
            var names = statement.names
            // The last column of the receipts holds all kept columns.
            let kept = names.last == Self.kept ? try Self.keptColumns(database) : nil
            if let kept {
                names.removeLast()
                names += kept.map { names.contains($0.ifASCII) ? "kept_\($0)" : $0 }
            }
            Self.append(names.map { .text(Array($0.utf8)) }, to: &bytes)
            while var row = try statement.nextRow()?.values {
                if let kept { try Self.expand(&row, kept) }
                Self.append(row, to: &bytes)
                guard bytes.count >= 1 << 16 else { continue }
                try sink.write(bytes)
                bytes.removeAll(keepingCapacity: true)
            }
            try sink.write(bytes)
        }
    }

    /// The name of the column with the kept columns.
    private static let kept = "kept"
    /// The maximum number of kept columns in a file. All are in the database.
    private static let mostKept = 256

    /// Returns the names of the kept columns in alphabetical order.
    private static func keptColumns(_ database: Connection) throws -> [String] {
        let names: [String] = try database.prepare(
            """
            SELECT DISTINCT key FROM main.receipts, json_each(kept) WHERE kept IS NOT NULL LIMIT \(mostKept)
            """
        ).values()
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Replaces the last value, the kept columns as JSON, with a value for each of them.
    private static func expand(_ row: inout [Value], _ names: [String]) throws {
        guard case .text(let json)? = row.popLast() else {
            return row += repeatElement(.null, count: names.count)
        }
        let texts = try JSON.texts(String(decoding: json, as: UTF8.self))
        let kept = Dictionary(uniqueKeysWithValues: texts.map { (Array($0.name.utf8), $0.value) })
        row += names.map { name in kept[Array(name.utf8)].map { .text(Array($0.utf8)) } ?? .null }
    }

    static func append(_ row: [Value], to bytes: inout [UInt8]) {
        for (index, value) in row.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            switch value {
            case .null: break
            case .integer(let number): bytes += "\(number)".utf8
            case .real(let number): bytes += "\(number)".utf8
            case .text(let text), .blob(let text):
                CSVText.append(String(decoding: text, as: UTF8.self), to: &bytes)
            }
        }
        bytes += [0x0D, 0x0A]
    }

    // MARK: - Tables

    static let tables: [(name: String, query: String)] =
        [("receipts.csv", receipts)] + ContentTable.all.map { ($0.file, $0.query) }
        + [
            ("customers.csv", customers), ("subject_verdicts.csv", subjectVerdicts),
            ("verdicts.csv", verdicts),
            ("findings.csv", findings),
        ]

    static func date(_ column: String, as name: String) -> String {
        "strftime('%Y-%m-%dT%H:%M:%SZ', \(column) / 1000, 'unixepoch') AS \(name)"
    }

    /// The column with the authority that vouches for a record.
    private static let trust = """
        CASE r.realm WHEN 'app_store' THEN 'Apple' WHEN 'custom' THEN 'not Apple: a root of your own'
            WHEN 'storekit_test' THEN 'not Apple: StoreKit Test' END AS vouched_for_by
        """

    private static let receipts = """
        SELECT r.id AS number, r.source, r.place, r.record, r.subject,
            CASE WHEN r.refusal_code = 'unreadable' THEN 'unreadable' WHEN r.other_app IS NOT NULL THEN 'other app'
                ELSE r.status END AS status, r.wrapping, \(trust),
            r.refusal_code AS reason, r.refusal_message AS message, r.environment, r.bundle_id, r.application_version,
            \(date("r.created_at", as: "created")),
            CASE r.status WHEN 'genuine' THEN (SELECT count(*) FROM transactions WHERE receipt_id = r.id) END AS purchases,
            (SELECT count(DISTINCT finding_id) FROM finding_evidence WHERE receipt_id = r.id) AS findings,
            c.subject AS signed_by, r.revocation, r.sha256, r.content_sha256, r.kind, r.path,
            (SELECT customer_id FROM customer_receipts WHERE receipt_id = r.id) AS customer, r.other_app, r.kept AS kept
        FROM receipts r LEFT JOIN certificates c ON c.id = r.signer_id ORDER BY r.id
        """

    /// The customers. The receipts of each have the customer's number in their own column.
    private static let customers = """
        SELECT c.id AS number, c.subject, c.environment, c.bundle_id, \(trust), c.receipts, c.purchases,
            \(date("c.evidence_date", as: "evidence_date")), c.newest_receipt_id AS newest_receipt_number,
            r.record AS newest_record, c.linked_by, c.unjudged
        FROM customers c JOIN main.receipts r ON r.id = c.newest_receipt_id ORDER BY c.id
        """

    /// The final verdicts, over all receipts of a customer.
    private static let subjectVerdicts = """
        SELECT v.customer_id AS customer, c.subject, c.environment, c.bundle_id, \(trust), v.product_id,
            v.subscription_group, v.introductory_outcome, v.introductory_rule, v.introductory_certainty,
            v.introductory_caveats, v.promotional_outcome, v.promotional_rule, v.promotional_certainty,
            v.promotional_caveats, v.win_back_outcome, v.win_back_rule, v.win_back_certainty, v.win_back_caveats, v.state,
            v.state_product_id, \(date("v.state_since", as: "state_since")), \(date("v.state_until", as: "state_until")),
            \(date("c.evidence_date", as: "evidence_date")), '№ ' || replace(v.receipts, ',', ', № ') AS rests_on
        FROM subject_verdicts v JOIN customers c ON c.id = v.customer_id
        JOIN main.receipts r ON r.id = c.newest_receipt_id ORDER BY v.customer_id, v.product_id
        """

    /// The verdicts on each receipt alone, and next to them those on all receipts of its customer.
    private static let verdicts = """
        SELECT v.receipt_id AS receipt_number, r.record, r.subject, v.product_id, v.subscription_group,
            v.introductory_outcome, v.introductory_rule, v.introductory_certainty, v.introductory_caveats,
            v.promotional_outcome, v.promotional_rule, v.promotional_certainty,
            v.win_back_outcome, v.win_back_rule, v.win_back_certainty, v.state, v.state_product_id,
            \(date("v.state_since", as: "state_since")), \(date("v.state_until", as: "state_until")),
            a.customer_id AS customer, a.introductory_outcome AS customer_introductory_outcome,
            a.promotional_outcome AS customer_promotional_outcome, a.win_back_outcome AS customer_win_back_outcome
        FROM verdicts v JOIN receipts r ON r.id = v.receipt_id
        LEFT JOIN main.customer_receipts c ON c.receipt_id = v.receipt_id
        LEFT JOIN main.subject_verdicts a ON a.customer_id = c.customer_id AND a.product_id = v.product_id
        ORDER BY v.receipt_id, v.product_id
        """

    /// One row for each row that a finding rests on, followed by the skipped checks.
    private static let findings = """
        SELECT * FROM (
        SELECT i.id AS incident, f.severity, f.kind, i.summary AS incident_summary, f.id AS finding, f.summary,
            e.receipt_id AS receipt_number, r.record, r.subject, t.product_id, t.transaction_id,
            \(date("t.purchase_date", as: "bought")), c.subject AS certificate
        FROM findings f JOIN incident_findings n ON n.finding_id = f.id JOIN incidents i ON i.id = n.incident_id
        JOIN finding_evidence e ON e.finding_id = f.id LEFT JOIN main.receipts r ON r.id = e.receipt_id
        LEFT JOIN main.transactions t ON t.receipt_id = e.receipt_id AND t.position = e.position
        LEFT JOIN certificates c ON c.id = e.certificate_id
        UNION ALL
        SELECT NULL, 'not looked for', kind, title || ', because ' || reason, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
            NULL, NULL
        FROM not_looked_for)
        ORDER BY incident IS NULL, incident, finding, receipt_number, transaction_id
        """
}
