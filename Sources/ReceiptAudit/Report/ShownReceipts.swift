import SQLite

/// The receipts that the report shows if not all fit: the most relevant first.
struct ShownReceipts {
    /// The receipts with a row in the table, in this order.
    let listed: [Int64]
    /// The receipts with a detailed explanation.
    let detailed: Set<Int64>
    let records: Int
    let genuine: Int
    private let listedSet: Set<Int64>

    init(_ database: Connection, _ limits: Report.Limits) throws {
        // The counts of the run do not apply, because dates may restrict the receipts.
        records = try database.prepare("SELECT count(*) FROM receipts").firstValue() ?? 0
        genuine =
            try database.prepare("SELECT count(*) FROM receipts WHERE status = 'genuine'").firstValue() ?? 0
        let isFound = "EXISTS (SELECT 1 FROM finding_evidence e WHERE e.receipt_id = r.id)"
        let listed: [Int64] = try database.prepare(
            """
            SELECT id FROM receipts r
            ORDER BY CASE WHEN ? THEN 0 WHEN \(isFound) THEN 0 WHEN status = 'refused' AND other_app IS NULL THEN 1 ELSE 2 END, id LIMIT ?
            """, records <= limits.rows, limits.rows
        ).values()
        self.listed = listed.sorted()
        listedSet = Set(listed)
        detailed = Set(
            try database.prepare(
                """
                SELECT id FROM receipts r WHERE status = 'genuine'
                ORDER BY CASE WHEN \(isFound) THEN 0 WHEN EXISTS (
                    SELECT 1 FROM transactions t WHERE t.receipt_id = r.id AND t.expires_date IS NOT NULL)
                    THEN 1 ELSE 2 END, id LIMIT ?
                """, limits.details
            ).values())
    }

    /// Returns the target of a link to a receipt, or nil if the report does not show it.
    func anchor(of id: Int64) -> String? {
        detailed.contains(id) ? "receipt-\(id)" : listedSet.contains(id) ? "row-\(id)" : nil
    }
}
