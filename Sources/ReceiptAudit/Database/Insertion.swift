import GRDB
import GRDBSQLite

/// Prepared INSERTs into one table, bound from ``RowCells`` without a copy: what GRDB does for arguments of any
/// type costs several times what SQLite does with them.
struct Insertion {
    private let statement: Statement

    /// The text, which to make anew each time would cost as much as a row.
    struct SQL: Sendable {
        fileprivate let text: String

        /// - Parameter rows: that are added at a time.
        ///
        /// Without a word on conflicts SQLite keeps a journal of each statement of several rows, which takes longer than
        /// the rows do. A row that cannot be added takes the transaction with it: no run goes on behind one.
        init(_ table: String, _ columns: [String], rows: Int = 1) {
            let marks = "(\(Array(repeating: "?", count: columns.count).joined(separator: ",")))"
            text =
                "INSERT OR ROLLBACK INTO \(table) (\(columns.joined(separator: ","))) VALUES "
                + Array(repeating: marks, count: rows).joined(separator: ",")
        }
    }

    init(_ sql: SQL, _ database: Database) throws { statement = try database.cachedStatement(sql: sql.text) }

    /// Adds a row.
    /// - Parameters:
    ///   - keys: the first columns; nil is NULL.
    ///   - range: of the cells for the others.
    func insert(_ keys: Int64?..., cells: RowCells, _ range: Range<Int>, _ database: Database) throws {
        try insert(keys, cells.cells[range], of: cells.bytes, [0], database)
    }

    /// Adds as many rows as the text has, one behind the other.
    /// - Parameters:
    ///   - keys: the first columns of each row.
    ///   - cells: for the others of each row.
    ///   - bases: of each row, what the places of its cells are counted from in the bytes.
    func insert(
        _ keys: [Int64?], _ cells: ArraySlice<RowCells.Cell>, of bytes: [UInt8], _ bases: [Int],
        _ database: Database
    ) throws {
        let rows = bases.count
        let handle = unsafe statement.sqliteStatement
        func check(_ code: Int32, is expected: Int32 = SQLITE_OK) throws {
            guard code != expected else { return }
            throw DatabaseError(resultCode: ResultCode(rawValue: code), message: database.lastErrorMessage)
        }
        // What was bound is gone when this returns, and whatever is not bound is NULL.
        defer {
            unsafe sqlite3_reset(handle)
            unsafe sqlite3_clear_bindings(handle)
        }
        try unsafe bytes.withUnsafeBytes { bytes in
            // Where nothing is stored, an address is needed all the same: none would be NULL.
            let start = unsafe bytes.baseAddress ?? UnsafeRawPointer(handle)
            var column: Int32 = 0
            for row in 0..<rows {
                let base = bases[row]
                for key in keys[row * keys.count / rows..<(row + 1) * keys.count / rows] {
                    column += 1
                    if let key { try unsafe check(sqlite3_bind_int64(handle, column, key)) }
                }
                let width = cells.count / rows
                let first = cells.startIndex + row * width
                for cell in cells[first..<first + width] {
                    column += 1
                    let code =
                        switch cell {
                        case .null: SQLITE_OK
                        case .integer(let number): unsafe sqlite3_bind_int64(handle, column, number)
                        case .text(let place):
                            unsafe sqlite3_bind_text64(
                                handle, column,
                                (start + (base + place.lowerBound)).assumingMemoryBound(to: CChar.self),
                                UInt64(place.count), nil, UInt8(SQLITE_UTF8))
                        case .blob(let place):
                            unsafe sqlite3_bind_blob64(
                                handle, column, start + (base + place.lowerBound), UInt64(place.count), nil)
                        }
                    try check(code)
                }
            }
            try unsafe check(sqlite3_step(handle), is: SQLITE_DONE)
        }
    }
}
