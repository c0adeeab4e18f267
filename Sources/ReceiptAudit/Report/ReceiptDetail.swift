import RecordSources
import SQLite

/// The explanation of one genuine receipt: its source, contents, timeline and verdicts.
struct ReceiptDetail {
    struct Fact {
        let term: String
        let value: String
    }

    struct VerdictLine {
        let product: String
        let offers: [OfferAnswer]
        let state: String
    }

    struct OfferAnswer {
        let receipt: String
        /// The verdict on all receipts of the customer, if its outcome differs.
        let customer: String?
    }

    let id: Int64
    let name: String
    let facts: [Fact]
    let timeline: ReceiptTimeline?
    let purchases: [ReceiptPurchase]
    let morePurchases: String?
    let verdicts: [VerdictLine]
    let moreVerdicts: String?

    init(_ id: Int64, _ database: Connection, _ limits: Report.Limits, asOf: Int64) throws {
        guard
            let row = try database.prepare(
                """
                SELECT r.*, c.subject AS signer, c.sha256 AS signer_sha256 FROM receipts r
                LEFT JOIN certificates c ON c.id = r.signer_id WHERE r.id = ?
                """, id
            ).firstRow()
        else { throw AuditError("the database contains no receipt \(id)") }
        self.id = id
        name = try ReportText.record(row) ?? "Record \(id)"
        facts = try Self.facts(row) + SignedObjectFacts.of(id, row, database)
        let total: Int =
            try database.prepare("SELECT count(*) FROM transactions WHERE receipt_id = ?", id).firstValue()
            ?? 0
        purchases = try database.prepare(
            "SELECT * FROM transactions WHERE receipt_id = ? ORDER BY purchase_date DESC, position LIMIT ?",
            id, limits.purchasesOfAReceipt
        ).map(ReceiptPurchase.init)
            .reversed()
        let left = total - purchases.count
        morePurchases =
            left > 0
            ? """
            The last \(ReportText.count(purchases.count)) are shown here and above; \(ReportText.count(left)) earlier \
            ones are in the database.
            """ : nil
        timeline = ReceiptTimeline(purchases, asOf: asOf)
        let answers: Int =
            try database.prepare("SELECT count(*) FROM verdicts WHERE receipt_id = ?", id).firstValue() ?? 0
        verdicts = try database.prepare(Self.answers, id, limits.verdictsOfAReceipt).map(Self.verdict)
        let others = answers - verdicts.count
        moreVerdicts = others > 0 ? "\(ReportText.count(others, "more product")) in the database." : nil
    }

    private static func facts(_ row: Row) throws -> [Fact] {
        let facts: [(String, String?)] = try [
            ("Source", "\(row.text("source") ?? ""), record \(row["place"] as Int)"),
            ("Subject", row.text("subject")),
            ("SHA-256", row["sha256"]), ("Signed content", row["content_sha256"]),
            ("Kind", ReportText.kind(row)), ("Bundle", row.text("bundle_id")),
            ("Version", row.text("application_version")),
            (
                "Genuine, but",
                row["realm"] as String? == "app_store"
                    ? nil : "not Apple's: proves nothing about the App Store"
            ),
            ("Environment", row["environment"] ?? "not named"),
            (row["kind"] as String? == "receipt" ? "Created" : "Signed", row.date("created_at")),
            ("Signed by", row.text("signer")), ("Its SHA-256", row["signer_sha256"]),
            ("Digest", row["digest"]),
        ]
        return facts.compactMap { term, value in value.map { Fact(term: term, value: $0) } }
    }

    /// The verdicts on one receipt, each with that on its customer.
    private static let answers = """
        SELECT v.*, a.introductory_outcome AS customer_introductory, a.promotional_outcome AS customer_promotional,
            a.win_back_outcome AS customer_win_back
        FROM verdicts v LEFT JOIN main.customer_receipts c ON c.receipt_id = v.receipt_id
        LEFT JOIN main.subject_verdicts a ON a.customer_id = c.customer_id AND a.product_id = v.product_id
        WHERE v.receipt_id = ? ORDER BY v.product_id LIMIT ?
        """

    private static func verdict(_ row: Row) throws -> VerdictLine {
        try VerdictLine(
            product: row.text("product_id") ?? "",
            offers: ["introductory", "promotional", "win_back"].map { offer in
                let customer: String? = try row["customer_\(offer)"]
                let receipt: String? = try row["\(offer)_outcome"]
                return OfferAnswer(
                    receipt: try row.answer(offer), customer: customer == receipt ? nil : customer)
            },
            state: row.state())
    }
}
