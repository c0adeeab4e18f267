import SQLite

/// The table `temp.evidence`: genuine evidence that was presented without a subject. Each row has its ID
/// (`id`) and the first evidence of its customer (`first`). It is a table because a map would grow with the
/// input.
///
/// Three names link evidence of one app, environment and trust anchor kind. Stronger names come first, and
/// the order of the evidence has no effect:
/// 1. `appTransactionId`. Apple assigns one per Apple Account and app, also to each family member. Evidence
///    with two of them never belongs to one customer.
/// 2. The original transaction ID, among evidence without an `appTransactionId`. The linked evidence joins
///    the evidence of the `appTransactionId` that has one of the same original transactions. If several
///    values of `appTransactionId` have one, it stays separate.
/// 3. `appAccountToken`, in lower case. The app chooses it and may give one to all its users, so a token
///    links only if nothing contradicts it. ``linkTokens()`` has the conditions.
///
/// A part is all evidence that the first two names link. `part` is the ID of one of its rows. A customer is
/// one part, or several that tokens link. Xcode reuses its IDs, so its evidence is not linked. Evidence
/// without a purchase counts only together with purchases.
struct LinkedEvidence {
    private let database: Connection
    private let parts: DisjointSets
    /// The numbers of names that would link evidence but are not used, because the evidence may belong to
    /// several customers.
    private(set) var unused = Unused()

    struct Unused {
        var tokens = 0
        /// The parts without an `appTransactionId` whose original transactions belong to several such IDs.
        var parts = 0
    }

    /// The maximum number of parts that tokens link. A customer has few, and a token that all users share has
    /// many.
    static let mostParts = 10

    private static let purchaseKinds = "'receipt', 'transaction', 'transaction-receipt'"
    private static let unlinkable = "'Xcode', 'LocalTesting'"
    private static let tables = [
        "evidence", "scopes", "accounts", "near", "attached", "tokens", "usable", "linked", "firsts",
    ]

    /// Creates the table. The caller drops it with ``drop(in:)``.
    init(_ database: Connection) throws {
        self.database = database
        try Self.drop(in: database)
        try database.execute(Self.evidence)
        parts = try DisjointSets("evidence", namedBy: "part", in: database)
        guard try holds("SELECT 1 FROM temp.evidence") else { return }
        let hasAccounts = try holds("SELECT 1 FROM temp.evidence WHERE account IS NOT NULL")
        if hasAccounts { try linkAccounts() }
        try linkOriginals()
        let hasTokens = try holds("SELECT 1 FROM temp.evidence WHERE token IS NOT NULL")
        if hasTokens { try linkTokens() }
        try database.execute(hasAccounts || hasTokens ? Self.firsts : "UPDATE temp.evidence SET first = part")
        if try holds("SELECT 1 FROM temp.evidence WHERE NOT tells") {
            try database.execute(
                """
                DELETE FROM temp.evidence
                WHERE first NOT IN (SELECT first FROM temp.evidence WHERE tells)
                """)
        }
    }

    static func drop(in database: Connection) throws {
        for table in tables { try database.execute("DROP TABLE IF EXISTS temp.\(table)") }
    }

    private func holds(_ query: String) throws -> Bool {
        try database.prepare("SELECT EXISTS (\(query))").firstValue() == true
    }

    private func count(_ query: String) throws -> Int {
        try database.prepare("SELECT count(*) FROM (\(query))").firstValue() ?? 0
    }

    // MARK: - Evidence

    /// The tables of evidence and scopes. A scope is an app, an environment and a trust anchor kind. Evidence
    /// without a scope is not linked. `tells` marks evidence of purchases.
    private static let evidence = """
        CREATE TEMP TABLE scopes (
            id INTEGER PRIMARY KEY, environment TEXT, bundle_id TEXT, realm TEXT,
            UNIQUE (environment, bundle_id, realm));
        INSERT OR IGNORE INTO temp.scopes (environment, bundle_id, realm)
        SELECT r.environment, r.bundle_id, r.realm FROM receipts r
        WHERE \(isUnclaimed) AND r.environment NOT IN (\(unlinkable));
        CREATE TEMP TABLE evidence (
            id INTEGER PRIMARY KEY, first INTEGER NOT NULL, part INTEGER NOT NULL, tells INTEGER NOT NULL, scope INTEGER,
            account TEXT, token TEXT);
        INSERT INTO temp.evidence
        SELECT r.id, r.id, r.id, r.kind IN (\(purchaseKinds)), s.id,
            CASE WHEN s.id IS NOT NULL THEN nullif(nullif(\(account), ''), '0') END,
            CASE WHEN s.id IS NOT NULL THEN CASE r.kind
                WHEN 'transaction' THEN (SELECT app_account_token FROM transactions WHERE receipt_id = r.id)
                WHEN 'renewal-info' THEN (SELECT app_account_token FROM renewals WHERE receipt_id = r.id)
            END END
        FROM receipts r LEFT JOIN temp.scopes s
            ON s.environment = r.environment AND s.bundle_id = r.bundle_id AND s.realm = r.realm
        WHERE \(isUnclaimed)
        """

