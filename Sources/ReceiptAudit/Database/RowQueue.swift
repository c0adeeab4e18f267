import SQLite

/// A queue of rows for one table, from any number of records. One statement with many rows takes half the
/// time of single rows.
struct RowQueue {
    private let single: Insertion.SQL
    private let many: Insertion.SQL
    private var keys: [Int64?] = []
    private var cells: [RowCells.Cell] = []
    /// The text and blobs of all rows.
    private var bytes: [UInt8] = []
    /// The offset in `bytes` to which the ranges of each row's cells are relative. The ranges are those of
    /// the row's record.
    private var bases: [Int] = []

    private static let rowsAtOnce = 16
    /// The maximum size in bytes of a record whose rows may wait. Larger records are not copied.
    private static let waitingBytes = 1 << 16

    init(_ table: RowTable) { self.init(table.name, table.insertion) }

    init(_ table: String, _ columns: [String]) {
        single = Insertion.SQL(table, columns)
        many = Insertion.SQL(table, columns, rows: Self.rowsAtOnce)
    }

    /// Adds a row. It is inserted at once or before ``flush(_:)`` returns.
    /// - Parameters:
    ///   - keys: The values of the first columns; nil is NULL.
    ///   - range: The range of the cells for the other columns.
    mutating func add(_ keys: Int64?..., cells: RowCells, _ range: Range<Int>, _ database: Connection) throws
    {
        guard cells.bytes.count <= Self.waitingBytes else {
            try flush(database)
            return try Insertion(single, database).insert(
                keys, cells.cells[range], of: cells.bytes, [0], database)
        }
        self.keys += keys
        try add(cells, range, rows: 1, database)
    }

    /// Adds rows that are consecutive in the cells.
    /// - Parameters:
    ///   - key: The value of the first column of each row.
    ///   - width: The number of cells in a row.
    ///   - range: The range of the cells of all rows.
    mutating func add(
        rowsOf width: Int, key: Int64, cells: RowCells, _ range: Range<Int>, _ database: Connection
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

    /// Adds rows whose keys were already added.
    private mutating func add(_ source: RowCells, _ range: Range<Int>, rows: Int, _ database: Connection)
        throws
    {
        let places = source.bytes(of: range)
        bases.append(contentsOf: repeatElement(bytes.count - places.lowerBound, count: rows))
        cells.append(contentsOf: source.cells[range])
        bytes.append(contentsOf: source.bytes[places])
        guard bases.count == Self.rowsAtOnce else { return }
        try Insertion(many, database).insert(keys, cells[...], of: bytes, bases, database)
        removeAll()
    }

    /// Inserts the waiting rows.
    mutating func flush(_ database: Connection) throws {
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
