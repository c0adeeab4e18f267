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
