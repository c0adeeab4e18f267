package import AppReceipt
import RecordSources
import SQLite

/// The creation dates of the receipts that a report shows. They do not affect verification.
package struct ShownDates: Sendable {
    /// The first instant to show.
    package var from: Timestamp?
    /// The first instant not to show.
    package var until: Timestamp?

    package init(from: Timestamp? = nil, until: Timestamp? = nil) { (self.from, self.until) = (from, until) }

    /// The SQL condition, or nil if all receipts are shown.
    var condition: String? {
        let parts = [
            from.map { "created_at >= \($0.millisecondsSince1970)" },
            until.map { "created_at < \($0.millisecondsSince1970)" },
        ].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: " AND ")
    }

    /// The dates in words, or nil if all receipts are shown.
    var text: String? {
        let parts = [
            from.map { "from \($0.rfc3339) on" }, until.map { "before \($0.rfc3339)" },
        ].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: " and ")
    }
}

extension AuditDatabase {
    /// Restricts the tables to the rows to show, from now on and only for this connection. The rows are those
    /// of receipts with these dates, and records without a trustworthy date.
    func show(_ dates: ShownDates) throws(AuditError) {
        guard let condition = dates.condition else { return }
        try access { database in
            try database.execute(
                """
                CREATE TEMP VIEW receipts AS SELECT * FROM main.receipts
                    WHERE created_at IS NULL OR (\(condition));
                CREATE TEMP VIEW transactions AS SELECT * FROM main.transactions t
                    WHERE EXISTS (SELECT 1 FROM temp.receipts WHERE id = t.receipt_id);
                CREATE TEMP VIEW verdicts AS SELECT * FROM main.verdicts v
                    WHERE EXISTS (SELECT 1 FROM temp.receipts WHERE id = v.receipt_id);
                CREATE TEMP VIEW customers AS SELECT * FROM main.customers c WHERE EXISTS (
                    SELECT 1 FROM main.customer_receipts r JOIN temp.receipts s ON s.id = r.receipt_id
                    WHERE r.customer_id = c.id);
                CREATE TEMP VIEW subject_verdicts AS SELECT * FROM main.subject_verdicts v
                    WHERE EXISTS (SELECT 1 FROM temp.customers WHERE id = v.customer_id);
                CREATE TEMP VIEW findings AS SELECT * FROM main.findings f WHERE EXISTS (
                    SELECT 1 FROM main.finding_evidence e WHERE e.finding_id = f.id
                        AND (e.receipt_id IS NULL OR EXISTS (SELECT 1 FROM temp.receipts WHERE id = e.receipt_id)));
                CREATE TEMP VIEW incidents AS SELECT * FROM main.incidents i WHERE EXISTS (
                    SELECT 1 FROM main.incident_findings f WHERE f.incident_id = i.id
                        AND EXISTS (SELECT 1 FROM temp.findings WHERE id = f.finding_id));
                \(AuditSchema.temporaryViews)
                """)
        }
    }
}