    /// The `appTransactionId` of the signed object `r`.
    static let account = """
        CASE r.kind
            WHEN 'transaction' THEN (SELECT app_transaction_id FROM transactions WHERE receipt_id = r.id)
            WHEN 'renewal-info' THEN (SELECT app_transaction_id FROM renewals WHERE receipt_id = r.id)
            WHEN 'app-transaction' THEN (SELECT app_transaction_id FROM app_transactions WHERE receipt_id = r.id)
        END
        """

    private static let isUnclaimed = """
        r.subject IS NULL AND r.bundle_id IS NOT NULL
            AND r.kind IN (\(purchaseKinds), 'renewal-info', 'app-transaction')
        """

    // MARK: - Apple's names

    private func linkAccounts() throws {
        try database.execute(
            """
            CREATE TEMP TABLE accounts (
                account TEXT, scope INTEGER, part INTEGER NOT NULL, PRIMARY KEY (account, scope)) WITHOUT ROWID;
            INSERT INTO temp.accounts
            SELECT account, scope, min(id) FROM temp.evidence WHERE account IS NOT NULL GROUP BY 1, 2;
            UPDATE temp.evidence SET part = (
                SELECT a.part FROM temp.accounts a
                WHERE a.account = evidence.account AND a.scope = evidence.scope)
            WHERE account IS NOT NULL
            """)
    }

    private mutating func linkOriginals() throws {
        let account = "CASE WHEN e.account IS NOT NULL THEN e.part END"
        let statement = try database.prepare(
            """
            SELECT t.original_transaction_id, e.scope, e.id, \(account)
            FROM temp.evidence e CROSS JOIN transactions t ON t.receipt_id = e.id
            WHERE e.scope IS NOT NULL AND t.original_transaction_id NOT IN ('', '0')
            UNION ALL
            SELECT w.original_transaction_id, e.scope, e.id, \(account)
            FROM renewals w CROSS JOIN temp.evidence e ON e.id = w.receipt_id
            WHERE e.scope IS NOT NULL AND w.original_transaction_id NOT IN ('', '0')
            ORDER BY 1, 2, 3
            """)
        // An object without an account, and the first and last of the accounts that have its original
        // transaction.
        try database.execute(
            "CREATE TEMP TABLE near (id INTEGER NOT NULL, low INTEGER NOT NULL, high INTEGER NOT NULL)")
        let near = try database.prepare("INSERT INTO temp.near VALUES (?, ?, ?)")
        var original: ArraySlice<Value> = []
        var piece: Int64?
        var accounts: ClosedRange<Int64>?
        func end() throws {
            guard let piece, let accounts else { return }
            try near.bind(piece, accounts.lowerBound, accounts.upperBound).execute()
        }
        while let row = try statement.nextRow()?.values {
            if row.prefix(2) != original {
                try end()
                (original, piece, accounts) = (row.prefix(2), nil, nil)
            }
            if case .integer(let account) = row[3] {
                accounts =
                    min(
                        accounts?.lowerBound ?? account, account)...max(
                        accounts?.upperBound ?? account, account)
            } else if case .integer(let id) = row[2] {
                if let piece, piece != id { try parts.join(piece, id) }
                piece = id
            }
        }
        try end()
        try parts.settle()
        guard try holds("SELECT 1 FROM temp.near") else { return }
        try database.execute(
            """
            CREATE TEMP TABLE attached (part INTEGER PRIMARY KEY, account INTEGER NOT NULL);
            INSERT INTO temp.attached
            SELECT e.part, min(n.low) FROM temp.near n CROSS JOIN temp.evidence e ON e.id = n.id
            GROUP BY 1 HAVING min(n.low) = max(n.high);
            UPDATE temp.evidence SET part = (SELECT a.account FROM temp.attached a WHERE a.part = evidence.part)
            WHERE part IN (SELECT part FROM temp.attached)
            """)
        unused.parts = try count(
            """
            SELECT 1 FROM temp.near n CROSS JOIN temp.evidence e ON e.id = n.id WHERE e.account IS NULL
            GROUP BY e.part HAVING min(n.low) < max(n.high)
            """)
    }

    // MARK: - The app's name

