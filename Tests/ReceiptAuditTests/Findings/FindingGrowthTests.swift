import Foundation
import SQLite
import Testing

@testable import ReceiptAudit

/// The cost of each kind of finding. Ten times the rows take ten times the SQLite steps, and at most a
/// thousand steps a row.
struct FindingGrowthTests {
    /// Sanitizers do not slow this test, because the system's SQLite is not instrumented.
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
        INSERT INTO receipts (id, source, place, record, subject, sha256, content_sha256, status, realm, bundle_id, environment, created_at)
            SELECT i, '', i, 'r' || i, \(subject), 'digest', 'content', 'genuine', 'app_store', 'b', 'Production', 500 FROM (\(count));
        """
    }

    /// Returns SQL that inserts a transaction for each number.
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
        // One receipt under N subjects.
        ("shared-receipt", receipts()),
        // One original transaction under N subjects, and N original transactions of two.
        ("shared-purchase", receipts() + transactions(receipt: "i", id: "'t' || i")),
        (
            "shared-purchase",
            receipts("SELECT 1 AS i UNION SELECT 2")
                + transactions(receipt: "1 + i % 2", id: "'t' || i", original: "'o' || (i / 2)")
        ),
        // One original transaction of N apps, each with two subjects.
        (
            "shared-purchase",
            receipts() + "UPDATE receipts SET bundle_id = 'b' || (id / 2);"
                + transactions(receipt: "i", id: "'t' || i")
        ),
        // One subject with N offers, in one group and in N groups.
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
        // One transaction in N versions, and N transactions in two versions.
        ("told-differently", receipts() + transactions(receipt: "i", id: "'t'")),
        (
            "told-differently",
            receipts("SELECT 1 AS i UNION SELECT 2")
                + transactions(receipt: "1 + i % 2", id: "'t' || (i / 2)")
        ),
        // N purchases after the receipt's creation, with and without expiration, and N receipts.
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
        // N signers with one serial number, and N signers with one receipt each.
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
    func stepsAreLinear(index: Int) throws {
        let (kind, rows) = Self.rules[index]
        let most = Self.most
        let tenth = try Self.steps(most / 10, kind, rows)
        let whole = try Self.steps(most, kind, rows)
        #expect(Double(whole) / Double(tenth) < 13, "\(kind): \(tenth) steps, then \(whole)")
        #expect(whole < most * 1000, "\(kind): \(whole) steps")
    }

    /// Returns the SQLite steps that a finding takes for a number of rows. Stops far above the limit.
    private static func steps(_ count: Int, _ kind: String, _ rows: String) throws -> Int {
        try withDatabase(":memory:") { database in
            try database.execute(AuditSchema.tables)
            try database.execute(start.replacing("$N", with: "\(count)") + rows)
            try database.execute(AuditSchema.indexes)
            let limit = count * 4000
            database.limitSteps(to: limit)
            try Findings.insert(FindingRule.all.filter { $0.kind == kind }, into: database)
            try Incidents.insert(into: database)
            let steps = limit - (database.stepsLeft ?? limit)
            let found: Int? = try database.prepare(
                "SELECT count(*) FROM finding_evidence WHERE finding_id LIKE ? || ':%'", kind
            ).firstValue()
            #expect((found ?? 0) > count / 4, "\(kind): \(found ?? 0) rows of evidence")
            return steps
        }
    }
}
