import GRDB
import Testing

@testable import ReceiptAudit

struct RowQueueTests {
    private static func table(_ body: (Database, inout RowQueue) throws -> Void) throws {
        try DatabaseQueue().inDatabase { database in
            try database.execute(
                sql:
                    "CREATE TABLE rows (id INTEGER PRIMARY KEY, other INTEGER, number INTEGER, text TEXT, bytes BLOB)"
            )
            try database.beginTransaction()
            var queue = RowQueue("rows", ["id", "other", "number", "text", "bytes"])
            try body(database, &queue)
            if database.isInsideTransaction { try database.rollback() }
        }
    }

    /// The texts that a row may have: none, one of no bytes, short ones, and one that is too long to wait.
    private static let texts: [String?] = [
        nil, "", "a", "␀", "zero\0", String(repeating: "x", count: 70_000),
    ]

    @Test(arguments: [
        0, 1,
        // As many as are added at once, and one less and more.
        15, 16, 17, 32, 100,
    ])
    func rowsComeOutAsTheyWentIn(count: Int) throws {
        try Self.table { database, queue in
            var expected: [[StoredValue]] = []
            for number in 0..<count {
                var cells = RowCells()
                // What stands before the row is another one's.
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
            let rows = try StoredValue.rows(database.makeStatement(sql: "SELECT * FROM rows ORDER BY id"))
            #expect(rows == expected)
        }
    }

    /// Runs of rows of one record, across the places where a statement is full.
    @Test(arguments: [
        // a row alone; runs that fill it together, and cross its end
        [1], [15, 1], [15, 2], [7, 7, 7],
        // none, and more than two statements take
        [0, 3, 0], [40], [3, 40, 16, 16],
    ])
    func runsComeOutAsTheyWentIn(runs: [Int]) throws {
        // Texts that wait, and a run that is too long to.
        for long in [0, 70_000] {
            try Self.table { database, _ in
                try database.execute(
                    sql: "CREATE TABLE runs (owner INTEGER, number INTEGER, text TEXT, bytes BLOB)")
                var queue = RowQueue("runs", ["owner", "number", "text", "bytes"])
                var expected: [[StoredValue]] = []
                for (owner, count) in runs.enumerated() {
                    var cells = RowCells()
                    cells.add("before")
                    for row in 0..<count {
                        // The first two hold nothing at all.
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
                let rows = try StoredValue.rows(
                    database.makeStatement(sql: "SELECT * FROM runs ORDER BY rowid"))
                #expect(rows == expected)
            }
        }
    }

    @Test(arguments: [
        // In a statement of many rows, and in one of its own.
        15, 20,
    ])
    func aRowThatIsThereTakesTheTransactionWithIt(place: Int) throws {
        try Self.table { database, queue in
            var cells = RowCells()
            cells.addNulls(3)
            #expect(throws: DatabaseError.self) {
                for number in 0..<24 {
                    try queue.add(number == place ? 1 : Int64(number + 1), nil, cells: cells, 0..<3, database)
                }
                try queue.flush(database)
            }
            #expect(!database.isInsideTransaction)
            let left = try Int.fetchOne(database, sql: "SELECT count(*) FROM rows")
            #expect(left == 0)
        }
    }
}
