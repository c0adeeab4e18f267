/// A table for people. The columns that are empty in every row are omitted.
package struct TextTable {
    private var columns: [(cells: [String], width: Int)]

    package init(_ titles: [String], _ rows: [[String]]) {
        columns = titles.indices.filter { column in rows.contains { !$0[column].isEmpty } }.map { column in
            let cells = [titles[column]] + rows.map { $0[column] }
            // Measured once, because every row needs it.
            return (cells, cells.reduce(0) { max($0, $1.columns) })
        }
    }

    /// The width with two spaces for each column.
    var width: Int { columns.reduce(0) { $0 + $1.width + 2 } }

    mutating func removeColumn(_ title: String) { columns.removeAll { $0.cells[0] == title } }

    /// The titles and the rows, without empty cells at the end.
    package var lines: [String] {
        (columns.first?.cells.indices ?? 0..<1).map { row in
            let last = columns.lastIndex { !$0.cells[row].isEmpty } ?? 0
            let cells = columns[..<last].map { $0.cells[row].padded(to: $0.width) }
            return (cells + columns[last...].prefix(1).map { $0.cells[row] }).joined(separator: "  ")
        }
    }
}
