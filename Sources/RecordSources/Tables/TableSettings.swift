package import ReceiptExamination

/// The tables and columns to read from a database or an SQL dump.
package struct TableSettings: Sendable {
    package var columns = ColumnNames()
    /// The tables by name, with or without their schema. If empty, those that hold receipts.
    package var tables: [String] = []
    /// The other columns that are needed.
    package var kept = KeptFields()

    /// Returns whether the settings name a table.
    package func names(_ table: String) -> Bool {
        let last = table.utf8.split(separator: UInt8(ascii: ".")).last ?? table.utf8[...]
        return tables.contains { $0.utf8.elementsEqual(table.utf8) || $0.utf8.elementsEqual(last) }
    }
}
