import SQLite

struct ReportTable {
    struct ReceiptLine {
        let id: Int64
        let anchor: String?
        let name: String
        let account: String?
        let status: String
        let reservation: String?
        let reason: String?
        let environment: String?
        let bundle: String?
        let created: String?
        let purchases: String
        /// The number of findings, or nil if there are none.
        let findings: Int?
        let kept: [String]
    }

    let lines: [ReceiptLine]
    let caption: String
    let omitted: String?
    let detailCaption: String
    let refusals: ReportChart

    init(_ database: Connection, _ limits: Report.Limits, _ shown: ShownReceipts) throws {
        let statement = try database.cachedStatement(
            """
            SELECT r.*, (SELECT count(*) FROM transactions WHERE receipt_id = r.id) AS purchases,
                (SELECT count(DISTINCT finding_id) FROM finding_evidence WHERE receipt_id = r.id) AS findings
            FROM receipts r WHERE id = ?
            """)
        lines = try shown.listed.compactMap { id in
            try statement.bind(id).firstRow().map { try Self.line($0, id, shown) }
        }
        caption = "\(ReportText.count(lines.count)) of \(ReportText.count(shown.records, "record"))"
        refusals = try .refusals(database, limits)
        let left = shown.records - lines.count
        omitted =
            left > 0
            ? """
            This page has \(ReportText.count(lines.count)) of \(ReportText.count(shown.records, "record")), in input order. \
            Those with findings were chosen first, then refused ones. The search covers these rows only. receipts.csv of \
            --csv and the table receipts of the --output database have all.
            """ : nil
        let details = ReportText.count(shown.detailed.count)
        detailCaption =
            shown.detailed.count < shown.genuine
            ? """
            Details of \(details) of \(ReportText.count(shown.genuine)) genuine receipts: those with findings first, then \
            those with subscriptions. The tables receipts, transactions and verdicts of the database have all.
            """ : "Details of all \(ReportText.count(shown.genuine, "genuine receipt"))."
    }

    /// Returns the kept columns as words, which the page's filter finds.
    private static func kept(_ row: Row) throws -> [String] {
        guard let json = try row["kept"] as String? else { return [] }
        let texts = try StoredJSON.texts(json).sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        return texts.prefix(mostKept).map { "\(ReportText.shown($0)): \(ReportText.shown($1))" }
    }

    /// The maximum number of kept columns that the report shows.
    private static let mostKept = 20

    private static func line(_ row: Row, _ id: Int64, _ shown: ShownReceipts) throws -> ReceiptLine {
        let source = try "\(row.text("source") ?? ""), record \(row["place"] as Int)"
        let isUnreadable = try row["refusal_code"] as String? == "unreadable"
        let isOfOtherApp = try row["other_app"] as String? != nil
        let refusal: String? = try row["refusal_code"]
        let message = try row.text("refusal_message") ?? ""
        let findings: Int = try row["findings"]
        return try ReceiptLine(
            id: id, anchor: shown.detailed.contains(id) ? "receipt-\(id)" : nil,
            name: ReportText.record(row) ?? source,
            account: row.text("subject"),
            status: isUnreadable ? "unreadable" : isOfOtherApp ? "other app" : row["status"],
            reservation: ["custom": "not Apple's", "storekit_test": "StoreKit Test, not Apple's"][
                row["realm"] ?? ""],
            reason: refusal.map { "\($0): \(message)" } ?? ReportText.kind(row),
            environment: row["environment"],
            bundle: row.text("bundle_id"), created: row.date("created_at")?.replacing("T", with: " "),
            purchases: row["status"] as String? == "genuine" ? ReportText.count(row["purchases"]) : "",
            findings: findings > 0 ? findings : nil, kept: Self.kept(row))
    }
}
