import AppReceipt
import ReceiptJSON
import RecordSources
import SQLite
import StrictJSON

/// The original transaction ids to fetch from Apple's server, in the order in which a back end should fetch them.
///
/// Memory does not grow with the database: SQLite sorts into temporary files.
package final class MigrationList {
    /// The format of the lines.
    package enum Format: String, Sendable {
        case ndjson, csv
    }

    /// The number of ids in the list.
    package private(set) var count = 0
    /// The number of ids left out because they were fetched.
    package private(set) var done = 0
    /// The ids that were fetched, or nil if no file names any.
    package private(set) var fetched: FetchedIDs?
    /// The number of purchases left out because they have no id, and because their ids are Xcode's.
    package private(set) var withoutID = 0
    package private(set) var local = 0
    private let database: AuditDatabase

    /// Whether the lines compare receipts with Apple's answers.
    private let isComparing: Bool

    /// Makes the list from the evidence in a scope.
    /// - Parameters:
    ///   - files: The files and folders with ids that were fetched already.
    ///   - unknown: The files and folders with ids that Apple's server does not know.
    ///   - isComparing: Whether the list compares receipts with Apple's answers.
    /// - Throws: ``AuditError``.
    package init(
        of questions: QuestionDatabase, _ scope: QuestionScope, fetched files: [String] = [],
        unknown: [String] = [], isComparing: Bool = false
    ) throws {
        (database, self.isComparing) = (questions.database, isComparing)
        try database.access { database in
            try MigrationTables.create(scope, in: database)
            if let row = try database.prepare(MigrationTables.unfetchable).firstRow() {
                (local, withoutID) = (try row["local"], try row["without_id"])
            }
            var fetched = try FetchedIDs(table: "done", in: database)
            for path in files { try fetched.read(path) }
            if !files.isEmpty { self.fetched = fetched }
            var unknowns = try FetchedIDs(table: "unknown", in: database)
            for path in unknown { try unknowns.read(path) }
            try database.execute("CREATE TEMP TABLE entries (\(MigrationEntry.table))")
            try fill(database)
            try database.execute(MigrationTables.refunded)
            try database.execute(Self.ordering)
            count = try database.prepare("SELECT count(*) FROM temp.ordered").firstValue() ?? 0
            done = (try database.prepare("SELECT count(*) FROM temp.entries").firstValue() ?? 0) - count
            try database.execute("DROP TABLE temp.entries")
        }
    }

    /// Fills the table `entries`. A second statement counts the purchases of the same ids in the same order.
    private func fill(_ database: Connection) throws {
        let key = "environment, bundle_id, id"
        let rows = try database.prepare(
            "SELECT \(MigrationEntry.columns) FROM temp.known ORDER BY \(key), subject, receipt_id, position")
        let counts = try database.prepare(
            "SELECT \(key), count(DISTINCT purchase) FROM temp.known GROUP BY \(key) ORDER BY \(key)")
        let columns = MigrationEntry.table.split(separator: ",").count
        let insertion = try database.prepare(
            "INSERT INTO temp.entries VALUES (\(repeatElement("?", count: columns).joined(separator: ", ")))")
        var comparisons = isComparing ? try MigrationComparisons(database) : nil
        var entry: MigrationEntry?
        func end() throws {
            guard let entry else { return }
            guard try counts.step(), MigrationEntry.Key(counts) == entry.key else {
                throw AuditError("ids are not in order")
            }
            let comparison = try comparisons?.next(of: entry.key, newestReceipt: entry.newestReceipt)
            try entry.insert(insertion, transactions: counts.integer(3), comparison)
        }
        while try rows.step() {
            let key = MigrationEntry.Key(rows)
            if entry?.key != key {
                try end()
                entry = MigrationEntry(key)
            }
            entry?.take(rows)
        }
        try end()
    }

    private static let key = [
        "bundle_id", "environment", "original_transaction_id", "subjects", "subject_count",
    ]

    /// The columns of a line, in order.
    private static let facts =
        key + [
            "products", "product_types", "subscription_groups", "first_purchase_date", "last_purchase_date",
            "last_expiration_date", "is_refunded", "transaction_count", "records", "record_count",
        ]

    /// The columns of a line of a comparison.
    private static let differences =
        key + [
            "result", "reason", "receipt_transactions", "apple_transactions", "findings", "finding_count",
        ]

    private static let lists: Set = [
        "subjects", "products", "product_types", "subscription_groups", "records", "findings",
    ]
    private static let dates: Set = ["first_purchase_date", "last_purchase_date", "last_expiration_date"]

    /// The statements that number the ids in the order of fetching: subscriptions by their last expiration, then other
    /// purchases by their last purchase, the latest first.
    private static let ordering = """
        CREATE TEMP TABLE ordered (number INTEGER PRIMARY KEY, \(MigrationEntry.table), is_refunded INTEGER NOT NULL);
        INSERT INTO temp.ordered
            SELECT NULL, e.*, EXISTS (
                SELECT 1 FROM temp.refunded f
                WHERE f.id = e.original_transaction_id AND f.environment = coalesce(e.environment, '') AND f.bundle_id = coalesce(e.bundle_id, ''))
            FROM temp.entries e
            WHERE NOT EXISTS (SELECT 1 FROM temp.done d WHERE \(FetchedIDs.condition))
            ORDER BY e.last_expiration_date DESC, e.last_purchase_date DESC, e.original_transaction_id, e.environment,
                e.bundle_id;
        """

    // MARK: - Output

    /// Writes the lines of one part. Ids are dealt in turn, so that each part starts with the most urgent ones.
    /// - Parameters:
    ///   - part: The number of the part, from 1.
    ///   - parts: The number of parts.
    ///   - write: The closure that receives the bytes in order.
    package func write(
        _ format: Format, part: Int = 1, of parts: Int = 1, to write: ([UInt8]) throws -> Void
    ) throws {
        try database.access { database in
            let names = isComparing ? Self.differences : Self.facts
            let statement = try database.prepare(
                "SELECT \(names.joined(separator: ", ")) FROM temp.ordered WHERE number = ?")
            var bytes: [UInt8] = []
            var json = JSONWriter()
            if format == .csv {
                bytes = CSVExport.start
                CSVExport.append(names.map(\.value), to: &bytes)
            }
            for number in stride(from: part, through: count, by: parts) {
                guard let row = try statement.bind(number).firstRow()?.values else { continue }
                switch format {
                case .csv:
                    let cells = zip(names, row).map { name, value in
                        if case .integer(let date) = value, Self.dates.contains(name) {
                            return ReportText.date(date).value
                        }
                        return value
                    }
                    CSVExport.append(cells, to: &bytes)
                case .ndjson:
                    Self.append(zip(names, row), to: &json)
                    if json.count > 1 << 16 {
                        bytes += json.bytes
                        json.removeAll()
                    }
                }
                guard bytes.count > 1 << 16 else { continue }
                try write(bytes)
                bytes.removeAll(keepingCapacity: true)
            }
            try write(bytes + json.bytes)
        }
    }

    private static func append(_ members: some Sequence<(String, Value)>, to json: inout JSONWriter) {
        json.object { json in
            for (name, value) in members {
                json.key(text: name)
                switch value {
                case .null, .real, .blob: json.null()
                case .text(let text) where lists.contains(name): json.raw(text)
                case .text(let text): json.string(String(decoding: text, as: UTF8.self))
                case .integer(let date) where dates.contains(name):
                    json.date(Timestamp(millisecondsSince1970: date))
                case .integer(let flag) where name.hasPrefix("is_"): json.bool(flag != 0)
                case .integer(let number): json.number(number)
                }
            }
        }
        json.endLine()
    }

    /// Returns the coverage of each app and environment with receipts.
    package func coverage() throws -> [MigrationCoverage] {
        try database.access { try $0.prepare(MigrationCoverage.query).map(MigrationCoverage.init) }
    }

    /// Returns the number of records that are refused, and may hold ids that the list lacks.
    package func refused() throws -> Int {
        try database.access {
            try $0.prepare(
                "SELECT count(*) FROM main.receipts WHERE status = 'refused' AND bundle_id IS NULL"
            ).firstValue() ?? 0
        }
    }

    /// Returns the records, files, fields and sources that the audit did not read, or none if it read all.
    package func unread() throws -> [String] {
        try database.access { database in
            let fields: [String] = try database.prepare(
                "SELECT title FROM main.not_looked_for WHERE reason IN (?, ?) ORDER BY id",
                SkippedChecks.unreadField, SkippedChecks.emptySource
            ).values()
            let row = try database.prepare(
                "SELECT unreadable, not_selected, coalesce(filtered, 0) FROM main.runs"
            ).firstRow()
            let counts = row?.values.compactMap(Int.init(value:)) ?? []
            guard counts.contains(where: { $0 > 0 }) else { return fields }
            func text(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
            let records = """
                \(text(counts[0], "unreadable record")), \(text(counts[1], "record")) not selected, \
                \(text(counts[2], "file")) filtered
                """
            return [records] + fields
        }
    }

    /// The maximum number of parts.
    package static let mostParts = 1000

    /// Writes each part to a file of a new or empty folder. Each file is complete as soon as it has its name.
    package func write(_ format: Format, to folder: NewFolder, parts: Int) throws {
        for part in 1...parts {
            let path = "\(folder.path)/ids-\(part)-of-\(parts).\(format.rawValue)"
            try UnfinishedFile.write(to: path) { sink in
                try write(format, part: part, of: parts) { try sink.write($0) }
            }
        }
    }
}
