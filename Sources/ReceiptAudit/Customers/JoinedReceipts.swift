import GRDB

/// The table `temp.joined`: receipts and other evidence that was presented without a subject, with the first of what is one
/// customer's. Receipts of an app and environment are, where they hold one original transaction, and so on from receipt to
/// receipt; renewal information goes with the transactions that it is about, and what tells of no purchase with nothing.
/// A table, because a map of them would grow with the input.
struct JoinedReceipts {
    private let database: Database
    private let find: Statement
    private let join: Statement

    init(_ database: Database) throws {
        try database.execute(
            sql: """
                DROP TABLE IF EXISTS temp.joined;
                CREATE TEMP TABLE joined (receipt_id INTEGER PRIMARY KEY, first INTEGER NOT NULL);
                INSERT INTO temp.joined SELECT id, id FROM receipts
                WHERE status = 'genuine' AND subject IS NULL AND bundle_id IS NOT NULL
                    AND kind IN ('receipt', 'transaction', 'transaction-receipt')
                """)
        self.database = database
        find = try database.makeStatement(sql: "SELECT first FROM temp.joined WHERE receipt_id = ?")
        join = try database.makeStatement(sql: "UPDATE temp.joined SET first = ? WHERE receipt_id = ?")
        try joinOriginals()
        repeat {
            // Each round halves the way from a receipt to the first one.
            try database.execute(
                sql: """
                    UPDATE temp.joined SET first = (SELECT p.first FROM temp.joined p WHERE p.receipt_id = joined.first)
                    WHERE first <> (SELECT p.first FROM temp.joined p WHERE p.receipt_id = joined.first)
                    """)
        } while database.changesCount > 0
        try addRenewals()
    }

    private func addRenewals() throws {
        guard try Bool.fetchOne(database, sql: "SELECT EXISTS (SELECT 1 FROM renewals)") == true else {
            return
        }
        try database.execute(
            sql: """
                DROP TABLE IF EXISTS temp.told;
                CREATE TEMP TABLE told AS
                SELECT t.original_transaction_id AS original, r.environment, r.bundle_id, r.realm, min(j.first) AS first
                FROM transactions t JOIN temp.joined j USING (receipt_id) JOIN receipts r ON r.id = t.receipt_id
                WHERE t.original_transaction_id NOT IN ('', '0') GROUP BY 1, 2, 3, 4;
                CREATE UNIQUE INDEX temp.told_by_original ON told (original, environment, bundle_id, realm);
                INSERT INTO temp.joined
                SELECT r.id, o.first FROM renewals w JOIN receipts r ON r.id = w.receipt_id
                    JOIN temp.told o ON o.original = w.original_transaction_id AND o.environment = r.environment
                        AND o.bundle_id = r.bundle_id AND o.realm = r.realm
                WHERE r.subject IS NULL;
                DROP TABLE temp.told
                """)
    }

    private func joinOriginals() throws {
        let statement = try database.makeStatement(
            sql: """
                SELECT t.original_transaction_id, r.environment, r.bundle_id, t.receipt_id
                FROM receipts r CROSS JOIN transactions t ON t.receipt_id = r.id
                WHERE r.subject IS NULL AND r.environment NOT IN ('Xcode', 'LocalTesting') AND t.original_transaction_id NOT IN ('', '0')
                ORDER BY 1, 2, 3, 4
                """)
        defer { StoredValue.reset(statement) }
        var last: [StoredValue] = []
        while let row = try StoredValue.next(statement) {
            if row.dropLast() == last.dropLast(), let receipt = row.last, let other = last.last,
                receipt != other
            {
                try join(Self.number(receipt), Self.number(other))
            }
            last = row
        }
    }

    private static func number(_ value: StoredValue) -> Int64 {
        if case .integer(let number) = value { number } else { 0 }
    }

    private func join(_ one: Int64, _ other: Int64) throws {
        let (left, right) = (try first(of: one), try first(of: other))
        if left != right { try join.execute(arguments: [min(left, right), max(left, right)]) }
    }

    private func first(of receipt: Int64) throws -> Int64 {
        var receipt = receipt
        while let next = try Int64.fetchOne(find, arguments: [receipt]), next != receipt {
            // Every other step leads farther from now on.
            if let after = try Int64.fetchOne(find, arguments: [next]), after != next {
                try join.execute(arguments: [after, receipt])
            }
            receipt = next
        }
        return receipt
    }
}
