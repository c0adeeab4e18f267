import SQLite

/// A search for the apps of renewal information, which names none. The app is that of the transactions that the
/// information is about, from the same subject, environment and trust anchor kind. Otherwise it is the only app of the
/// subject's evidence in that environment and under that kind.
///
/// If the transactions or the evidence are of two apps, the renewal information belongs to no customer, and the
/// subject's customers get the caveat `evidence-refused`. If the evidence names no app, it belongs to a customer without
/// an app. The question about that customer covers every product of a catalog that is not scoped, unless the genuine
/// evidence of the audit is of several apps (see ``AskedProducts``). A scoped catalog has no products for that customer.
///
/// If the verification policy expects an app, renewal information is refused. It counts for the customer who
/// has its original transaction.
enum RenewalApps {
    private static let renewals = "renewals w CROSS JOIN receipts r ON r.id = w.receipt_id"
    private static let bare = "r.kind = 'renewal-info' AND r.bundle_id IS NULL"
    private static let genuine = "\(bare) AND r.status = 'genuine'"

    /// Returns the number of genuine renewal information objects that name no app and belong to no customer.
    static func count(in database: Connection) throws -> Int {
        let isOfCustomer = "EXISTS (SELECT 1 FROM customer_receipts c WHERE c.receipt_id = r.id)"
        return try database.prepare(
            "SELECT count(*) FROM \(renewals) WHERE \(genuine) AND NOT \(isOfCustomer)"
        ).firstValue() ?? 0
    }

    /// Creates `temp.named`: the subjects that have renewal information without an app, and whose evidence in
    /// an environment names an app.
    static func nameSubjects(in database: Connection) throws {
        try database.execute(
            """
            DROP TABLE IF EXISTS temp.named;
            CREATE TEMP TABLE named (
                subject TEXT, environment TEXT, realm TEXT, PRIMARY KEY (subject, environment, realm)) WITHOUT ROWID;
            INSERT OR IGNORE INTO temp.named SELECT o.subject, o.environment, o.realm FROM receipts o
            WHERE o.subject IN (SELECT r.subject FROM \(renewals) WHERE \(genuine)) AND o.status = 'genuine'
                AND o.bundle_id IS NOT NULL AND o.environment IS NOT NULL AND o.realm IS NOT NULL
            """)
    }

    private static let isBesideAnApp = """
        EXISTS (
            SELECT 1 FROM temp.named n
            WHERE n.subject = r.subject AND n.environment = r.environment AND n.realm = r.realm)
        """

    /// Whether a receipt `r` is renewal information of a subject without any evidence that names an app.
    static let isOfSubjectAlone = "(\(genuine) AND NOT \(isBesideAnApp))"

    /// The subjects with evidence of several apps and renewal information that may belong to any of them.
    static let subjectsOfSeveralApps =
        "SELECT r.subject FROM \(renewals) WHERE \(genuine) AND \(isBesideAnApp)"

    static func find(in database: Connection) throws {
        let exist = "SELECT EXISTS (SELECT 1 FROM \(renewals) WHERE \(bare))"
        guard try database.prepare(exist).firstValue() == true else { return }
        // Each app of an original transaction occurs once, regardless of the number of transactions.
        try database.execute(
            """
            DROP TABLE IF EXISTS temp.wanted;
            CREATE TEMP TABLE wanted (original TEXT PRIMARY KEY) WITHOUT ROWID;
            INSERT OR IGNORE INTO temp.wanted
            SELECT w.original_transaction_id FROM renewals w JOIN receipts r ON r.id = w.receipt_id
            WHERE \(bare) AND w.original_transaction_id NOT IN ('', '0');
            DROP TABLE IF EXISTS temp.apps;
            CREATE TEMP TABLE apps AS
            SELECT x.original, o.environment, o.realm, o.subject, min(o.bundle_id) AS bundle_id
            FROM transactions t
                CROSS JOIN temp.wanted x ON x.original IN (t.original_transaction_id, t.transaction_id)
                CROSS JOIN receipts o ON o.id = t.receipt_id
            GROUP BY 1, 2, 3, 4 HAVING min(o.bundle_id) = max(o.bundle_id);
            CREATE INDEX temp.apps_by_original ON apps (original, environment, realm, subject);
            UPDATE receipts SET bundle_id = (
                SELECT a.bundle_id FROM renewals w JOIN temp.apps a ON a.original = w.original_transaction_id
                    AND a.environment = receipts.environment AND a.realm = receipts.realm
                    AND a.subject IS receipts.subject
                WHERE w.receipt_id = receipts.id)
            WHERE kind = 'renewal-info' AND bundle_id IS NULL;
            DROP TABLE temp.apps;
            DROP TABLE temp.wanted
            """)
        try findBySubject(in: database)
    }

    /// Sets the only app of the subject's evidence if the transactions determine none.
    private static func findBySubject(in database: Connection) throws {
        try database.execute(
            """
            DROP TABLE IF EXISTS temp.apps;
            CREATE TEMP TABLE apps AS
            SELECT o.subject, o.environment, o.realm, min(o.bundle_id) AS bundle_id FROM receipts o
            WHERE o.subject IN (SELECT r.subject FROM \(renewals) WHERE \(genuine)) AND o.status = 'genuine'
                AND o.bundle_id IS NOT NULL
            GROUP BY 1, 2, 3 HAVING min(o.bundle_id) = max(o.bundle_id);
            CREATE INDEX temp.apps_by_subject ON apps (subject, environment, realm);
            UPDATE receipts SET bundle_id = (
                SELECT a.bundle_id FROM temp.apps a WHERE a.subject = receipts.subject
                    AND a.environment = receipts.environment AND a.realm = receipts.realm)
            WHERE kind = 'renewal-info' AND bundle_id IS NULL AND subject IS NOT NULL AND status = 'genuine';
            DROP TABLE temp.apps
            """)
    }
}
