/// A CSV file with the contents of genuine objects: columns of the record that holds the object, then every
/// column of one table.
struct ContentTable: Sendable {
    let file: String
    let table: String
    /// The columns in the file's order. Columns of `receipts` have the prefix `r.`.
    private let columns: [String]

    /// Creates the description of a file.
    /// - Parameters:
    ///   - first: The first columns, in this order. The table's other columns follow, except for ``leftOut``.
    private init(_ file: String, of table: RowTable, first: [String]) {
        (self.file, self.table) = (file, table.name)
        columns = first + table.insertion.filter { !first.contains($0) && !Self.leftOut.contains($0) }
    }

    static let all = [
        ContentTable(
            "purchases.csv", of: .signedTransactions,
            first: [
                "receipt_id", "r.record", "r.subject", "r.environment", "r.bundle_id", "product_id",
                "product_type", "subscription_group", "quantity", "transaction_id", "original_transaction_id",
                "purchase_date", "original_purchase_date", "expires_date", "cancellation_date",
                "cancellation_reason", "is_trial_period", "is_in_intro_offer_period",
                "promotional_offer_identifier", "web_order_line_item_id", "r.kind",
                "subscription_group_identifier", "ownership_type", "is_upgraded", "offer_type",
                "offer_identifier", "offer_discount_type", "storefront", "price", "currency",
                "app_account_token", "revocation_reason",
            ]),
        ContentTable(
            "renewals.csv", of: .renewals,
            first: [
                "receipt_id", "r.record", "r.subject", "r.environment", "r.bundle_id",
                "original_transaction_id", "product_id", "auto_renew_product_id", "auto_renew_status",
                "expiration_intent", "is_in_billing_retry_period", "grace_period_expires_date",
                "renewal_date", "offer_type", "offer_identifier", "renewal_price", "currency",
                "eligible_win_back_offer_ids", "r.created_at",
            ]),
        ContentTable(
            "app_transactions.csv", of: .appTransactions,
            first: record + [
                "r.app_item_id", "r.application_version", "r.original_application_version",
                "r.version_external_identifier", "r.original_purchase_date",
            ]),
        ContentTable(
            "notifications.csv", of: .notifications,
            first: record + ["r.app_item_id"]),
        ContentTable(
            "realtime_requests.csv", of: .realtimeRequests,
            first: ["receipt_id", "r.record", "r.subject", "r.environment", "r.app_item_id", "r.created_at"]),
    ]

    private static let record = [
        "receipt_id", "r.record", "r.subject", "r.environment", "r.bundle_id", "r.created_at",
    ]

    /// The columns that no file has. The position of a purchase in its receipt only orders the rows.
    static let leftOut: Set = ["position"]

    /// The headings that differ from the column's name.
    private static let headings = [
        "receipt_id": "receipt_number", "purchase_date": "bought", "original_purchase_date": "first_bought",
        "expires_date": "expires", "cancellation_date": "cancelled", "price": "price_in_thousandths",
        "renewal_price": "renewal_price_in_thousandths", "grace_period_expires_date": "grace_period_ends",
        "renewal_date": "renews", "r.kind": "told_by", "r.created_at": "signed",
        "r.app_item_id": "app_apple_id", "r.original_purchase_date": "first_downloaded",
    ]

    static func heading(of column: String) -> String {
        headings[column] ?? (column.hasPrefix("r.") ? String(column.dropFirst(2)) : column)
    }

    /// The query for the rows of the file.
    var query: String {
        let cells = columns.map { column in
            let (name, heading) = (column.hasPrefix("r.") ? column : "t." + column, Self.heading(of: column))
            if column.hasSuffix("_date") || column == "r.created_at" {
                return "strftime('%Y-%m-%dT%H:%M:%SZ', \(name) / 1000, 'unixepoch') AS \(heading)"
            }
            guard column.hasPrefix("is_") else { return "\(name) AS \(heading)" }
            return "CASE \(name) WHEN 1 THEN 'yes' WHEN 0 THEN 'no' END AS \(heading)"
        }
        return """
            SELECT \(cells.joined(separator: ", ")) FROM \(table) t JOIN receipts r ON r.id = t.receipt_id
            WHERE r.status = 'genuine' OR r.bundle_id IS NOT NULL
            ORDER BY t.receipt_id\(table == "transactions" ? ", t.position" : "")
            """
    }
}
