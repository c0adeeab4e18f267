import SQLite

/// The temporary views and tables of a migration. All genuine evidence of purchases under the chosen kind of trust
/// anchor, in the chosen environment and app, has a row for each purchase in each record.
enum MigrationTables {
    /// Returns the SQL for an identifier that identifies something, or NULL.
    private static func identifier(_ column: String) -> String { "nullif(nullif(\(column), ''), '0')" }

    /// Returns the SQL that selects records of `receipts r` in the scope.
    /// - Parameter app: The SQL for the app of the record.
    private static func scoped(app: String) -> String {
        "r.realm = c.realm AND c.environment IN (r.environment, 'any') AND c.app IN (\(app), '')"
    }

    private static let record =
        "r.id AS receipt_id, r.source, r.place, r.record, r.subject, r.created_at, r.kind"

    /// The original transactions of signed objects that name no app, with the app of their transactions. An original
    /// transaction in several apps has none.
    private static let placed = """
        CREATE TEMP TABLE unplaced (
            id TEXT NOT NULL, environment TEXT NOT NULL, PRIMARY KEY (id, environment)) WITHOUT ROWID;
        INSERT OR IGNORE INTO temp.unplaced
            SELECT \(identifier("w.original_transaction_id")), coalesce(r.environment, '')
            FROM temp.chosen c, main.renewals w JOIN main.receipts r ON r.id = w.receipt_id
            WHERE r.realm = c.realm AND r.status = 'genuine' AND r.bundle_id IS NULL
                AND \(identifier("w.original_transaction_id")) IS NOT NULL;
        INSERT OR IGNORE INTO temp.unplaced
            SELECT \(identifier("q.original_transaction_id")), coalesce(r.environment, '')
            FROM temp.chosen c, main.realtime_requests q JOIN main.receipts r ON r.id = q.receipt_id
            WHERE r.realm = c.realm AND r.status = 'genuine' AND \(identifier("q.original_transaction_id")) IS NOT NULL;
        CREATE TEMP TABLE placed (
            id TEXT NOT NULL, environment TEXT NOT NULL, bundle_id TEXT NOT NULL, PRIMARY KEY (id, environment)) WITHOUT ROWID;
        INSERT INTO temp.placed
            SELECT t.original_transaction_id, coalesce(r.environment, ''), min(r.bundle_id)
            FROM temp.chosen c, main.transactions t JOIN main.receipts r ON r.id = t.receipt_id
            JOIN temp.unplaced u ON u.id = t.original_transaction_id AND u.environment = coalesce(r.environment, '')
            WHERE r.realm = c.realm AND r.bundle_id IS NOT NULL AND EXISTS (SELECT 1 FROM temp.unplaced)
            GROUP BY 1, 2 HAVING count(DISTINCT r.bundle_id) = 1;
        """

    /// Every statement of a purchase. `id` is the id to fetch, or NULL. `purchase` identifies the purchase, as in the
    /// view `purchases`; it is NULL in rows that only name the id.
    private static let stated = """
        CREATE TEMP VIEW stated AS
            SELECT r.environment, r.bundle_id,
                coalesce(\(identifier("t.original_transaction_id")), \(identifier("t.transaction_id"))) AS id,
                \(record), t.position, k.purchase,
                t.transaction_id, t.original_transaction_id, t.product_id, t.product_type,
                coalesce(t.subscription_group, t.subscription_group_identifier) AS subscription_group,
                t.purchase_date, t.expires_date, t.cancellation_date, t.is_upgraded
            FROM temp.chosen c, main.purchase_keys k JOIN main.transactions t USING (receipt_id, position)
            JOIN main.receipts r ON r.id = t.receipt_id
            WHERE \(scoped(app: "r.bundle_id"))
            UNION ALL
            SELECT r.environment, coalesce(r.bundle_id, p.bundle_id), \(identifier("w.original_transaction_id")),
                \(record), NULL, NULL, NULL, w.original_transaction_id, w.product_id, 'auto_renewable_subscription', NULL,
                NULL, w.renewal_date, NULL, NULL
            FROM temp.chosen c, main.renewals w JOIN main.receipts r ON r.id = w.receipt_id
            LEFT JOIN temp.placed p ON p.id = w.original_transaction_id AND p.environment = coalesce(r.environment, '')
            WHERE (r.status = 'genuine' OR r.bundle_id IS NOT NULL) AND \(scoped(app: "coalesce(r.bundle_id, p.bundle_id)"))
            UNION ALL
            SELECT r.environment, p.bundle_id, \(identifier("q.original_transaction_id")),
                \(record), NULL, NULL, NULL, q.original_transaction_id, q.product_id, 'auto_renewable_subscription', NULL,
                NULL, NULL, NULL, NULL
            FROM temp.chosen c, main.realtime_requests q JOIN main.receipts r ON r.id = q.receipt_id
            LEFT JOIN temp.placed p ON p.id = q.original_transaction_id AND p.environment = coalesce(r.environment, '')
            WHERE r.status = 'genuine' AND \(scoped(app: "p.bundle_id"));
        """

