import GRDB
import GRDBSQLite

/// The row at which a statement stands, read in place: what GRDB makes of a row costs several times what SQLite does.
///
/// Texts are hashed under a key of the process's own, so that nobody can choose two that look alike.
@safe
struct StatementRow {
    private let statement: OpaquePointer

    /// - Parameter statement: must outlive this.
    init(_ statement: Statement) { unsafe self.statement = statement.sqliteStatement }

    /// Goes to the next row.
    /// - Returns: false at the end.
    func step() throws -> Bool {
        switch unsafe sqlite3_step(statement) {
        case SQLITE_ROW: true
        case SQLITE_DONE: false
        case let code: throw DatabaseError(resultCode: ResultCode(rawValue: code))
        }
    }

    func isNull(_ column: Int32) -> Bool { unsafe sqlite3_column_type(statement, column) == SQLITE_NULL }

    /// Zero where there is none.
    func integer(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(statement, column) }

    /// The bytes of a text or blob, for as long as the row stands.
    private func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
        let start = unsafe sqlite3_column_blob(statement, column)
        return unsafe UnsafeRawBufferPointer(
            start: start, count: start == nil ? 0 : Int(sqlite3_column_bytes(statement, column)))
    }

    func equals(_ column: Int32, _ text: StaticString) -> Bool {
        let bytes = unsafe bytes(column)
        return unsafe bytes.elementsEqual(
            UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Whether it is an id that names something: neither absent nor empty nor "0".
    func isNamed(_ column: Int32) -> Bool {
        let bytes = unsafe bytes(column)
        return unsafe bytes.count > 1 || bytes.count == 1 && bytes[0] != UInt8(ascii: "0")
    }

    // MARK: - Hashes

    static func hash(_ body: (inout Hasher) -> Void) -> UInt64 {
        var hasher = Hasher()
        body(&hasher)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }

    static func combine(_ one: UInt64, _ other: UInt64) -> UInt64 {
        hash {
            $0.combine(one)
            $0.combine(other)
        }
    }

    func hash(_ column: Int32) -> UInt64 { Self.hash { hash(column, into: &$0) } }

    /// The hash that the column would have with another text before its own.
    func hash(_ column: Int32, after text: StaticString) -> UInt64 {
        let bytes = unsafe bytes(column)
        return Self.hash { hasher in
            hasher.combine(SQLITE_TEXT)
            unsafe hasher.combine(
                bytes: UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
            unsafe hasher.combine(bytes: bytes)
            hasher.combine(text.utf8CodeUnitCount + bytes.count)
        }
    }

    func hash(_ column: Int32, into hasher: inout Hasher) {
        let type = unsafe sqlite3_column_type(statement, column)
        hasher.combine(type)
        if type == SQLITE_INTEGER { return hasher.combine(integer(column)) }
        let bytes = unsafe bytes(column)
        unsafe hasher.combine(bytes: bytes)
        // Where one ends and the next begins.
        hasher.combine(bytes.count)
    }

    /// A date to the second: some receipts drop the milliseconds.
    func hash(seconds column: Int32, into hasher: inout Hasher) {
        hasher.combine(isNull(column) ? Int64.min : integer(column) / 1000)
    }
}
