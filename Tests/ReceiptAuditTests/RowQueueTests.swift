import SQLite
import Testing

@testable import ReceiptAudit

struct RowQueueTests {
    private static func table(_ body: (Connection, inout RowQueue) throws -> Void) throws {
        let database = try Connection(path: ":memory:")
        try database.execute(
            "CREATE TABLE rows (id INTEGER PRIMARY KEY, other INTEGER, number INTEGER, text TEXT, bytes BLOB)"
        )
        try database.begin()
        var queue = RowQueue("rows", ["id", "other", "number", "text", "bytes"])
        try body(database, &queue)
    }

    /// Texts of rows: nil, empty, short, and one that is too long for the queue.
    private static let texts: [String?] = [
        nil, "", "a", "␀", "zero\0", String(repeating: "x", count: 70_000),
    ]

    @Test(arguments: [
        0, 1,
        // As many rows as one statement inserts, one fewer, and one more.
        15, 16, 17, 32, 100,
    ])
    func rowsAreStoredUnchanged(count: Int) throws {
        try Self.table { database, queue in
            var expected: [[Value]] = []
            for number in 0..<count {
                var cells = RowCells()
                // This value belongs to another row.
                cells.add("before")
                cells.add(number)
                cells.add(Self.texts[number % Self.texts.count])
                cells.add(
                    blob: number % 4 == 0 ? nil : Array(repeating: UInt8(number), count: number % 4 - 1))
                cells.add("behind")
                try queue.add(Int64(number + 1), number % 3 == 0 ? nil : 7, cells: cells, 1..<4, database)
                expected.append(
                    [.integer(Int64(number + 1)), number % 3 == 0 ? .null : .integer(7)]
                        + (1..<4).map(cells.value))
            }
            try queue.flush(database)
            let rows = try database.prepare("SELECT * FROM rows ORDER BY id").map(\.values)
            #expect(rows == expected)
        }
    }

    /// Checks the rows of one record, with runs around the capacity of a statement.
    @Test(arguments: [
        // a single row, and runs that fill the statement or exceed it
        [1], [15, 1], [15, 2], [7, 7, 7],
        // no row, and more than two statements hold
        [0, 3, 0], [40], [3, 40, 16, 16],
    ])
    func groupsOfRowsAreStoredUnchanged(runs: [Int]) throws {
        // Texts that the queue keeps, and a run that is too long for it.
        for long in [0, 70_000] {
            try Self.table { database, _ in
                try database.execute(
                    "CREATE TABLE runs (owner INTEGER, number INTEGER, text TEXT, bytes BLOB)")
                var queue = RowQueue("runs", ["owner", "number", "text", "bytes"])
                var expected: [[Value]] = []
                for (owner, count) in runs.enumerated() {
                    var cells = RowCells()
                    cells.add("before")
                    for row in 0..<count {
                        // The first two rows are empty.
                        cells.add(row < 2 ? nil : row)
                        cells.add(row < 2 ? nil : Self.texts[row % 5])
                        cells.add(blob: row < 2 ? nil : Array(repeating: UInt8(row), count: row % 4))
                    }
                    cells.add(String(repeating: "x", count: owner == 1 ? long : 0))
                    try queue.add(rowsOf: 3, key: Int64(owner), cells: cells, 1..<1 + 3 * count, database)
                    expected += (0..<count).map { row in
                        [.integer(Int64(owner))] + (1 + 3 * row..<4 + 3 * row).map(cells.value)
                    }
                }
                try queue.flush(database)
                let rows = try database.prepare("SELECT * FROM runs ORDER BY rowid").map(\.values)
                #expect(rows == expected)
            }
        }
    }

    @Test(arguments: [
        // In a statement of many rows, and in one of its own.
        15, 20,
    ])
    func duplicateRowRollsBackTheTransaction(place: Int) throws {
        try Self.table { database, queue in
            var cells = RowCells()
            for _ in 0..<3 { cells.add(nil as Int?) }
            #expect(throws: SQLiteError.self) {
                for number in 0..<24 {
                    try queue.add(number == place ? 1 : Int64(number + 1), nil, cells: cells, 0..<3, database)
                }
                try queue.flush(database)
            }
            #expect(!database.isInTransaction)
            let left: Int? = try database.prepare("SELECT count(*) FROM rows").firstValue()
            #expect(left == 0)
        }
    }
}
