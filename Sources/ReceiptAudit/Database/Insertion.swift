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
        // What was bound is gone when this returns.
        defer {
            unsafe sqlite3_reset(handle)
            unsafe sqlite3_clear_bindings(handle)
        }
        func check(_ code: Int32, is expected: Int32 = SQLITE_OK) throws {
            guard code != expected else { return }
            throw DatabaseError(resultCode: ResultCode(rawValue: code), message: database.lastErrorMessage)
        }
        for (index, key) in keys.enumerated() {
            // What is not bound is NULL.
            if let key { try unsafe check(sqlite3_bind_int64(handle, Int32(index + 1), key)) }
        }
        try unsafe cells.bytes.withUnsafeBytes { bytes in
            // Where nothing is stored, an address is needed all the same: none would be NULL.
            let base = unsafe bytes.baseAddress ?? UnsafeRawPointer(handle)
            var column = Int32(keys.count)
            for cell in cells.cells[range] {
                column += 1
                let code =
                    switch cell {
                    case .null: unsafe sqlite3_bind_null(handle, column)
                    case .integer(let number): unsafe sqlite3_bind_int64(handle, column, number)
                    case .text(let place):
                        unsafe sqlite3_bind_text64(
                            handle, column, (base + place.lowerBound).assumingMemoryBound(to: CChar.self),
                            UInt64(place.count), nil, UInt8(SQLITE_UTF8))
                    case .blob(let place):
                        unsafe sqlite3_bind_blob64(
                            handle, column, base + place.lowerBound, UInt64(place.count), nil)
                    }
                try check(code)
            }
            try unsafe check(sqlite3_step(handle), is: SQLITE_DONE)
        }
    }
}
