import Foundation
import GRDB
import GRDBSQLite
import Synchronization
import Testing

@testable import ReceiptAudit

/// Every kind of finding over many of whatever it counts: ten times as much takes ten times the steps of SQLite and no
/// kind takes more than a thousand a row.
struct FindingGrowthTests {
    /// SQLite is the system's and not instrumented: a sanitizer makes this no slower.
    private static let most = ProcessInfo.processInfo.environment["FINDING_ROWS"].flatMap(Int.init) ?? 20_000

    private static let start = """
        INSERT INTO runs (id, tool_version, arguments, settings, anchors, as_of, as_of_is_clock, started_at)
            VALUES (1, '', '', '', '', 1000, 1, 0);
        CREATE TABLE n (i INTEGER PRIMARY KEY);
        INSERT INTO n WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT $N) SELECT i FROM n;
        """

    private static func receipts(_ count: String = "SELECT i FROM n", subject: String = "'s' || i") -> String
    {
        """
        INSERT INTO receipts (id, source, place, record, subject, sha256, content_sha256, status, bundle_id, environment, created_at)
            SELECT i, '', i, 'r' || i, \(subject), 'digest', 'content', 'genuine', 'b', 'Production', 500 FROM (\(count));
        """
    }

    /// A transaction with its place, for each number.
    private static func transactions(
        receipt: String, id: String, original: String = "'1'", more: String = "NULL, 0",
        from rows: String = "n"
    ) -> String {
        """
        INSERT INTO transactions (receipt_id, position, product_id, transaction_id, original_transaction_id,
                purchase_date, expires_date, is_trial_period)
            SELECT \(receipt), i, 'p', \(id), \(original), 400 + 1000 * i, \(more) FROM \(rows);
        """
    }

    static let rules: [(kind: String, rows: String)] = [
        // One receipt under as many subjects.
        ("shared-receipt", receipts()),
        // One original transaction under as many subjects, and as many originals of two.
        ("shared-purchase", receipts() + transactions(receipt: "i", id: "'t' || i")),
        (
            "shared-purchase",
            receipts("SELECT 1 AS i UNION SELECT 2")
                + transactions(receipt: "1 + i % 2", id: "'t' || i", original: "'o' || (i / 2)")
        ),
        // One original of as many apps, each with two subjects.
        (
            "shared-purchase",
            receipts() + "UPDATE receipts SET bundle_id = 'b' || (id / 2);"
                + transactions(receipt: "i", id: "'t' || i")
        ),
        // One subject with as many offers, of one group and of as many.
        (
            "several-introductory-offers",
            receipts("SELECT 1 AS i")
                + transactions(receipt: "1", id: "i + 1", original: "i + 1", more: "NULL, 1")
        ),
        (
            "several-introductory-offers",
            receipts("SELECT 1 AS i")
                + transactions(receipt: "1", id: "i + 1", original: "i + 1", more: "NULL, 1")
                + "UPDATE transactions SET subscription_group = 'g' || (position / 2);"
        ),
        // One transaction told in as many ways, and as many told in two.
        ("told-differently", receipts() + transactions(receipt: "i", id: "'t'")),
        (
            "told-differently",
            receipts("SELECT 1 AS i UNION SELECT 2")
                + transactions(receipt: "1 + i % 2", id: "'t' || (i / 2)")
        ),
        // As many purchases of one receipt after it, with and without an expiry, and as many receipts.
        (
            "created-before-purchase",
            receipts("SELECT 1 AS i") + transactions(receipt: "1", id: "i", more: "9e9, 0")
        ),
        ("created-before-purchase", receipts("SELECT 1 AS i") + transactions(receipt: "1", id: "i")),
        ("created-before-purchase", receipts() + transactions(receipt: "i", id: "i", more: "9e9, 0")),
        ("created-after-as-of", receipts() + "UPDATE receipts SET created_at = 2000;"),
        (
            "wrong-device",
            receipts() + "UPDATE receipts SET status = 'refused', refusal_code = 'wrong_device';"
        ),
        // As many signers: of one serial number, and of a receipt each.
        (
            "unusual-certificate",
            "INSERT INTO certificates SELECT i, 'c' || i, 'CN=s', 'CN=i', '1', 0, 1 FROM n;"
        ),
        (
            "unusual-certificate",
            "INSERT INTO certificates SELECT i, 'c' || i, 'CN=s', 'CN=i', i, 0, 1 FROM n;" + receipts()
                + "UPDATE receipts SET signer_id = id, realm = 'storekit_test';"
                + "UPDATE receipts SET realm = 'app_store' WHERE id < 3;"
        ),
    ]

    @Test(arguments: rules.indices)
    func stepsGrowWithTheRows(index: Int) throws {
        let (kind, rows) = Self.rules[index]
        let most = Self.most
        let tenth = try Self.steps(most / 10, kind, rows)
        let whole = try Self.steps(most, kind, rows)
        #expect(Double(whole) / Double(tenth) < 13, "\(kind): \(tenth) steps, then \(whole)")
        #expect(whole < most * 1000, "\(kind): \(whole) steps")
    }

    /// The steps that the finding takes over so many rows; it ends where it takes far too many.
    private static func steps(_ count: Int, _ kind: String, _ rows: String) throws -> Int {
        let queue = try DatabaseQueue()
        return try queue.write { database in
            try database.execute(sql: AuditSchema.tables)
            try database.execute(sql: start.replacing("$N", with: "\(count)") + rows)
            try database.execute(sql: AuditSchema.indexes)
            let counter = Counter(limit: count * 4000)
            unsafe sqlite3_progress_handler(
                database.sqliteConnection, 1000,
                { context in
                    guard let context = unsafe context else { return 1 }
                    return unsafe Unmanaged<Counter>.fromOpaque(context).takeUnretainedValue().add(1000)
                        ? 1 : 0
                }, unsafe Unmanaged.passUnretained(counter).toOpaque())
            try Findings.insert(FindingRule.all.filter { $0.kind == kind }, into: database)
            try Incidents.insert(into: database)
            unsafe sqlite3_progress_handler(database.sqliteConnection, 0, nil, nil)
            let found = try Int.fetchOne(
                database, sql: "SELECT count(*) FROM finding_evidence WHERE finding_id LIKE ? || ':%'",
                arguments: [kind])
            #expect((found ?? 0) > count / 4, "\(kind): \(found ?? 0) rows of evidence")
            return counter.steps
        }
    }

    private final class Counter: Sendable {
        private let count = Atomic(0)
        private let limit: Int

        init(limit: Int) { self.limit = limit }

        var steps: Int { count.load(ordering: .relaxed) }

        /// - Returns: whether it is too much.
        func add(_ steps: Int) -> Bool { count.add(steps, ordering: .relaxed).newValue > limit }
    }
}
