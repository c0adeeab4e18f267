import AppReceipt
import ReceiptExamination
import StrictJSON

/// A reader of the rows of an SQL dump: the `COPY … FROM stdin` and `INSERT INTO … VALUES` of pg_dump,
/// mysqldump, mariadb-dump and the `.dump` of sqlite3. All other statements are skipped, and nothing is
/// executed.
///
/// The memory depends on the longest row that is kept and on the names of the tables.
final class SQLDump {
    enum Item {
        case row(TableRow, table: String, columns: [String])
        /// A row that cannot be read, with the reason.
        case refused(String, table: String, holdsReceipt: Bool)
        /// The name of the database of the rows after it.
        case database(String)
    }

    private enum State {
        case statements
        case values(Table)
        case copy(Table)
    }

    private struct Table {
        let name: String
        /// The names of the columns, or nil if the dump does not contain them.
        let columns: [String]?
        /// The columns without generated ones, for which sqlite3 writes no values.
        let stored: [String]?
        /// The indices of the generated columns.
        let generated: [Int]
        let isWanted: Bool
    }

    private let scanner: SQLScanner
    private let limit: Int
    private let wants: (String) -> Bool
    private var state = State.statements
    /// The item of the last statement, which is returned next.
    private var noted: Item?
    private var database = ""
    /// Whether the dump began a transaction that it has not committed.
    private var isUncommitted = false
    /// Whether it began another one before.
    private var isInterrupted = false
    /// The columns in `CREATE TABLE`, or none if they cannot be read.
    private var columnsOfTables: [[UInt8]: (all: [String], stored: [String], generated: [Int])] = [:]
    private var namesBytes = 0

    private static let mostNames = 16 << 20

    /// - Parameters:
    ///   - limit: The maximum size of a row in bytes.
    ///   - wants: The closure that receives the name of a table and decides whether its rows are needed.
    init(_ stream: ByteStream, limit: Int, wants: @escaping (String) -> Bool) {
        (scanner, self.limit, self.wants) = (SQLScanner(stream), limit, wants)
    }

    /// Returns whether a text begins like an SQL dump.
    static func isDump(_ text: [UInt8]) -> Bool {
        let start = text.drop { $0 == 0x20 || (0x09...0x0D).contains($0) }.prefix(64)
        let word = String(decoding: start, as: UTF8.self).uppercased()
        let begins = [
            "-- ", "--\n", "--\r", "/*!", "/*M!", "SET ", "INSERT INTO ", "CREATE TABLE ", "COPY ", "BEGIN;",
            "BEGIN TRANSACTION;", "START TRANSACTION;", "PRAGMA FOREIGN_KEYS", "DROP TABLE ", "\\RESTRICT ",
        ]
        return begins.contains(where: word.hasPrefix)
    }

    /// Returns the next row, or nil at the end.
    /// - Throws: ``SourceDamage`` if the dump ends early or cannot be read further.
    func next() throws -> Item? {
        while true {
            if let item = noted {
                noted = nil
                return item
            }
            switch state {
            case .statements:
                guard try nextStatement() else {
                    try scanner.requireEnding()
                    guard !isUncommitted, !isInterrupted else {
                        throw scanner.damage("the dump ends without COMMIT")
                    }
                    return nil
                }
            case .values(let table): if let item = try nextValues(table) { return item }
            case .copy(let table): if let item = try nextLine(table) { return item }
            }
        }
    }

    // MARK: - Statements

    /// Reads a statement up to its first row, or skips it.
    /// - Returns: False at the end.
    private func nextStatement() throws -> Bool {
        guard let first = try scanner.peek() else { return false }
        // A command of psql or sqlite3.
        if first == UInt8(ascii: "\\") || first == UInt8(ascii: ".") {
            let line = try scanner.line(atMost: 256) ?? []
            if line.starts(with: "\\connect ".utf8) {
                begin(String(decoding: line.dropFirst(9), as: UTF8.self))
            }
            return true
        }
        guard let word = try scanner.word()?.ifASCII.uppercased() else {
            try scanner.skipStatement()
            return true
        }
        switch word {
        case "INSERT", "REPLACE": try beginInsert()
        case "COPY": try beginCopy()
        case "CREATE": try create()
        case "BEGIN":
            // SQLite has no nested transactions, so an incomplete dump ended before.
            if isUncommitted, scanner.isSQLite { isInterrupted = true }
            isUncommitted = true
            // Other programs do not write the second word.
            if try scanner.nextWord() == "TRANSACTION", try scanner.peek() == UInt8(ascii: ";"),
                !scanner.isKnown
            {
                scanner.noteSQLite()
            }
            try scanner.skipStatement()
        case "COMMIT", "END":
            isUncommitted = false
            try scanner.skipStatement()
        case "START":
            if try scanner.nextWord() == "TRANSACTION" { isUncommitted = true }
            try scanner.skipStatement()
        case "USE":
            try scanner.skipSpace()
            if let name = try scanner.identifier() { begin(name) }
            try scanner.skipStatement()
        case "ROLLBACK":
            guard try scanner.nextWord(after: ["TRANSACTION", "WORK"]) == "TO" else {
                throw scanner.damage("ROLLBACK, which sqlite3 writes if it cannot read the whole database")
            }
            try scanner.skipStatement()
        case "DELIMITER": try skipDelimited()
        case "PRAGMA":
            scanner.noteSQLite()
            try scanner.skipStatement()
        default: try scanner.skipStatement()
        }
        return true
    }

