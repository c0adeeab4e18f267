package import ReceiptExamination
import StrictJSON

/// The settings for reading the sources, which decide where records are found and which ones are selected.
package struct SourceSettings: Sendable {
    package var columns = ColumnNames()
    package var format = SourceFormat.auto
    /// The delimiter between CSV fields, or nil for the most frequent candidate in the first line.
    package var delimiter: UInt8?
    package var filter = PathFilter()
    /// The tables to read from a database or an SQL dump, with or without their schema. If empty, those with receipts.
    package var tables: [String] = []
    /// The columns to keep in the database and the tables. `all` means every column.
    package var keptColumns: [String] = []
    /// The values that select records. Values of one column are alternatives.
    package var conditions: [ColumnValue] = []

    /// A column and its value.
    package struct ColumnValue: Hashable, Sendable {
        package let column: String
        package let value: String

        package init(column: String, value: String) { (self.column, self.value) = (column, value) }

        /// Reads `COLUMN=VALUE`, or returns nil if it has no column or no equals sign.
        package init?(_ text: String) {
            guard let sign = text.firstIndex(of: "="), sign > text.startIndex else { return nil }
            (column, value) = (String(text[..<sign]), String(text[text.index(after: sign)...]))
        }

        package var text: String { "\(column)=\(value)" }
    }

    /// The fields that are needed besides the ID, the receipt and the subject.
    package var kept: KeptFields {
        var kept = KeptFields()
        kept.isAll = keptColumns.contains("all")
        kept.names = kept.isAll ? [] : keptColumns.map { Array($0.utf8) }
        for condition in conditions {
            kept.conditions[Array(condition.column.utf8), default: []].insert(Array(condition.value.utf8))
        }
        return kept
    }

    package init() {}

    /// Returns whether the settings name a table.
    func names(_ table: String) -> Bool {
        let last = table.utf8.split(separator: UInt8(ascii: ".")).last ?? table.utf8[...]
        return tables.contains { $0.utf8.elementsEqual(table.utf8) || $0.utf8.elementsEqual(last) }
    }
}

/// Returns the texts as a JSON array. With any other separator, different lists could give equal text.
package func list(_ texts: [String]) -> String {
    var json = JSONWriter()
    let items = texts.map { String(decoding: json.text(of: $0), as: UTF8.self) }
    return "[\(items.joined(separator: ","))]"
}
