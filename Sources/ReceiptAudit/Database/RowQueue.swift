import GRDB

/// Rows on their way into one table, of any number of records: many of them in one statement take half the time of
/// each by itself.
struct RowQueue {
    private let single: Insertion.SQL
    private let many: Insertion.SQL
    private var keys: [Int64?] = []
    private var cells = RowCells()
    private var rows = 0

    private static let rowsAtOnce = 16
    /// Bytes of a record whose rows may wait; more are not copied.
    private static let waitingBytes = 1 << 16

    init(_ table: String, _ columns: [String]) {
        single = Insertion.SQL(table, columns)
        many = Insertion.SQL(table, columns, rows: Self.rowsAtOnce)
    }

    /// Adds a row, now or before ``flush(_:)`` returns.
    /// - Parameters:
    ///   - keys: the first columns; nil is NULL.
    ///   - range: of the cells for the others.
    mutating func add(_ keys: Int64?..., cells: RowCells, _ range: Range<Int>, _ database: Database) throws {
        guard cells.bytes.count <= Self.waitingBytes else {
            try flush(database)
            return try Insertion(single, database).insert(
                keys, cells.cells[range], of: cells.bytes, rows: 1, database)
        }
        self.keys += keys
        self.cells.add(cells, range)
        rows += 1
        guard rows == Self.rowsAtOnce else { return }
        try Insertion(many, database).insert(
            self.keys, self.cells.cells[...], of: self.cells.bytes, rows: rows, database)
        removeAll()
    }

    /// Adds rows that follow one another in the cells.
    /// - Parameters:
    ///   - key: the first column of each.
    ///   - width: cells of a row.
    ///   - range: of the cells of all of them.
    mutating func add(
        rowsOf width: Int, key: Int64, cells: RowCells, _ range: Range<Int>, _ database: Database
    ) throws {
        for start in stride(from: range.lowerBound, to: range.upperBound, by: width) {
            try add(key, cells: cells, start..<start + width, database)
        }
    }

    /// Adds the rows that wait.
    mutating func flush(_ database: Database) throws {
        guard rows > 0 else { return }
        let insertion = try Insertion(single, database)
        for row in 0..<rows {
            let (keyCount, width) = (keys.count / rows, cells.cells.count / rows)
            try insertion.insert(
                Array(keys[row * keyCount..<(row + 1) * keyCount]),
                cells.cells[row * width..<(row + 1) * width],
                of: cells.bytes, rows: 1, database)
        }
        removeAll()
    }

    private mutating func removeAll() {
        keys.removeAll(keepingCapacity: true)
        cells.removeAll()
        rows = 0
    }
}
