import CSQLite

/// A prepared statement. Its parameters keep their values after ``reset()``.
@safe
package final class Statement {
    @unsafe package let handle: OpaquePointer

    /// The names of the columns.
    package private(set) lazy var names = unsafe (0..<sqlite3_column_count(handle)).map {
        // SQLite returns nil if it lacks memory.
        unsafe sqlite3_column_name(handle, $0).map { unsafe String(cString: $0) } ?? ""
    }

    /// Prepares a statement.
    /// - Parameters:
    ///   - sql: The SQL text, of which only the first statement is used.
    ///   - isKept: Whether the statement is used many times.
    init(_ sql: String, isKept: Bool, on connection: OpaquePointer?) throws(SQLiteError) {
        var prepared: OpaquePointer?
        let flags = isKept ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
        let code = unsafe sqlite3_prepare_v3(connection, sql, -1, flags, &prepared, nil)
        guard code == SQLITE_OK else { throw unsafe SQLiteError(code: code, of: connection) }
        guard let prepared = unsafe prepared else {
            throw SQLiteError(code: SQLITE_MISUSE, message: "no statement")
        }
        unsafe handle = prepared
    }

    deinit { unsafe sqlite3_finalize(handle) }

    private func check(_ code: Int32) throws(SQLiteError) {
        guard code == SQLITE_OK else { throw error(code) }
    }

    /// Returns the error of the statement's last call.
    package func error(_ code: Int32) -> SQLiteError {
        unsafe SQLiteError(code: code, of: sqlite3_db_handle(handle))
    }

    // MARK: - Execution

    /// Resets the statement, and binds all parameters in the order of their numbers.
    @discardableResult
    package func bind(_ values: any ValueConvertible...) throws(SQLiteError) -> Statement { try bind(values) }

    func bind(_ values: [any ValueConvertible]) throws(SQLiteError) -> Statement {
        reset()
        guard unsafe values.count == sqlite3_bind_parameter_count(handle) else {
            throw SQLiteError(
                code: SQLITE_RANGE, message: "\(values.count) values for another number of parameters")
        }
        for (index, value) in values.enumerated() { try check(bind(value.value, at: Int32(index + 1))) }
        return self
    }

    /// Binds the parameters that have names, with their prefixes. Names without a parameter are ignored.
    @discardableResult
    package func bind(named values: [String: any ValueConvertible]) throws(SQLiteError) -> Statement {
        reset()
        for (name, value) in values {
            let parameter = unsafe sqlite3_bind_parameter_index(handle, name)
            if parameter > 0 { try check(bind(value.value, at: parameter)) }
        }
        return self
    }

    private func bind(_ value: Value, at parameter: Int32) -> Int32 {
        let copies = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        switch value {
        case .null: return unsafe sqlite3_bind_null(handle, parameter)
        case .integer(let number): return unsafe sqlite3_bind_int64(handle, parameter, number)
        case .real(let number): return unsafe sqlite3_bind_double(handle, parameter, number)
        case .text(let bytes), .blob(let bytes):
            return unsafe bytes.withUnsafeBytes { bytes in
                // Empty values need an address too: a nil pointer would mean NULL.
                let start = unsafe bytes.baseAddress ?? UnsafeRawPointer(handle)
                if case .blob = value {
                    return unsafe sqlite3_bind_blob64(handle, parameter, start, UInt64(bytes.count), copies)
                }
                return unsafe sqlite3_bind_text64(
                    handle, parameter, start.assumingMemoryBound(to: CChar.self), UInt64(bytes.count), copies,
                    UInt8(SQLITE_UTF8))
            }
        }
    }

    /// Moves to the next row.
    /// - Returns: False at the end.
    package func step() throws(SQLiteError) -> Bool {
        switch unsafe sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw error(code)
        }
    }

    /// Ends the execution, so that the statement locks nothing and can start again.
    package func reset() { unsafe sqlite3_reset(handle) }

    /// Executes the statement to its end.
    package func execute() throws(SQLiteError) {
        defer { reset() }
        while try step() {}
    }

    // MARK: - Rows

    /// Returns the next row, or nil at the end.
    package func nextRow() throws(SQLiteError) -> Row? { try step() ? row : nil }

    private var row: Row { Row(names: names, values: names.indices.map(value)) }

    /// Returns the results of `body` for each row.
    package func map<Result>(_ body: (Row) throws -> Result) throws -> [Result] {
        var results: [Result] = []
        try forEach { results.append(try body($0)) }
        return results
    }

    /// Calls `body` with each row.
    package func forEach(_ body: (Row) throws -> Void) throws {
        defer { reset() }
        while let row = try nextRow() { try body(row) }
    }

    package func rows() throws -> [Row] { try map(\.self) }

    /// Returns the first row, or nil if there is none.
    package func firstRow() throws(SQLiteError) -> Row? {
        defer { reset() }
        return try nextRow()
    }

    /// Returns the values of the first column.
    package func values<Wanted: ValueConvertible>() throws -> [Wanted] { try map { try $0.value(of: 0) } }

    /// Returns the first value of the first row, or nil if there is none or it is NULL.
    package func firstValue<Wanted: ValueConvertible>() throws(SQLiteError) -> Wanted? {
        try firstRow()?.value(of: 0) ?? nil
    }

    // MARK: - The current row

    @inlinable
    package func isNull(_ column: Int) -> Bool {
        unsafe sqlite3_column_type(handle, Int32(column)) == SQLITE_NULL
    }

    /// Returns the integer. SQLite converts other types, NULL to 0.
    @inlinable
    package func integer(_ column: Int) -> Int64 { unsafe sqlite3_column_int64(handle, Int32(column)) }

    /// Calls `body` with the bytes of text or a blob, or with no bytes for other values.
    @inlinable
    package func withBytes<Result>(_ column: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let type = unsafe sqlite3_column_type(handle, Int32(column))
        let hasBytes = type == SQLITE_TEXT || type == SQLITE_BLOB
        // In a database in UTF-16, the bytes of text are UTF-8 only after this conversion.
        if type == SQLITE_TEXT { _ = unsafe sqlite3_column_text(handle, Int32(column)) }
        let start = unsafe hasBytes ? sqlite3_column_blob(handle, Int32(column)) : nil
        let count = unsafe start == nil ? 0 : Int(sqlite3_column_bytes(handle, Int32(column)))
        return unsafe body(UnsafeRawBufferPointer(start: start, count: count))
    }

    /// Returns the bytes of a blob, or any other value as UTF-8 text. Nil is NULL.
    package func text(_ column: Int) -> [UInt8]? {
        let type = unsafe sqlite3_column_type(handle, Int32(column))
        guard type != SQLITE_NULL else { return nil }
        // SQLite converts numbers and UTF-16 in place.
        if type != SQLITE_BLOB { _ = unsafe sqlite3_column_text(handle, Int32(column)) }
        let start = unsafe sqlite3_column_blob(handle, Int32(column))
        let count = unsafe start == nil ? 0 : Int(sqlite3_column_bytes(handle, Int32(column)))
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
    }

    private func value(_ column: Int) -> Value {
        switch unsafe sqlite3_column_type(handle, Int32(column)) {
        case SQLITE_INTEGER: .integer(integer(column))
        case SQLITE_FLOAT: unsafe .real(sqlite3_column_double(handle, Int32(column)))
        case SQLITE_TEXT: unsafe .text(withBytes(column) { unsafe Array($0) })
        case SQLITE_BLOB: unsafe .blob(withBytes(column) { unsafe Array($0) })
        default: .null
        }
    }
}
