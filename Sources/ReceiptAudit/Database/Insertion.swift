import GRDB
import GRDBSQLite

/// A prepared INSERT into one table, bound from ``RowCells`` without a copy: what GRDB does for arguments of any
/// type costs several times what SQLite does with them.
struct Insertion {
    private let statement: Statement

    /// - Parameter sql: of ``sql(_:_:)``.
    init(_ sql: String, _ database: Database) throws {
        statement = try database.cachedStatement(sql: sql)
    }

    static func sql(_ table: String, _ columns: [String]) -> String {
        let marks = Array(repeating: "?", count: columns.count).joined(separator: ",")
        return "INSERT INTO \(table) (\(columns.joined(separator: ","))) VALUES (\(marks))"
    }

    /// Adds a row.
    /// - Parameters:
    ///   - keys: the first columns; nil is NULL.
    ///   - range: of the cells for the others.
    func insert(_ keys: Int64?..., cells: RowCells, _ range: Range<Int>, _ database: Database) throws {
        let handle = unsafe statement.sqliteStatement
        for (index, key) in keys.enumerated() {
            let column = Int32(index + 1)
            if let key {
                unsafe sqlite3_bind_int64(handle, column, key)
            } else {
                unsafe sqlite3_bind_null(handle, column)
            }
        }
        let code = unsafe cells.bytes.withUnsafeBytes { bytes in
            // Where nothing is stored, an address is needed all the same: none would be NULL.
            let base = unsafe bytes.baseAddress ?? UnsafeRawPointer(handle)
            var column = Int32(keys.count)
            for cell in cells.cells[range] {
                column += 1
                switch cell {
                case .null: unsafe sqlite3_bind_null(handle, column)
                case .integer(let number): unsafe sqlite3_bind_int64(handle, column, number)
                case .text(let place):
                    let start = unsafe (base + Int(place.lowerBound)).assumingMemoryBound(to: CChar.self)
                    unsafe sqlite3_bind_text(handle, column, start, Int32(place.count), nil)
                case .blob(let place):
                    let start = unsafe base + Int(place.lowerBound)
                    unsafe sqlite3_bind_blob(handle, column, start, Int32(place.count), nil)
                }
            }
            let code = unsafe sqlite3_step(handle)
            unsafe sqlite3_reset(handle)
            return code
        }
        guard code == SQLITE_DONE else {
            throw DatabaseError(
                resultCode: ResultCode(rawValue: code), message: database.lastErrorMessage)
        }
    }
}
