import AppReceipt
import Foundation
import GRDB

/// Verifies a run again and holds every row against what comes out now.
///
/// What cannot be known again is not compared: the tool's version, its arguments, the sources' names, when the run
/// began and ended, and how many bytes of lines it wrote.
final class Replay {
    private let database: AuditDatabase
    private var records = 0
    private var certificates: [Int64: [StoredValue]] = [:]
    private var named: Set<[UInt8]> = []
    private let differ: (String) -> Void
    private(set) var differences = 0

    /// - Parameter differ: told of each difference, in a line.
    init(_ database: AuditDatabase, differ: @escaping (String) -> Void) throws(AuditError) {
        self.database = database
        self.differ = differ
        let columns = ReceiptRows.certificateColumns.joined(separator: ", ")
        let rows = try database.access {
            try StoredValue.rows($0.makeStatement(sql: "SELECT \(columns) FROM certificates"))
        }
        for row in rows { if case .integer(let id) = row[0] { certificates[id] = Array(row.dropFirst()) } }
    }

    func compare(_ rows: [ReceiptRows]) throws(AuditError) {
        try database.access { database in
            let receipt = try Self.select("receipts", ReceiptRows.receiptColumns, key: "id", database)
            let transactions = try Self.select("transactions", ReceiptRows.transactionColumns, database)
            let verdicts = try Self.select("verdicts", ReceiptRows.verdictColumns, database)
            for row in rows {
                records += 1
                let id = Int64(records)
                guard let found = try StoredValue.rows(receipt, key: id).first else {
                    note("receipts \(records): the row is missing")
                    continue
                }
                compareReceipt(found, row)
                compare(
                    "transactions", try StoredValue.rows(transactions, key: id),
                    row.transactions.map(row.values), ReceiptRows.transactionColumns)
                // In any order: the key is the product, which the catalogue orders otherwise.
                compare(
                    "verdicts", try StoredValue.rows(verdicts, key: id),
                    row.verdicts.map(row.values).sorted { $0[0].isBefore($1[0]) },
                    ReceiptRows.verdictColumns)
            }
        }
    }

    /// What is in the database beyond the records: the run, the schema, rows of no record, and the findings, which
    /// follow from the other rows.
    func finish(_ counts: AuditCounts) throws(AuditError) {
        let stored = try database.progress()
        if !stored.isFinished { note("runs 1: the run did not end") }
        for (name, was, now) in [
            ("genuine", stored.counts.genuine, counts.genuine),
            ("refused", stored.counts.refused, counts.refused),
            ("unreadable", stored.counts.unreadable, counts.unreadable),
            ("hidden", stored.counts.leftOut.hidden, counts.leftOut.hidden),
            ("links", stored.counts.leftOut.links, counts.leftOut.links),
            ("blank_lines", stored.counts.leftOut.blankLines, counts.leftOut.blankLines),
        ] where was != now { note("runs 1: \(name) was \(was), is \(now)") }
        let records = records
        try database.access { database in
            try compareRun(database)
            try compareSchema(database)
            let digests = Set(named.map { StoredValue.text(Array(hexadecimal($0).utf8)) })
            for (id, facts) in certificates where !digests.contains(facts[0]) {
                note("certificates \(id): no receipt names it")
            }
            for table in ["receipts", "transactions", "verdicts"] {
                let key = table == "receipts" ? "id" : "receipt_id"
                let count = try Int.fetchOne(
                    database, sql: "SELECT count(*) FROM \(table) WHERE \(key) > ? OR \(key) < 1",
                    arguments: [records])
                if let count, count > 0 { note("\(table): \(count) rows of no record") }
            }
            try Findings.insertForComparison(into: database)
            for (table, columns) in [
                ("findings", "id, kind, severity, summary"),
                ("finding_evidence", "finding_id, number, receipt_id, position, certificate_id"),
                ("finding_kinds", "kind, title, reason"),
            ] {
                for (one, other, what) in [
                    ("main.", "temp.found_", "follows from no row"), ("temp.found_", "main.", "is missing"),
                ] {
                    let rows = try Row.fetchCursor(
                        database,
                        sql: """
                            SELECT \(columns) FROM \(one)\(table) EXCEPT SELECT \(columns) FROM \(other)\(table)
                            """)
                    while let row = try rows.next() { note("\(table) \(row[0] ?? "NULL"): \(what)") }
                }
            }
        }
    }

