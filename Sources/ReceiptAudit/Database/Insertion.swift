import GRDB
import GRDBSQLite

/// Prepared INSERTs into one table, bound from ``RowCells`` without a copy: what GRDB does for arguments of any
/// type costs several times what SQLite does with them.
struct Insertion {
    private let statement: Statement
    /// Of ``batch`` rows at once, which takes half the time of each by itself.
    private let batchStatement: Statement

    static let batch = 4

    /// The texts, which to make anew each time would cost as much as a row.
    struct SQL: Sendable {
        fileprivate let one: String
        fileprivate let batch: String

        init(_ table: String, _ columns: [String]) {
            let marks = "(\(Array(repeating: "?", count: columns.count).joined(separator: ",")))"
            let start = "INSERT INTO \(table) (\(columns.joined(separator: ","))) VALUES "
            one = start + marks
            batch = start + Array(repeating: marks, count: Insertion.batch).joined(separator: ",")
        }
    }

    init(_ sql: SQL, _ database: Database) throws {
        statement = try database.cachedStatement(sql: sql.one)
        batchStatement = try database.cachedStatement(sql: sql.batch)
    }

    /// Adds rows that follow one another in the cells.
    /// - Parameters:
    ///   - key: the first column of each.
    ///   - width: cells of a row.
    ///   - range: of the cells of all of them.
    func insert(
        rowsOf width: Int, key: Int64, cells: RowCells, _ range: Range<Int>, _ database: Database
    ) throws {
        var start = range.lowerBound
        while range.upperBound - start >= Self.batch * width {
            let rows = start..<start + Self.batch * width
            try Binding(batchStatement, database).insert([key], cells, rows, rows: Self.batch)
            start += Self.batch * width
        }
        while start < range.upperBound {
            try insert(key, cells: cells, start..<start + width, database)
            start += width
        }
    }

    /// Adds a row.
    /// - Parameters:
    ///   - keys: the first columns; nil is NULL.
    ///   - range: of the cells for the others.
    func insert(_ keys: Int64?..., cells: RowCells, _ range: Range<Int>, _ database: Database) throws {
        try Binding(statement, database).insert(keys, cells, range)
    }
}

/// A statement that a row is bound to.
@safe
private struct Binding {
    private let handle: OpaquePointer
    private let database: Database

    init(_ statement: Statement, _ database: Database) {
        unsafe handle = statement.sqliteStatement
        self.database = database
    }

    private func check(_ code: Int32, is expected: Int32 = SQLITE_OK) throws {
        guard code != expected else { return }
        throw DatabaseError(resultCode: ResultCode(rawValue: code), message: database.lastErrorMessage)
    }

    /// Adds rows that follow one another in the cells, with the same keys before each.
    func insert(_ keys: [Int64?], _ cells: RowCells, _ range: Range<Int>, rows: Int = 1) throws {
        // What was bound is gone when this returns, and whatever is not bound is NULL.
        defer {
            unsafe sqlite3_reset(handle)
            unsafe sqlite3_clear_bindings(handle)
        }
        try unsafe cells.bytes.withUnsafeBytes { bytes in
            // Where nothing is stored, an address is needed all the same: none would be NULL.
            let base = unsafe bytes.baseAddress ?? UnsafeRawPointer(handle)
            var column: Int32 = 0
            let width = range.count / rows
            for row in 0..<rows {
                for key in keys {
                    column += 1
                    if let key { try unsafe check(sqlite3_bind_int64(handle, column, key)) }
                }
                let start = range.lowerBound + row * width
                for cell in cells.cells[start..<start + width] {
                    column += 1
                    let code =
                        switch cell {
                        case .null: SQLITE_OK
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
            }
            try unsafe check(sqlite3_step(handle), is: SQLITE_DONE)
        }
    }
}