    /// The environments whose ids only the machine with Xcode knows.
    private static let local = "'Xcode', 'LocalTesting'"

    /// Creates the views `stated` and `known`, which has only statements with an id that Apple's server may know.
    static func create(_ scope: QuestionScope, in database: Connection) throws {
        try database.execute(
            "CREATE TEMP TABLE chosen (realm TEXT NOT NULL, environment TEXT NOT NULL, app TEXT NOT NULL)")
        let parameters = scope.parameters
        try database.prepare(
            """
            INSERT INTO temp.chosen SELECT coalesce(nullif(?, ''), (SELECT realm FROM main.default_realm)), ?, ?
            """, parameters[":realm"], parameters[":environment"], parameters[":app"]
        ).execute()
        try database.execute(placed + stated)
        try database.execute(
            """
            CREATE TEMP VIEW known AS SELECT * FROM temp.stated
                WHERE id IS NOT NULL AND coalesce(environment, '') NOT IN (\(local));
            """)
    }

    /// The number of purchases that cannot be fetched: those of Xcode, and those without an id. Each row counts, because
    /// without an id two rows may be two purchases.
    static let unfetchable = """
        SELECT count(*) FILTER (WHERE environment IN (\(local))) AS local,
            count(*) FILTER (WHERE environment IS NULL OR environment NOT IN (\(local))) AS without_id
        FROM temp.stated WHERE id IS NULL OR environment IN (\(local))
        """

    // MARK: - Refunds

    /// The ids with a refunded purchase, as `ask refunds` defines it. The view `refunds` then has only purchases of
    /// subscriptions with a cancellation, because its windows over all purchases would take several times as long.
    static let refunded = """
        CREATE TEMP TABLE cancelled (original_transaction_id TEXT, transaction_id TEXT);
        INSERT INTO temp.cancelled
            SELECT original_transaction_id, transaction_id FROM main.transactions WHERE cancellation_date IS NOT NULL;
        CREATE TEMP TABLE transactions AS SELECT * FROM main.transactions
            WHERE original_transaction_id IN (SELECT original_transaction_id FROM temp.cancelled)
                OR transaction_id IN (SELECT transaction_id FROM temp.cancelled);
        \(AuditSchema.temporaryViews)
        CREATE TEMP TABLE refunded (
            id TEXT NOT NULL, environment TEXT NOT NULL, bundle_id TEXT NOT NULL,
            PRIMARY KEY (id, environment, bundle_id)) WITHOUT ROWID;
        INSERT OR IGNORE INTO temp.refunded
            SELECT coalesce(\(identifier("f.original_transaction_id")), \(identifier("f.transaction_id"))),
                coalesce(f.environment, ''), coalesce(f.bundle_id, '')
            FROM temp.refunds f JOIN temp.chosen c ON c.realm = f.realm
            WHERE coalesce(\(identifier("f.original_transaction_id")), \(identifier("f.transaction_id"))) IS NOT NULL;
        DROP TABLE temp.transactions;
        """
}
