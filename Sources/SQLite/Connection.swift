import CSQLite

/// A connection to a database. One thread at a time may use it and its statements.
@safe
package final class Connection {
    private let handle: OpaquePointer?
    private var statements: [String: Statement] = [:]
    private var limit: StepLimit?

    /// The result of the call that disables SQLite's memory statistics for the process, because nothing reads
    /// them. The call has an effect only before the first use of SQLite.
    private static let settings = sqlite3_config_without_memory_statistics()

    /// Opens a database, or creates it if it does not exist.
    /// - Parameter path: The path, empty for a temporary file that is unlinked at once, or `:memory:`.
    /// - Throws: ``SQLiteError``. Opening succeeds for any readable file, because SQLite reads it later.
    package convenience init(path: String, isReadOnly: Bool = false) throws(SQLiteError) {
        try self.init(
            path, flags: isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
        try unsafe check(sqlite3_db_config_without_double_quoted_strings(handle))
    }

    /// Opens an untrusted database whose file no process changes. SQLite creates no other files, and does not
    /// use the schema's views and triggers, virtual tables and functions with side effects.
    package convenience init(immutable path: String) throws(SQLiteError) {
        try self.init(Self.uri(path), flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
        try unsafe check(sqlite3_db_config_for_untrusted_schema(handle))
        try execute("PRAGMA cache_size = -2048; PRAGMA mmap_size = 0; PRAGMA cell_size_check = ON")
    }

    private init(_ name: String, flags: Int32) throws(SQLiteError) {
        _ = Self.settings
        var opened: OpaquePointer?
        // Threads take turns, so SQLite needs no locks.
        let code = unsafe sqlite3_open_v2(
            name, &opened, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        unsafe handle = opened
        try check(code)
    }

    /// Returns the URI of an immutable file. The path in it always has a slash, so that SQLite does not read
    /// its start as the name of a host.
    private static func uri(_ path: String) -> String {
        let path = path.hasPrefix("/") ? path : "./" + path
        let allowed = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._/".utf8)
        let text = path.utf8.map { byte -> String in
            let digits = String(byte, radix: 16)
            return allowed.contains(byte)
                ? String(UnicodeScalar(byte)) : "%" + (digits.count < 2 ? "0" : "") + digits
        }.joined()
        return "file:\(text)?immutable=1"
    }

    deinit {
        statements.removeAll()
        // A statement that is still in use keeps SQLite's connection open, but does not keep this object.
        if limit != nil { unsafe StepLimit.remove(from: handle) }
        unsafe sqlite3_close_v2(handle)
    }

    private func check(_ code: Int32) throws(SQLiteError) {
        guard code == SQLITE_OK else { throw unsafe SQLiteError(code: code, of: handle) }
    }

    // MARK: - Limits

    /// Waits for locks of other connections.
    package func setBusyTimeout(milliseconds: Int32) { unsafe sqlite3_busy_timeout(handle, milliseconds) }

    /// Limits the size in bytes of text, blobs and rows.
    package func limitLength(to bytes: Int32) { _ = unsafe sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, bytes) }

    /// Limits the steps of SQLite's virtual machine from now on, for all statements together. A statement beyond
    /// the limit ends with `SQLITE_INTERRUPT`.
    package func limitSteps(to steps: Int) {
        let limit = StepLimit(steps: steps)
        unsafe limit.install(on: handle)
        self.limit = limit
    }

    /// The steps that ``limitSteps(to:)`` leaves, or nil if there is no limit.
    package var stepsLeft: Int? { limit?.left }

    // MARK: - Statements

    /// Executes statements without parameters to their ends.
    package func execute(_ sql: String) throws(SQLiteError) {
        try unsafe check(sqlite3_exec(handle, sql, nil, nil, nil))
    }

    /// Prepares a statement.
    /// - Parameter values: The values of all parameters, or none.
    package func prepare(_ sql: String, _ values: any ValueConvertible...) throws(SQLiteError) -> Statement {
        let statement = try unsafe Statement(sql, isKept: false, on: handle)
        return try values.isEmpty ? statement : statement.bind(values)
    }

    /// Returns a prepared statement that the connection keeps for the next call with the same SQL.
    package func cachedStatement(_ sql: String) throws(SQLiteError) -> Statement {
        if let statement = statements[sql] { return statement }
        let statement = try unsafe Statement(sql, isKept: true, on: handle)
        statements[sql] = statement
        return statement
    }

    /// The number of rows that the last INSERT, UPDATE or DELETE changed.
    package var changes: Int { unsafe Int(sqlite3_changes64(handle)) }

    // MARK: - Transactions

    package enum TransactionMode: String {
        case deferred, immediate, exclusive
    }

    package var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

    package func begin(_ mode: TransactionMode = .immediate) throws(SQLiteError) {
        try execute("BEGIN \(mode)")
    }

    package func commit() throws(SQLiteError) { try execute("COMMIT") }

    /// Executes a transaction. If `body` or the commit throws an error, rolls it back.
    package func transaction<Result>(
        _ mode: TransactionMode = .immediate, _ body: () throws -> Result
    ) throws -> Result {
        try begin(mode)
        do {
            let result = try body()
            try commit()
            return result
        } catch {
            // SQLite itself rolls back after some errors.
            if isInTransaction { try? execute("ROLLBACK") }
            throw error
        }
    }
}