    /// The settings were found to be those of now; the other columns say the same once more.
    private func compareRun(_ database: Database) throws {
        guard let run = try Row.fetchOne(database, sql: "SELECT * FROM runs") else { return }
        let text = Data((run["settings"] as String).utf8)
        let settings = try JSONDecoder().decode([String: String].self, from: text)
        let anchors = (settings["anchors"] ?? "").split(separator: ",").map { "\"\($0)\"" }
        let asOf = Timestamp(millisecondsSince1970: run["as_of"]).rfc3339
        for (name, was, now) in [
            ("anchors", run["anchors"], "[\(anchors.joined(separator: ","))]"),
            ("catalog_sha256", run["catalog_sha256"] ?? "none", settings["catalog"]),
            ("as_of", asOf + (run["as_of_is_clock"] ? " (clock)" : ""), settings["as-of"]),
            ("records", String(run["records"] as Int), String(records)),
        ] as [(String, String, String?)] where was != now {
            note("runs 1: \(name) was \(was), is \(now ?? "not known")")
        }
    }

    /// Tables, views and indexes as this version makes them. What somebody added changes none of them.
    private func compareSchema(_ database: Database) throws {
        let sql = "SELECT type || ' ' || name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY 1"
        let made = try DatabaseQueue().write { fresh in
            try fresh.execute(sql: AuditSchema.tables + AuditSchema.indexes + AuditSchema.views)
            return try Row.fetchAll(fresh, sql: sql)
        }
        let found = Set(try Row.fetchAll(database, sql: sql))
        for row in made where !found.contains(row) {
            note("\(row[0] as String): not as this version makes it")
        }
    }

    private static func select(
        _ table: String, _ columns: [String], key: String = "receipt_id", _ database: Database
    ) throws -> Statement {
        let order = table == "receipts" ? "" : " ORDER BY \(columns[1])"
        return try database.cachedStatement(
            sql: "SELECT \(columns.joined(separator: ", ")) FROM \(table) WHERE \(key) = ?\(order)")
    }

    private func compareReceipt(_ found: [StoredValue], _ row: ReceiptRows) {
        let names = ReceiptRows.receiptColumns
        // The source may have moved since.
        for (index, value) in row.values(ReceiptRows.receipt).enumerated()
        where names[index + 4] != "source" && found[index + 4] != value {
            note("receipts \(records): \(names[index + 4]) was \(found[index + 4]), is \(value)")
        }
        let chain = row.certificates
        for certificate in chain { named.insert(certificate.sha256) }
        let expected = [chain.first, chain.count > 2 ? chain[1] : nil, chain.last]
        for (index, certificate) in expected.enumerated() {
            var facts: [StoredValue]?
            if case .integer(let id) = found[index + 1] { facts = certificates[id] }
            let now = certificate.map(ReceiptRows.cells)
            if facts != now.map({ cells in cells.cells.indices.map(cells.value) }) {
                note("receipts \(records): \(names[index + 1]) names another certificate")
            }
        }
    }

    private func compare(
        _ table: String, _ found: [[StoredValue]], _ expected: [[StoredValue]], _ names: [String]
    ) {
        if found.count != expected.count {
            note("\(table) of receipt \(records): \(found.count) rows, should be \(expected.count)")
        }
        for (row, values) in zip(found, expected) {
            let stored = Array(row.dropFirst())
            for index in values.indices where stored[index] != values[index] {
                note(
                    "\(table) \(records), \(stored[0]): \(names[index + 1]) was \(stored[index]), is \(values[index])"
                )
            }
        }
    }

    private func note(_ difference: String) {
        differences += 1
        differ(difference)
    }
}
