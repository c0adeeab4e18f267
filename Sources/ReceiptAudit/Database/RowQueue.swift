import GRDB

/// Rows on their way into one table, of any number of records: many of them in one statement take half the time of
/// each by itself.
struct RowQueue {
    private let single: Insertion.SQL
    private let many: Insertion.SQL
    private var keys: [Int64?] = []
    private var cells: [RowCells.Cell] = []
    /// Texts and blobs of all rows.
    private var bytes: [UInt8] = []
    /// Of each row, what the places of its cells are counted from in the bytes: they stay as their record has them.
    private var bases: [Int] = []

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
                keys, cells.cells[range], of: cells.bytes, [0], database)
        }
        self.keys += keys
        try add(cells, range, rows: 1, database)
    }

    /// Adds rows that follow one another in the cells.
    /// - Parameters:
    ///   - key: the first column of each.
    ///   - width: cells of a row.
    ///   - range: of the cells of all of them.
    mutating func add(
        rowsOf width: Int, key: Int64, cells: RowCells, _ range: Range<Int>, _ database: Database
    ) throws {
        var rest = range
        while !rest.isEmpty {
            guard cells.bytes.count <= Self.waitingBytes else {
                try add(key, cells: cells, rest.prefix(width), database)
                rest = rest.dropFirst(width)
                continue
            }
            let rows = min(rest.count / width, Self.rowsAtOnce - bases.count)
            keys += repeatElement(Int64?(key), count: rows)
            try add(cells, rest.prefix(rows * width), rows: rows, database)
            rest = rest.dropFirst(rows * width)
        }
    }

    /// Adds rows whose keys were added.
    private mutating func add(_ source: RowCells, _ range: Range<Int>, rows: Int, _ database: Database) throws
    {
        let places = source.bytes(of: range)
        bases.append(contentsOf: repeatElement(bytes.count - places.lowerBound, count: rows))
        cells.append(contentsOf: source.cells[range])
        bytes.append(contentsOf: source.bytes[places])
        guard bases.count == Self.rowsAtOnce else { return }
        try Insertion(many, database).insert(keys, cells[...], of: bytes, bases, database)
        removeAll()
    }

    /// Adds the rows that wait.
    mutating func flush(_ database: Database) throws {
        let rows = bases.count
        guard rows > 0 else { return }
        let insertion = try Insertion(single, database)
        for row in 0..<rows {
            let (keyCount, width) = (keys.count / rows, cells.count / rows)
            try insertion.insert(
                Array(keys[row * keyCount..<(row + 1) * keyCount]), cells[row * width..<(row + 1) * width],
                of: bytes, [bases[row]], database)
        }
        removeAll()
    }

    private mutating func removeAll() {
        keys.removeAll(keepingCapacity: true)
        cells.removeAll(keepingCapacity: true)
        bytes.removeAll(keepingCapacity: true)
        bases.removeAll(keepingCapacity: true)
    }
}
