import CSQLite
import SQLite

/// Prepared INSERTs into one table, bound from ``RowCells`` without copying.
struct Insertion {
    private let statement: Statement

    /// The SQL text, which is reused because creating it costs as much as inserting a row.
    struct SQL: Sendable {
        fileprivate let text: String

        /// Creates the text.
        ///
        /// Without a conflict clause, SQLite keeps a journal of each multi-row statement, which takes longer
        /// than the rows. With the clause in this text, a row that cannot be added rolls back the
        /// transaction. No run continues after such a row.
        /// - Parameter rows: The number of rows in each INSERT.
        init(_ table: String, _ columns: [String], rows: Int = 1) {
            let marks = "(\(Array(repeating: "?", count: columns.count).joined(separator: ",")))"
            text =
                "INSERT OR ROLLBACK INTO \(table) (\(columns.joined(separator: ","))) VALUES "
                + Array(repeating: marks, count: rows).joined(separator: ",")
        }

        init(_ table: RowTable, rows: Int = 1) { self.init(table.name, table.insertion, rows: rows) }
    }

    init(_ sql: SQL, _ database: Connection) throws { statement = try database.cachedStatement(sql.text) }

    /// Adds a row.
    /// - Parameters:
    ///   - keys: The values of the first columns; nil is NULL.
    ///   - range: The range of the cells for the other columns.
    func insert(_ keys: Int64?..., cells: RowCells, _ range: Range<Int>, _ database: Connection) throws {
        try insert(keys, cells.cells[range], of: cells.bytes, [0], database)
    }

    /// Adds as many rows as the SQL text has.
    /// - Parameters:
    ///   - keys: The values of the first columns of each row.
    ///   - cells: The cells for the other columns of each row.
    ///   - bases: For each row, the offset in the bytes to which the ranges of its cells are relative.
    func insert(
        _ keys: [Int64?], _ cells: ArraySlice<RowCells.Cell>, of bytes: [UInt8], _ bases: [Int],
        _ database: Connection
    ) throws {
        let rows = bases.count
        let handle = unsafe statement.handle
        func check(_ code: Int32, is expected: Int32 = SQLITE_OK) throws {
            guard code == expected else { throw statement.error(code) }
        }
        // The bound memory is invalid after this function returns. Columns without a binding are NULL.
        defer {
            unsafe sqlite3_reset(handle)
            unsafe sqlite3_clear_bindings(handle)
        }
        try unsafe bytes.withUnsafeBytes { bytes in
            // Empty text needs an address too: a nil pointer would mean NULL.
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
