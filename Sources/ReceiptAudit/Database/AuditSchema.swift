/// The database of an audit: one run, its input and its findings.
///
/// Dates are milliseconds since 1970-01-01T00:00:00Z in UTC, so that they compare exactly. The views show
/// them as text. Digests of receipts and certificates are lower-case hexadecimal text. 64-bit identifiers are
/// text. A value that the receipt does not contain is NULL. ``RowCells`` describes the encoding of text with
/// U+0000.
///
/// The contents of a refused receipt are not recorded, because its signature may be forged. The exception is
/// genuine renewal information that is refused only because it names no app. It counts for the customer whose
/// evidence has its transaction.
enum AuditSchema {
    /// The schema version in `PRAGMA user_version`.
    static let version = 10

    /// The mark of an audit's database in `PRAGMA application_id`: "RcAu".
    static let applicationID = 0x5263_4175

    static let tableNames = [
        "runs", "certificates", "receipts", "transactions", "renewals", "notifications", "realtime_requests",
        "app_transactions", "verdicts", "customers", "customer_receipts", "subject_verdicts", "finding_kinds",
        "findings", "finding_evidence", "incidents", "incident_findings", "not_looked_for", "inputs",
        "revocation_lists",
    ]

    static let tables = RowTable.all.reduce(AuditQueries.tables) { text, table in
        text.replacing("CREATE TABLE \(table.name);", with: table.sql)
    }

    static let views = AuditQueries.views

    /// The views as temporary ones, which use temporary tables and views of the same names if there are any.
    static var temporaryViews: String { views.replacing("CREATE VIEW", with: "CREATE TEMP VIEW") }

    /// The tombstones of forgotten records. The table exists only after a record was forgotten.
    static let forgotten = """
        CREATE TABLE forgotten (
            id INTEGER PRIMARY KEY,                -- as in receipts, which no longer has the record
            leaf BLOB NOT NULL                     -- the hash of its leaf, see receipts.leaf
        );
        """

    /// The columns with numbers that are shown as they were signed. Nothing is computed from them.
    static let shownNumbers: Set<String> = [
        "price", "renewal_price", "offer_type", "cancellation_reason", "revocation_reason",
        "auto_renew_status", "expiration_intent", "status", "revocation_percentage", "price_increase_status",
        "succeeded_count", "failed_count",
    ]

    /// The indexes, created after all rows: an index that grows row by row costs several times as much.
    /// Purchases have none, because one would take a twelfth of the run's time on one core, and a tenth of
    /// the file. A single pass over the purchases finds them instead. It takes a tenth of a second for a
    /// million rows in memory.
    static let indexes = """
        CREATE INDEX receipts_by_subject ON receipts (subject) WHERE subject IS NOT NULL;
        CREATE INDEX receipts_by_refusal ON receipts (refusal_code) WHERE refusal_code IS NOT NULL;
        CREATE INDEX customers_by_receipt ON customer_receipts (receipt_id);
        CREATE INDEX evidence_by_receipt ON finding_evidence (receipt_id, position);
        """
}