    /// Begins another database, whose tables may have the same names.
    private func begin(_ database: String) {
        guard !database.isExactly(self.database) else { return }
        self.database = database
        noted = .database(database)
    }

    /// Returns the key of a table. A dump of one database may not name it before `CREATE TABLE`.
    private func key(_ table: String, in database: String? = nil) -> [UInt8] {
        Array((database ?? self.database).utf8) + [0] + Array(table.utf8)
    }

    private func beginInsert() throws {
        let word = try scanner.nextWord(after: ["IGNORE", "LOW_PRIORITY", "DELAYED", "OR", "REPLACE"])
        guard word == "INTO", let name = try scanner.tableName() else {
            return try refuseInsert("unknown")
        }
        let columns = try scanner.names()
        while let word = try scanner.nextWord() {
            guard word != "VALUES", word != "VALUE" else {
                state = .values(table(name, columns))
                return
            }
            // OVERRIDING SYSTEM VALUE of PostgreSQL
            guard ["OVERRIDING", "SYSTEM", "USER"].contains(word) else { break }
            if word == "SYSTEM" || word == "USER" { _ = try scanner.nextWord() }
        }
        try refuseInsert(name)
    }

    /// Skips a statement that inserts rows in a form that dumps do not have.
    private func refuseInsert(_ table: String) throws {
        try scanner.skipStatement()
        if wants(table) {
            let message = "an INSERT without VALUES, which only a database can execute"
            noted = .refused(message, table: table, holdsReceipt: false)
        }
    }

    private func beginCopy() throws {
        guard let name = try scanner.tableName() else { return try scanner.skipStatement() }
        let columns = try scanner.names()
        guard try scanner.nextWord() == "FROM", try scanner.nextWord() == "STDIN" else {
            return try scanner.skipStatement()
        }
        guard try scanner.take(";") else {
            throw scanner.damage("COPY \(name.cut) has options; dump with the defaults of pg_dump")
        }
        try scanner.skipLine()
        state = .copy(table(name, columns))
    }

    private func table(_ name: String, _ columns: [String]?) -> Table {
        let known = columns == nil ? columnsOfTables[key(name)] ?? columnsOfTables[key(name, in: "")] : nil
        return Table(
            name: name, columns: columns ?? known?.all, stored: known?.stored,
            generated: known?.generated ?? [], isWanted: wants(name))
    }

    private func create() throws {
        let modifiers = ["OR", "REPLACE", "UNLOGGED", "TEMPORARY", "TEMP", "GLOBAL", "LOCAL"]
        switch try scanner.nextWord(after: modifiers) {
        case "TABLE"?: try createTable()
        case let kind? where ["TRIGGER", "FUNCTION", "PROCEDURE", "RULE"].contains(kind):
            try scanner.skipRoutine(kind)
        default: try scanner.skipStatement()
        }
    }

    /// Reads the columns of `CREATE TABLE`.
    private func createTable() throws {
        guard var name = try scanner.tableName() else { return try scanner.skipStatement() }
        if name.ifASCII.uppercased() == "IF" {
            guard try scanner.nextWord() == "NOT", try scanner.nextWord() == "EXISTS",
                let real = try scanner.tableName()
            else {
                return try scanner.skipStatement()
            }
            name = real
        }
        guard try scanner.take("(") else { return try scanner.skipStatement() }
        var (columns, stored, generated) = ([String](), [String](), [Int]())
        var isCertain = true
        var last: String?
        repeat {
            let isPlain = try scanner.peek().map(SQLScanner.isWord) == true
            guard let column = try scanner.identifier() else {
                isCertain = last == nil
                break
            }
            last = try scanner.skipExpression()
            let isColumn = isPlain ? isColumn(column.ifASCII.uppercased()) : true
            if isColumn == nil { isCertain = false }
            guard isColumn == true, columns.count < CSVColumns.mostColumns else { continue }
            if scanner.isGenerated { generated.append(columns.count) } else { stored.append(column) }
            columns.append(column)
        } while last == ","
        if !isCertain { (columns, stored) = ([], []) }
        let bytes = columns.reduce(database.utf8.count + name.utf8.count) { $0 + $1.utf8.count + 16 }
        if namesBytes + bytes <= Self.mostNames, !columns.isEmpty || !isCertain {
            namesBytes += bytes
            columnsOfTables[key(name)] = (columns, stored, generated)
        }
        if last != ";" { try scanner.skipStatement() }
    }

