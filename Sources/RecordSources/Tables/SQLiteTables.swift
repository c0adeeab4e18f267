import AppReceipt
import CSQLite
import ReceiptExamination
import SQLite

/// A reader of the rows of an SQLite database.
///
/// The database is untrusted. It is opened as an immutable file. Views, virtual tables, triggers and generated
/// columns are not used, so nothing in its schema is executed.
final class SQLiteTables {
    private let connection: Connection
    private let wants: (String) -> Bool
    private var tables: ArraySlice<Table>
    private var current: (table: Table, statement: Statement)?

    private struct Table {
        let name: String
        let columns: [String]
    }

    static let start = Array("SQLite format 3\0".utf8)

    /// The maximum size of a row in bytes.
    private static let longestRow: Int32 = 64 << 20

    /// Opens a database.
    /// - Parameter wants: The closure that receives the name of a table and decides whether its rows are needed.
    init(_ path: String, wants: @escaping (String) -> Bool) throws(AuditError) {
        self.wants = wants
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

    /// Returns the next row, or nil at the end.
    /// - Throws: ``SourceDamage`` if the database cannot be read further.
    func next() throws -> SQLDump.Item? {
        do {
            while true {
                if let (table, statement) = current {
                    if try statement.step() {
                        return .row(row(of: statement), table: table.name, columns: table.columns)
                    }
                    current = nil
                }
                guard let table = tables.popFirst() else { return nil }
                guard wants(table.name), !table.columns.isEmpty else { continue }
                let columns = table.columns.map(Self.quoted).joined(separator: ", ")
                current = (
                    table, try connection.prepare("SELECT \(columns) FROM main.\(Self.quoted(table.name))")
                )
            }
        } catch {
            let reason =
                error.primaryCode == SQLITE_INTERRUPT
                ? "reading it takes too long for its size" : error.message
            throw SourceDamage(description: "table \(current?.table.name.cut ?? ""): \(reason)")
        }
    }

    private func row(of statement: Statement) -> TableRow {
        TableRow(cells: statement.names.indices.map { statement.text($0).map(TableRow.Cell.bytes) ?? .null })
    }

    private static func quoted(_ name: String) -> String {
        "\"\(name.replacing("\"", with: "\"\""))\""
    }
}
