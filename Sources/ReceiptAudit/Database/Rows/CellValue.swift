import AppReceipt

/// A value of a cell.
protocol CellValue {
    /// The type of its columns in SQL.
    static var sqlType: String { get }
    func append(to cells: inout RowCells)
}

extension CellValue {
    static var sqlType: String { "INTEGER" }
}

extension CellValue where Self: BinaryInteger {
    func append(to cells: inout RowCells) { cells.append(.integer(Int64(truncatingIfNeeded: self))) }
}

extension Int: CellValue {}

extension Int64: CellValue {}

extension Bool: CellValue {
    func append(to cells: inout RowCells) { cells.append(.integer(self ? 1 : 0)) }
}

extension Timestamp: CellValue {
    func append(to cells: inout RowCells) { cells.append(.integer(millisecondsSince1970)) }
}
