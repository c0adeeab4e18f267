import ReceiptJSON
import SQLite
import StrictJSON

/// The facts about one original transaction id of an app and environment.
///
/// Rows arrive ordered by subject and record, so the numbers of distinct subjects and records need no memory.
struct MigrationEntry {
    /// The columns of the rows.
    static let columns = """
        environment, bundle_id, id, subject, receipt_id, source, place, record, product_id, product_type, subscription_group,
            purchase_date, expires_date, created_at, kind IN ('receipt', 'transaction-receipt')
        """

    /// The columns that identify an entry.
    struct Key: Equatable {
        let environment: [UInt8]?
        let bundleID: [UInt8]?
        let id: [UInt8]

        init(_ row: Statement) {
            (environment, bundleID, id) = (row.bytes(0), row.bytes(1), row.bytes(2) ?? [])
        }
    }

    private struct Record: Comparable {
        let number: Int64
        let source: [UInt8]
        let place: Int64
        let name: [UInt8]?

        static func < (left: Self, right: Self) -> Bool { left.number < right.number }
        static func == (left: Self, right: Self) -> Bool { left.number == right.number }
    }

    let key: Key
    private var subjects: [[UInt8]] = []
    private var subjectCount = 0
    private var lastSubject: [UInt8]?
    private var products = FirstValues<Text>()
    private var types = FirstValues<Text>()
    private var groups = FirstValues<Text>()
    private var records = FirstValues<Record>()
    private var recordCount = 0
    private var lastRecord: (source: [UInt8], place: Int64)?
    private var firstPurchase: Int64?
    private var lastPurchase: Int64?
    private var lastExpiration: Int64?
    /// The date of the newest receipt that shows the id, or nil if there is none.
    private(set) var newestReceipt: Int64?

    init(_ key: Key) { self.key = key }

    /// Text in the order of its bytes.
    private struct Text: Comparable {
        let bytes: [UInt8]

        static func < (left: Self, right: Self) -> Bool { left.bytes.lexicographicallyPrecedes(right.bytes) }
    }

    /// Adds a row with ``columns``.
    mutating func take(_ row: Statement) {
        if let subject = row.bytes(3), subject != lastSubject {
            lastSubject = subject
            subjectCount += 1
            if subjects.count < migrationListLimit { subjects.append(subject) }
        }
        let (source, place) = (row.bytes(5) ?? [], row.integer(6))
        if lastRecord.map({ $0 == (source, place) }) != true {
            lastRecord = (source, place)
            recordCount += 1
            records.add(Record(number: row.integer(4), source: source, place: place, name: row.bytes(7)))
        }
        if let product = row.bytes(8) { products.add(Text(bytes: product)) }
        if let type = row.bytes(9) { types.add(Text(bytes: type)) }
        if let group = row.bytes(10) { groups.add(Text(bytes: group)) }
        if !row.isNull(11) {
            let date = row.integer(11)
            firstPurchase = min(firstPurchase ?? date, date)
            lastPurchase = max(lastPurchase ?? date, date)
        }
        if !row.isNull(12) { lastExpiration = max(lastExpiration ?? row.integer(12), row.integer(12)) }
        if row.integer(14) == 1 { newestReceipt = max(newestReceipt ?? .min, row.integer(13)) }
    }

    // MARK: - The row

    /// The columns of the table `entries`. Lists are JSON arrays.
    static let table = """
        environment TEXT, bundle_id TEXT, original_transaction_id TEXT NOT NULL, subjects TEXT NOT NULL, subject_count INTEGER NOT NULL,
            products TEXT NOT NULL, product_types TEXT NOT NULL, subscription_groups TEXT NOT NULL,
            first_purchase_date INTEGER, last_purchase_date INTEGER, last_expiration_date INTEGER,
            transaction_count INTEGER NOT NULL,
            records TEXT NOT NULL, record_count INTEGER NOT NULL, result TEXT, reason TEXT, receipt_transactions INTEGER,
            apple_transactions INTEGER, findings TEXT, finding_count INTEGER
        """

    /// Inserts the entry with a statement that has a parameter for each column of ``table``.
    /// - Parameter comparison: The comparison with Apple's answers, or nil if there is none.
    func insert(
        _ statement: Statement, transactions: Int64, _ comparison: MigrationComparison?
    ) throws(SQLiteError) {
        func text(_ bytes: [UInt8]?) -> Value { bytes.map(Value.text) ?? .null }
        func list(_ values: [[UInt8]]) -> Value {
            .text(JSONWriter.text { $0.array(values) { $0.string(String(decoding: $1, as: UTF8.self)) } })
        }
        let listed = records.values
        let names = JSONWriter.text { json in
            json.array(listed) { json, record in
                json.object { json in
                    json.string("source", String(decoding: record.source, as: UTF8.self))
                    json.number("place", record.place)
                    json.string("record", record.name.map { String(decoding: $0, as: UTF8.self) })
                }
            }
        }
        try statement.bind(
            text(key.environment), text(key.bundleID), text(key.id), list(subjects), subjectCount,
            list(products.values.map(\.bytes)), list(types.values.map(\.bytes)),
            list(groups.values.map(\.bytes)),
            firstPurchase, lastPurchase, lastExpiration, transactions, Value.text(names), recordCount,
            comparison?.result.rawValue, comparison?.reason, comparison?.receiptTransactions,
            comparison?.appleTransactions,
            comparison.map { Value.text($0.json) }, comparison?.findingCount
        ).execute()
    }
}
