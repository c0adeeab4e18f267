import AppReceipt
import Foundation
import GRDB
import GRDBSQLite

/// What a column of a row holds, to the last byte: a text is read by its length, not up to its first zero.
enum StoredValue: Hashable, CustomStringConvertible {
    case null
    case integer(Int64)
    case real(Double)
    case text([UInt8])
    case blob([UInt8])

    /// Reads a column of the row at which a statement stands.
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

    var description: String {
        switch self {
        case .null: "NULL"
        case .integer(let number): "\(number)"
        case .real(let number): "\(number)"
        // Control characters would be taken for the end of the line or of the text.
        case .text(let bytes): String(decoding: bytes, as: UTF8.self).debugDescription
        case .blob(let bytes): "x'\(hexadecimal(bytes))'"
        }
    }

    /// The order of SQLite's texts.
    func isBefore(_ other: StoredValue) -> Bool {
        guard case .text(let left) = self, case .text(let right) = other else { return false }
        return left.lexicographicallyPrecedes(right)
    }

    /// The rows that a query brings, each column as it is stored.
    static func rows(_ statement: Statement, key: Int64? = nil) throws -> [[StoredValue]] {
        let handle = unsafe statement.sqliteStatement
        defer { unsafe sqlite3_reset(handle) }
        if let key { unsafe sqlite3_bind_int64(handle, 1, key) }
        var rows: [[StoredValue]] = []
        let width = unsafe Int(sqlite3_column_count(handle))
        while true {
            switch unsafe sqlite3_step(handle) {
            case SQLITE_ROW: rows.append((0..<width).map { StoredValue(statement, column: $0) })
            case SQLITE_DONE: return rows
            case let code: throw DatabaseError(resultCode: ResultCode(rawValue: code))
            }
        }
    }
}
