import AppReceipt
import CSQLite
import ReceiptExamination
import SQLite

/// The rows of an SQLite database that hold receipts.
///
/// The database is untrusted. It is opened as an immutable file. Views, virtual tables, triggers and generated
/// columns are not used, so nothing in its schema is executed.
final class SQLiteSource: BatchSource {
    private let connection: Connection
    private let path: String
    private var tables: ArraySlice<Table>
    private var rows: TableRows
    private let ahead: ReadAhead
    private var current: (table: Table, statement: Statement)?
    private var last: ArraySlice<Batch> = []
    private var isDone = false

    private struct Table {
        let name: String
        let columns: [String]
    }

    static let start = Array("SQLite format 3\0".utf8)

    /// The maximum size of a row in bytes.
    private static let longestRow: Int32 = 64 << 20

    /// Opens a database.
    /// - Throws: ``AuditError``.
    init(
        path: String, source: String, _ settings: TableSettings, limits: ReceiptLimits, limit: Int,
        ahead: ReadAhead
    ) throws(AuditError) {
        (self.path, self.ahead) = (path, ahead)
        rows = TableRows(source: source, name: path, settings, limits: limits, limit: limit)
        let size = InputFile(path: path).size ?? 0
        do {
            connection = try Connection(immutable: path)
            connection.limitLength(to: Self.longestRow)
            // A scan takes a few steps for each column. A damaged file may lead in circles.
            connection.limitSteps(to: 20_000_000 + min(size, 1 << 50) * 40)
            tables = try Self.tables(of: connection)[...]
        } catch {
            throw AuditError("\(path): \(error)")
        }
    }

    /// Fails if changes to the database are in another file, which an immutable database does not read.
    /// - Throws: ``AuditError``.
    static func requireComplete(_ path: String) throws(AuditError) {
        for other in DatabaseFile.companionPaths(of: path) where !other.hasSuffix("-shm") {
            // A finished journal may remain with a header of zeros.
            let start = (try? InputFile(path: other).start(8)) ?? []
            guard start.contains(where: { $0 != 0 }) else { continue }
            throw AuditError(
                "\(other): contains changes that are not in \(path); close the database, or run sqlite3 \(path) "
                    + "'VACUUM INTO \"copy.sqlite\"' and read the copy")
        }
    }

    private static func tables(of connection: Connection) throws -> [Table] {
        let names: [String] = try connection.prepare(
            """
            SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
                AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY rowid LIMIT \(TableRows.mostTables)
            """
        ).values()
        return try names.map { name in
            // Generated and hidden columns have another number in `hidden`.
            let columns: [String] = try connection.prepare(
                "SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0 ORDER BY cid", name
            ).values()
            return Table(name: name, columns: columns)
        }
    }

    func next() throws -> Batch? {
        while !isDone {
            if let batch = rows.batch(of: ahead.batchBytes) { return batch }
            do {
                try readRow()
            } catch let error as SQLiteError {
                let reason =
                    error.primaryCode == SQLITE_INTERRUPT
                    ? "reading it takes too long for its size" : error.message
                end("table \(current?.table.name.cut ?? ""): \(reason)")
            }
        }
        return last.popFirst()
    }

    /// Reads the next row, or begins the next table.
    private func readRow() throws {
        guard let (table, statement) = current else {
            guard let table = tables.popFirst() else { return end(nil) }
            guard rows.wants(table.name), !table.columns.isEmpty else { return }
            let columns = table.columns.map(Self.quoted).joined(separator: ", ")
            current = (
                table, try connection.prepare("SELECT \(columns) FROM main.\(Self.quoted(table.name))")
            )
            return
        }
        guard try statement.step() else {
            current = nil
            return
        }
        var row = TableRow()
        for column in table.columns.indices {
            row.cells.append(statement.text(column).map(TableRow.Cell.bytes) ?? .null)
        }
        rows.add(row, of: table.name, table.columns)
    }

    private static func quoted(_ name: String) -> String {
        "\"\(name.replacing("\"", with: "\"\""))\""
    }

    private func end(_ damage: String?) {
        current = nil
        last = rows.end(damage)[...]
        isDone = true
    }
}
