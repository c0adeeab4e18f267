import Foundation
import SQLite
import Testing

struct ConnectionTests {
    private let database: Connection

    init() throws { database = try Connection(path: ":memory:") }

    private func path() -> String { NSTemporaryDirectory() + "sqlite-" + UUID().uuidString }

    private func code(_ body: () throws -> Void) -> Int32? {
        #expect(throws: SQLiteError.self, performing: body)?.primaryCode
    }

    // MARK: - Values

    @Test(arguments: [
        Value.null, .integer(.min), .integer(.max), .integer(0), .real(0.1), .real(-.infinity),
        .text([]), .text(Array("a\0b".utf8)), .text(Array("№ 1".utf8)), .text([0xFF, 0xC3, 0x28]),
        .blob([]), .blob([0]), .blob(Array(repeating: 0xFF, count: 70_000)),
    ])
    func valuesRoundTrip(value: Value) throws {
        try database.execute("CREATE TABLE t (a)")
        try database.prepare("INSERT INTO t VALUES (?)", value).execute()
        #expect(try database.prepare("SELECT a FROM t").firstRow()?[0] == value)
    }

    @Test func swiftTypesRoundTrip() throws {
        let row = try database.prepare(
            "SELECT ? AS a, ? AS b, ? AS c, ? AS d, ? AS e, ? AS f", Int.min, Int64.max, true, "a\0№",
            [1, 0] as [UInt8], String?.none
        ).firstRow()
        let found = try #require(row)
        #expect(try found["a"] == Int.min)
        #expect(try found["b"] == Int64.max)
        #expect(try found["c"] == true)
        #expect(try found["d"] == "a\0№")
        #expect(try found["e"] == [1, 0] as [UInt8])
        #expect(try found["f"] as String? == nil)
        #expect(found.names == ["a", "b", "c", "d", "e", "f"])
    }

    /// An untrusted database may have any type in any column.
    @Test func wrongTypesThrow() throws {
        let row = try #require(
            try database.prepare("SELECT 1 AS a, 'x' AS b, NULL AS c, x'00' AS d, 0.5 AS e").firstRow())
        for name in ["b", "c", "d", "e"] { #expect(code { _ = try row[name] as Int } == 20, "\(name)") }
        for name in ["a", "c", "d", "e"] { #expect(code { _ = try row[name] as String } == 20, "\(name)") }
        #expect(code { _ = try row["b"] as Bool? } == 20)
        #expect(code { _ = try row["a"] as [UInt8]? } == 20)
        #expect(code { _ = try row["none"] as Int? } == 1)
        #expect(code { _ = try database.prepare("SELECT 'x'").firstValue() as Int? } == 20)
        #expect(code { _ = try database.prepare("SELECT NULL").values() as [Int] } == 20)
    }

    // MARK: - Statements

    @Test func statementsAreReused() throws {
        try database.execute("CREATE TABLE t (a INTEGER PRIMARY KEY, b)")
        let insertion = try database.cachedStatement("INSERT INTO t VALUES (?, ?)")
        try insertion.bind(1, "x").execute()
        #expect(code { try insertion.bind(1, "y").execute() } == 19)
        try insertion.bind(2, String?.none).execute()
        #expect(try database.cachedStatement("INSERT INTO t VALUES (?, ?)") === insertion)
        let query = try database.prepare("SELECT b FROM t WHERE a = ?")
        #expect(try query.bind(1).firstValue() == "x")
        #expect(try query.bind(2).values() as [String?] == [nil])
        #expect(try query.bind(3).firstRow() == nil)
        // The first row does not keep the table locked.
        try database.execute("DROP TABLE t")
    }

    @Test func wrongNumbersOfValuesThrow() throws {
        let statement = try database.prepare("SELECT ?1, ?1, ?2")
        #expect(code { try statement.bind(1) } == 25)
        #expect(code { try statement.bind(1, 2, 3) } == 25)
        #expect(try statement.bind(1, 2).firstRow()?.values == [1, 1, 2].map(\.value))
    }

    @Test func statementsOutliveTheirConnection() throws {
        let statement = try {
            let other = try Connection(path: ":memory:")
            other.limitSteps(to: 1 << 20)
            return try other.prepare(
                "WITH n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 9999) SELECT sum(i) FROM n")
        }()
        #expect(try statement.firstValue() == 49_995_000)
    }

    @Test func errorsHaveSQLitesMessages() throws {
        let error = #expect(throws: SQLiteError.self) { try database.execute("SELECT x FROM y") }
        #expect(error?.description == "no such table: y")
        #expect(code { try database.execute("SELECT \"x\"") } == 1)
        #expect(code { _ = try database.prepare("-- nothing") } == 21)
    }

    // MARK: - Transactions

    @Test func failedTransactionsAreRolledBack() throws {
        try database.execute("CREATE TABLE t (a PRIMARY KEY)")
        #expect(
            code {
                try database.transaction {
                    try database.execute("INSERT INTO t VALUES (1); INSERT INTO t VALUES (1)")
                }
            } == 19)
        #expect(!database.isInTransaction)
        try database.transaction(.exclusive) { try database.execute("INSERT INTO t VALUES (2)") }
        #expect(try database.prepare("SELECT a FROM t").values() == [2])
        try database.execute("UPDATE t SET a = 3")
        #expect(database.changes == 1)
    }

    // MARK: - Files

    @Test func otherFilesAreNotDatabases() throws {
        let path = path()
        try Data(repeating: 0x41, count: 5000).write(to: URL(filePath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let file = try Connection(path: path, isReadOnly: true)
        let error = #expect(throws: SQLiteError.self) { try file.execute("SELECT * FROM sqlite_master") }
        #expect(error == SQLiteError(code: 26, message: "file is not a database"))
        #expect(code { _ = try Connection(path: path + "/none", isReadOnly: true) } == 14)
    }

    @Test func readOnlyConnectionsWriteNothing() throws {
        let path = path()
        defer { try? FileManager.default.removeItem(atPath: path) }
        let writer = try Connection(path: path)
        try writer.execute("CREATE TABLE t (a)")
        let reader = try Connection(path: path, isReadOnly: true)
        #expect(code { try reader.execute("INSERT INTO t VALUES (1)") } == 8)
        try writer.begin(.exclusive)
        #expect(code { try reader.execute("SELECT * FROM t") } == 5)
        try writer.commit()
        #expect(try reader.prepare("SELECT a FROM t").rows().isEmpty)
    }

    // MARK: - Limits

    @Test func stepsAreLimited() throws {
        let endless = "WITH n (i) AS (SELECT 1 UNION ALL SELECT i FROM n) SELECT count(*) FROM n"
        #expect(database.stepsLeft == nil)
        database.limitSteps(to: 100_000)
        try database.execute("SELECT 1")
        #expect(code { try database.execute(endless) } == 9)
        #expect(code { _ = try database.prepare(endless).firstValue() as Int? } == 9)
        #expect(database.stepsLeft ?? 0 < 0)
    }

    @Test func lengthsAreLimited() throws {
        database.limitLength(to: 1000)
        #expect(code { try database.execute("SELECT zeroblob(1001)") } == 18)
        #expect(
            code { try database.prepare("SELECT ?", String(repeating: "x", count: 1001)).execute() } == 18)
    }
}
