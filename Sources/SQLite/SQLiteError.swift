import CSQLite

/// An error of SQLite.
package struct SQLiteError: Error, Hashable, CustomStringConvertible {
    /// The extended result code.
    package let code: Int32
    package let message: String

    /// The result code without its extension.
    package var primaryCode: Int32 { code & 0xFF }

    package var description: String { message }

    /// Creates an error.
    /// - Parameter message: The message, or nil for SQLite's description of the code.
    package init(code: Int32, message: String? = nil) {
        self.code = code
        self.message = unsafe message ?? String(cString: sqlite3_errstr(code))
    }

    /// Creates the error of the last call on a connection.
    init(code: Int32, of connection: OpaquePointer?) {
        unsafe self.init(code: code, message: connection.map { unsafe String(cString: sqlite3_errmsg($0)) })
    }
}