    /// Links parts by tokens. All parts linked from token to token must be able to belong to one customer:
    /// - They have at most one `appTransactionId` and at most ``mostParts`` parts.
    /// - No two parts have a subscription of the same group at the same time, because the App Store never sells
    ///   two to one account.
    ///
    /// A token that violates the first condition by itself is excluded first, because it would prevent other
    /// tokens from linking.
    private mutating func linkTokens() throws {
        let digit = "[0-9a-f]"
        let uuid = [8, 4, 4, 4, 12].map { String(repeating: digit, count: $0) }.joined(separator: "-")
        try database.execute(
            """
            CREATE TEMP TABLE tokens (
                token TEXT, scope INTEGER, part INTEGER, is_account INTEGER NOT NULL,
                PRIMARY KEY (token, scope, part)) WITHOUT ROWID;
            INSERT OR IGNORE INTO temp.tokens
            SELECT lower(e.token), e.scope, e.part, p.account IS NOT NULL
            FROM temp.evidence e CROSS JOIN temp.evidence p ON p.id = e.part
            WHERE lower(e.token) GLOB '\(uuid)' AND e.token <> '00000000-0000-0000-0000-000000000000';
            CREATE TEMP TABLE usable (token TEXT, scope INTEGER, part INTEGER NOT NULL);
            INSERT INTO temp.usable SELECT token, scope, min(part) FROM temp.tokens GROUP BY token, scope
            HAVING count(*) BETWEEN 2 AND \(Self.mostParts) AND total(is_account) < 2;
            CREATE TEMP TABLE linked (id INTEGER PRIMARY KEY, least INTEGER NOT NULL);
            INSERT OR IGNORE INTO temp.linked SELECT t.part, t.part
            FROM temp.usable u CROSS JOIN temp.tokens t ON t.token = u.token AND t.scope = u.scope
            """)
        let sets = try DisjointSets("linked", namedBy: "least", in: database)
        let pairs = try database.prepare(
            """
            SELECT u.part, t.part
            FROM temp.usable u CROSS JOIN temp.tokens t ON t.token = u.token AND t.scope = u.scope
            WHERE t.part <> u.part
            """)
        while try pairs.step() { try sets.join(pairs.integer(0), pairs.integer(1)) }
        try sets.settle()
        try database.execute(
            """
            DELETE FROM temp.linked WHERE least IN (
                SELECT l.least FROM temp.linked l CROSS JOIN temp.evidence e ON e.id = l.id
                GROUP BY 1 HAVING count(*) > \(Self.mostParts) OR total(e.account IS NOT NULL) > 1);
            DELETE FROM temp.linked WHERE least IN (\(Self.overlapping))
            """)
        unused.tokens =
            try count("SELECT 1 FROM temp.tokens GROUP BY token, scope HAVING count(*) > 1")
            - count("SELECT 1 FROM temp.usable WHERE part IN (SELECT id FROM temp.linked)")
    }

    /// The sets in which two parts have a subscription of the same group at the same time.
    private static let overlapping = """
        WITH periods AS (
            SELECT l.least, l.id AS part, coalesce(t.subscription_group_identifier, t.product_id) AS kind, e.id, t.position,
                t.purchase_date AS start, min(t.expires_date, coalesce(t.cancellation_date, t.expires_date)) AS ending
            FROM temp.evidence e CROSS JOIN temp.linked l ON l.id = e.part CROSS JOIN transactions t ON t.receipt_id = e.id
            WHERE t.ownership_type IS NOT 'FAMILY_SHARED'
                AND coalesce(t.product_type, 'auto_renewable_subscription') = 'auto_renewable_subscription'),
        before AS (
            SELECT least, start, max(ending) OVER (of_all ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS all_end,
                max(ending) OVER (of_part ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS own_end
            FROM periods WHERE start < ending
            WINDOW of_all AS (PARTITION BY least, kind ORDER BY start, part, id, position),
                of_part AS (PARTITION BY least, kind, part ORDER BY start, id, position))
        SELECT least FROM before WHERE all_end > start AND (own_end IS NULL OR own_end < all_end)
        """

    // MARK: - Customers

    private static let firsts = """
        CREATE TEMP TABLE IF NOT EXISTS linked (id INTEGER PRIMARY KEY, least INTEGER NOT NULL);
        CREATE TEMP TABLE firsts (name INTEGER PRIMARY KEY, first INTEGER NOT NULL);
        INSERT INTO temp.firsts SELECT coalesce(l.least, e.part), min(e.id)
        FROM temp.evidence e LEFT JOIN temp.linked l ON l.id = e.part GROUP BY 1;
        UPDATE temp.evidence SET first = (
            SELECT f.first FROM temp.firsts f
            WHERE f.name = coalesce((SELECT l.least FROM temp.linked l WHERE l.id = evidence.part), evidence.part))
        """
}
