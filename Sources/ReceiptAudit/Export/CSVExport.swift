import GRDB

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The tables of an audit as CSV for people: a folder with a file each, for their owner alone.
package struct CSVExport {
    private let database: AuditDatabase

    init(of database: AuditDatabase) { self.database = database }

    /// A byte order mark: without one, spreadsheets do not read UTF-8.
    private static let start: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Makes the folder where there is none, and fails before hours of work where the files could not be written after
    /// them.
    /// - Throws: ``AuditError``.
    package static func requireRoom(in folder: String, isReplacing: Bool) throws(AuditError) {
        let file = InputFile(path: folder)
        if try !file.exists {
            guard unsafe mkdir(folder, 0o700) == 0 else {
                throw AuditError("\(folder): \(systemMessage(errno))")
            }
        } else if try !file.isFolder {
            throw AuditError("\(folder): \(systemMessage(ENOTDIR))")
        }
        for name in tables.map(\.name) {
            let path = "\(folder)/\(name)"
            guard try InputFile(path: path).exists else { continue }
            let isOurs = isReplacing && (try? InputFile(path: path).start(start.count)) == start
            if !isOurs { throw AuditError("\(path): it exists already") }
        }
        try UnfinishedFile.requireRoom(beside: "\(folder)/\(tables[0].name)", name: folder)
    }

    /// Writes all files, each beside its name and renamed when it is whole.
    /// - Throws: ``AuditError``.
    func write(to folder: String) throws {
        for (name, query) in Self.tables {
            try UnfinishedFile.write(to: "\(folder)/\(name)") { try write(query, to: $0) }
        }
    }

    private func write(_ query: String, to sink: LineSink) throws {
        try database.access { database in
            let statement = try database.makeStatement(sql: query)
            defer { StoredValue.reset(statement) }
            var bytes = Self.start
            Self.append(statement.columnNames.map { .text(Array($0.utf8)) }, to: &bytes)
            while let row = try StoredValue.next(statement) {
                Self.append(row, to: &bytes)
                guard bytes.count >= 1 << 16 else { continue }
                try sink.write(bytes)
                bytes.removeAll(keepingCapacity: true)
            }
            try sink.write(bytes)
        }
    }

    private static func append(_ row: [StoredValue], to bytes: inout [UInt8]) {
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

    static let tables = [
        ("receipts.csv", receipts), ("purchases.csv", purchases), ("renewals.csv", renewals),
        ("customers.csv", customers), ("subject_verdicts.csv", subjectVerdicts), ("verdicts.csv", verdicts),
        ("findings.csv", findings),
    ].map { (name: $0.0, query: $0.1) }

    private static func date(_ column: String, as name: String) -> String {
        "strftime('%Y-%m-%dT%H:%M:%SZ', \(column) / 1000, 'unixepoch') AS \(name)"
    }

    private static func flag(_ column: String) -> String {
        "CASE \(column) WHEN 1 THEN 'yes' WHEN 0 THEN 'no' END AS \(column)"
    }

    /// Whose word it is.
    private static let trust = """
        CASE r.realm WHEN 'app_store' THEN 'Apple' WHEN 'custom' THEN 'not Apple: a root of your own'
            WHEN 'storekit_test' THEN 'not Apple: StoreKit Test' END AS vouched_for_by
        """

    private static let receipts = """
        SELECT r.id AS number, r.source, r.place, r.record, r.subject,
            CASE r.refusal_code WHEN 'unreadable' THEN 'unreadable' ELSE r.status END AS status, r.wrapping, \(trust),
            r.refusal_code AS reason, r.refusal_message AS message, r.environment, r.bundle_id, r.application_version,
            \(date("r.created_at", as: "created")),
            CASE r.status WHEN 'genuine' THEN (SELECT count(*) FROM transactions WHERE receipt_id = r.id) END AS purchases,
            (SELECT count(DISTINCT finding_id) FROM finding_evidence WHERE receipt_id = r.id) AS findings,
            c.subject AS signed_by, r.sha256, r.content_sha256, r.kind, r.path,
            (SELECT customer_id FROM customer_receipts WHERE receipt_id = r.id) AS customer
        FROM receipts r LEFT JOIN certificates c ON c.id = r.signer_id ORDER BY r.id
        """

    private static let purchases = """
        SELECT t.receipt_id AS receipt_number, r.record, r.subject, r.environment, r.bundle_id, t.product_id, t.product_type,
            t.subscription_group, t.quantity, t.transaction_id, t.original_transaction_id,
            \(date("t.purchase_date", as: "bought")), \(date("t.original_purchase_date", as: "first_bought")),
            \(date("t.expires_date", as: "expires")), \(date("t.cancellation_date", as: "cancelled")),
            t.cancellation_reason, \(flag("is_trial_period")), \(flag("is_in_intro_offer_period")),
            t.promotional_offer_identifier, t.web_order_line_item_id, r.kind AS told_by, t.subscription_group_identifier,
            t.ownership_type, \(flag("is_upgraded")), t.offer_type, t.offer_identifier, t.offer_discount_type, t.storefront,
            t.price AS price_in_thousandths, t.currency, t.app_account_token, t.revocation_reason
        FROM transactions t JOIN receipts r ON r.id = t.receipt_id ORDER BY t.receipt_id, t.position
        """

    private static let renewals = """
        SELECT w.receipt_id AS receipt_number, r.record, r.subject, r.environment, r.bundle_id, w.original_transaction_id,
            w.product_id, w.auto_renew_product_id, w.auto_renew_status, w.expiration_intent,
            \(flag("is_in_billing_retry_period")), \(date("w.grace_period_expires_date", as: "grace_period_ends")),
            \(date("w.renewal_date", as: "renews")), w.offer_type, w.offer_identifier,
            w.renewal_price AS renewal_price_in_thousandths, w.currency, w.eligible_win_back_offer_ids,
            \(date("r.created_at", as: "signed"))
        FROM renewals w JOIN receipts r ON r.id = w.receipt_id ORDER BY w.receipt_id
        """

    /// The receipts of each have its number in their column.
    private static let customers = """
        SELECT c.id AS number, c.subject, c.environment, c.bundle_id, \(trust), c.receipts, c.purchases,
            \(date("c.evidence_date", as: "evidence_date")), c.newest_receipt_id AS newest_receipt_number,
            r.record AS newest_record, c.linked_by, c.unjudged
        FROM customers c JOIN main.receipts r ON r.id = c.newest_receipt_id ORDER BY c.id
        """

    /// The answer that counts: over all receipts of a customer.
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

    /// The answer of a receipt by itself, and beside it what all receipts of its customer say.
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

    /// A row for each row that a finding rests on; beside them, what was not looked for.
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
