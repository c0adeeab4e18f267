import SQLite

/// The comparisons of all ids, in the order of the entries.
struct MigrationComparisons {
    private let rows: Statement
    private let covered: Statement
    private let unknown: Statement
    private var hasRow: Bool

    /// Finds the ids that complete answers cover, and starts to read the purchases.
    init(_ database: Connection) throws {
        try database.execute(Self.coverage)
        rows = try database.prepare(
            """
            SELECT environment, bundle_id, id, purchase, kind = 'transaction' AS is_apple, \(MigrationComparison.Side.columns)
            FROM (
                SELECT k.*, k.receipt_id IN (SELECT id FROM temp.answered) AND EXISTS (
                    SELECT 1 FROM temp.covered v WHERE v.id = k.id AND v.environment = coalesce(k.environment, '')
                        AND v.bundle_id = coalesce(k.bundle_id, '') AND v.source = k.source AND v.place = k.place
                ) AS is_in_answer
                FROM temp.known k WHERE k.purchase IS NOT NULL)
            ORDER BY environment, bundle_id, id, purchase <> id, purchase, is_apple, created_at DESC, expires_date DESC,
                cancellation_date DESC, purchase_date DESC, product_id, transaction_id, receipt_id, position
            """)
        covered = try database.prepare(
            """
            SELECT EXISTS (SELECT 1 FROM temp.covered WHERE id = ? AND environment = ? AND bundle_id = ?)
            """)
        unknown = try database.prepare(
            """
            SELECT EXISTS (
                SELECT 1 FROM temp.unknown WHERE id = ? AND environment IN ('', ?) AND bundle_id IN ('', ?))
            """)
        hasRow = try rows.step()
    }

    /// Returns the comparison of the next entry.
    mutating func next(of key: MigrationEntry.Key, newestReceipt: Int64?) throws -> MigrationComparison {
        let names = [key.id, key.environment ?? [], key.bundleID ?? []].map(Value.text)
        func isIn(_ statement: Statement) throws -> Bool {
            try statement.bind(names[0], names[1], names[2]).firstValue() == true
        }
        var comparison = MigrationComparison(
            of: key, newestReceipt: newestReceipt, isComplete: try isIn(covered))
        while hasRow, MigrationEntry.Key(rows) == key {
            let purchase = rows.bytes(3)
            var sides: [MigrationComparison.Side?] = [nil, nil]
            var isInAnswer = false
            // The newest row of each side comes first. Other receipts of its date may contradict.
            var ties: [MigrationComparison.Side] = []
            while hasRow, rows.bytes(3) == purchase, MigrationEntry.Key(rows) == key {
                let side = rows.integer(4) == 0 ? 0 : 1
                let value = MigrationComparison.Side(rows, from: 5)
                if value.isInAnswer { isInAnswer = true }
                if side == 0, let last = ties.last ?? sides[0], value.created == last.created,
                    !value.hasFacts(of: last)
                {
                    ties.append(value)
                }
                if sides[side] == nil { sides[side] = value }
                hasRow = try rows.step()
            }
            let tie = ties.first { comparison.isContradicted(by: $0, sides[1]) }
            comparison.take(receipt: tie ?? sides[0], apple: sides[1], isInAnswer: isInAnswer)
        }
        comparison.finish(isUnknown: try isIn(unknown))
        return comparison
    }

    /// The SQL for the array that contains an object, by the object's path.
    private static let list = "rtrim(rtrim(r.path, ']'), '0123456789')"

    /// The ids in complete answers of Get Transaction History. All pages of one answer are in one record, in their order.
    /// Exactly one of them is the last page and comes last, unless every page is one. A last page has a listing only if all
    /// objects of all pages are genuine. An id is covered only if its first transaction is in the answer, because a last
    /// page alone may lack earlier ones.
    private static let coverage = """
        CREATE TEMP TABLE pages (
            source TEXT NOT NULL, place INTEGER NOT NULL, list TEXT NOT NULL, is_last INTEGER NOT NULL, number INTEGER NOT NULL,
            PRIMARY KEY (source, place, list)) WITHOUT ROWID;
        INSERT INTO temp.pages
            SELECT r.source, r.place, \(list), max(r.listing = 'history'), max(r.id) FROM temp.chosen c, main.receipts r
            WHERE r.realm = c.realm AND r.status = 'genuine' AND r.listing IN ('history', 'history-page') AND r.path IS NOT NULL
            GROUP BY 1, 2, 3;
        CREATE TEMP TABLE complete (
            source TEXT NOT NULL, place INTEGER NOT NULL, PRIMARY KEY (source, place)) WITHOUT ROWID;
        INSERT INTO temp.complete
            SELECT source, place FROM temp.pages GROUP BY source, place
            HAVING total(is_last) = 1 AND max(number) = max(is_last * number) OR min(is_last) = 1;
        CREATE TEMP TABLE answered (id INTEGER PRIMARY KEY);
        INSERT INTO temp.answered
            SELECT r.id FROM main.receipts r JOIN temp.complete e ON e.source = r.source AND e.place = r.place
            JOIN temp.pages p ON p.source = r.source AND p.place = r.place AND p.list = \(list);
        CREATE TEMP TABLE covered (
            id TEXT NOT NULL, environment TEXT NOT NULL, bundle_id TEXT NOT NULL, source TEXT NOT NULL, place INTEGER NOT NULL,
            PRIMARY KEY (id, environment, bundle_id, source, place)) WITHOUT ROWID;
        INSERT OR IGNORE INTO temp.covered
            SELECT k.id, coalesce(k.environment, ''), coalesce(k.bundle_id, ''), k.source, k.place
            FROM temp.known k JOIN temp.answered a ON a.id = k.receipt_id
            WHERE k.kind = 'transaction' AND k.transaction_id = k.id;
        """
}
