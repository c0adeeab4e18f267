import AppReceipt
import Foundation
import GRDB
import GRDBSQLite

/// The exact value of a column in a row. Text is read by its length, not up to its first zero.
enum StoredValue: Hashable, CustomStringConvertible {
    case null
    case integer(Int64)
    case real(Double)
    case text([UInt8])
    case blob([UInt8])

    /// Reads a column of a statement's current row.
    init(_ statement: Statement, column: Int) {
        let (handle, column) = unsafe (statement.sqliteStatement, Int32(column))
        switch unsafe sqlite3_column_type(handle, column) {
        case SQLITE_INTEGER: self = unsafe .integer(sqlite3_column_int64(handle, column))
        case SQLITE_FLOAT: self = unsafe .real(sqlite3_column_double(handle, column))
        case SQLITE_TEXT, SQLITE_BLOB:
            let isText = unsafe sqlite3_column_type(handle, column) == SQLITE_TEXT
            let start = unsafe sqlite3_column_blob(handle, column)
            let count = unsafe Int(sqlite3_column_bytes(handle, column))
            let bytes = unsafe Array(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
            self = isText ? .text(bytes) : .blob(bytes)
        default: self = .null
        }
    }

    /// The value for a message. Long values are shortened and have their size.
    var description: String {
        switch self {
        case .null: "NULL"
        case .integer(let number): "\(number)"
        case .real(let number): "\(number)"
        // The output escapes control characters, which could end the line or the text.
        case .text(let bytes): text.debugDescription + Self.length(bytes)
        case .blob(let bytes): "x'\(hexadecimal(bytes.prefix(Self.shownBytes)))'\(Self.length(bytes))"
        }
    }

    /// The start of a text, or empty for other values.
    var text: String {
        guard case .text(let bytes) = self else { return "" }
        return String(decoding: bytes.prefix(Self.shownBytes), as: UTF8.self)
    }

    private static let shownBytes = 200

    private static func length(_ bytes: [UInt8]) -> String {
        bytes.count > shownBytes ? "… (\(bytes.count) bytes)" : ""
    }

    /// Returns whether this value comes first in SQLite's order: NULL, numbers, text, blobs.
    func isBefore(_ other: StoredValue) -> Bool {
        switch (self, other) {
        case (.integer(let left), .integer(let right)): left < right
        case (.text(let left), .text(let right)), (.blob(let left), .blob(let right)):
            left.lexicographicallyPrecedes(right)
        default: rank == other.rank ? number < other.number : rank < other.rank
        }
    }

    private var rank: Int {
        switch self {
        case .null: 0
        case .integer, .real: 1
        case .text: 2
        case .blob: 3
        }
    }

    private var number: Double {
        switch self {
        case .integer(let number): Double(number)
        case .real(let number): number
        default: 0
        }
    }

    /// Returns the rows of a query with their columns as stored.
    static func rows(_ statement: Statement, key: Int64? = nil) throws -> [[StoredValue]] {
        defer { reset(statement) }
        if let key { unsafe sqlite3_bind_int64(statement.sqliteStatement, 1, key) }
        var rows: [[StoredValue]] = []
        while let row = try next(statement) { rows.append(row) }
        return rows
    }

    /// Returns the next row of a query, or nil at its end.
    static func next(_ statement: Statement) throws -> [StoredValue]? {
        let handle = unsafe statement.sqliteStatement
        switch unsafe sqlite3_step(handle) {
        case SQLITE_ROW:
            return unsafe (0..<Int(sqlite3_column_count(handle))).map { StoredValue(statement, column: $0) }
        case SQLITE_DONE: return nil
        case let code: throw DatabaseError(resultCode: ResultCode(rawValue: code))
        }
    }

    /// Releases the resources of a query that was not read to its end.
    static func reset(_ statement: Statement) { unsafe sqlite3_reset(statement.sqliteStatement) }
}