    /// Returns whether an unquoted word began a column in `CREATE TABLE`, or nil if that is uncertain.
    private func isColumn(_ word: String) -> Bool? {
        let next = scanner.head.first
        return switch word {
        case "PRIMARY", "UNIQUE", "CONSTRAINT", "FOREIGN", "CHECK": false
        case "KEY", "INDEX", "FULLTEXT", "SPATIAL": scanner.isWithoutEscapes || !isIndex
        case "EXCLUDE": next != "USING" && next != "("
        case "PERIOD": next != "FOR"
        // PostgreSQL copies columns with LIKE.
        case "LIKE": scanner.isSQLite ? true : nil
        default: true
        }
    }

    /// Whether `KEY` began an index of MySQL, such as `KEY name (column)`, and not a column, such as
    /// `key varchar(20)`.
    private var isIndex: Bool {
        var rest = scanner.head[...]
        if rest.first == "KEY" || rest.first == "INDEX" { rest.removeFirst() }
        guard let place = rest.prefix(2).firstIndex(where: ["(", "USING"].contains) else { return false }
        guard rest[place] == "(", place > rest.startIndex, let name = rest.first else { return true }
        let inside = rest.dropFirst(2).first ?? ""
        let isType = Int(inside) != nil || ["'", "+", "-"].contains(inside)
        return !isType && !["AS", "CHECK", "DEFAULT"].contains(name)
    }

    /// Skips routines and triggers of mysqldump, whose bodies contain semicolons.
    private func skipDelimited() throws {
        var isFirst = true
        while let line = try scanner.line(atMost: 256) {
            let words = String(decoding: line, as: UTF8.self).uppercased().split(
                whereSeparator: \.isWhitespace)
            if words == (isFirst ? [";"] : ["DELIMITER", ";"]) { return }
            isFirst = false
        }
        throw scanner.truncated()
    }

    // MARK: - Rows

    private func nextValues(_ table: Table) throws -> Item? {
        guard try scanner.take("(") else {
            state = .statements
            if try scanner.take(";") { return nil }
            // A clause such as ON CONFLICT
            guard try scanner.cursor.peek() != nil else { throw scanner.truncated() }
            try scanner.skipStatement()
            return nil
        }
        var row = TableRow()
        var room = limit
        var count = 0
        while true {
            let cell = try scanner.value(atMost: table.isWanted ? room : 0)
            count += 1
            if table.isWanted, count <= CSVColumns.mostColumns { row.cells.append(cell) }
            if case .bytes(let bytes) = cell { room -= bytes.count }
            if try scanner.take(",") { continue }
            guard try scanner.take(")") else {
                throw scanner.damage("a row of \(table.name.cut) is not closed")
            }
            break
        }
        _ = try scanner.take(",")
        return item(row, count, isTooLong: room < 0, table)
    }

    private func item(_ row: TableRow, _ count: Int, isTooLong: Bool, _ table: Table) -> Item? {
        guard table.isWanted else { return nil }
        func refused(_ reason: String) -> Item {
            .refused(reason, table: table.name, holdsReceipt: row.cells.contains(where: \.holdsReceipt))
        }
        guard !isTooLong else { return refused(RecordFields.tooLong) }
        let all = table.columns ?? (0..<max(count, 1)).map { "\($0 + 1)" }
        guard !all.isEmpty else { return refused("the columns in CREATE TABLE cannot be read") }
        // PostgreSQL writes DEFAULT for a generated column.
        let mayOmit = scanner.isSQLite || !scanner.isWithoutEscapes
        let columns = mayOmit && table.stored?.count == count ? table.stored ?? all : all
        guard count == columns.count else { return refused("\(count) values, expected \(columns.count)") }
        // Only MariaDB writes values of generated columns; pg_dump writes DEFAULT.
        if count == all.count, !scanner.hasEscapes {
            for index in table.generated {
                guard case .expression = row.cells[index] else {
                    return refused("a value for the generated column \(all[index].cut)")
                }
            }
        }
        return .row(row, table: table.name, columns: columns)
    }

    /// Reads a line of `COPY`, or its end.
    private func nextLine(_ table: Table) throws -> Item? {
        let room = table.isWanted ? limit : 8
        guard let line = try scanner.line(atMost: room) else { throw scanner.truncated() }
        if line == Array("\\.".utf8) {
            state = .statements
            return nil
        }
        guard table.isWanted else { return nil }
        guard line.count <= room else {
            return .refused(RecordFields.tooLong, table: table.name, holdsReceipt: false)
        }
        var row = TableRow()
        var count = 0
        for field in line.split(separator: 0x09, omittingEmptySubsequences: false) {
            count += 1
            guard count <= CSVColumns.mostColumns else { continue }
            row.cells.append(field.elementsEqual("\\N".utf8) ? .null : .bytes(SQLEscapes.copied(field)))
        }
        return item(row, count, isTooLong: false, table)
    }
}
