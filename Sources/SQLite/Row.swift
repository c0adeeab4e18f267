import CSQLite

/// A copy of a statement's row.
package struct Row: Hashable, Sendable {
    package let names: [String]
    package let values: [Value]

    package subscript(column: Int) -> Value { values[column] }

    /// The value of a column.
    /// - Throws: ``SQLiteError`` if there is no such column, or its value has another type.
    package subscript<Wanted: ValueConvertible>(name: String) -> Wanted {
        get throws(SQLiteError) {
            guard let column = names.firstIndex(of: name) else {
                throw SQLiteError(code: SQLITE_ERROR, message: "no such column: \(name)")
            }
            return try value(of: column)
        }
    }

    func value<Wanted: ValueConvertible>(of column: Int) throws(SQLiteError) -> Wanted {
        guard let value = Wanted(value: values[column]) else {
            throw SQLiteError(code: SQLITE_MISMATCH, message: "column \(names[column]): unexpected type")
        }
        return value
    }
}
