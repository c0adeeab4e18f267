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
        case refused(String, table: String)
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
        let isWanted: Bool
    }

    private let cursor: SQLCursor
    private let limit: Int
    private let wants: (String) -> Bool
    private var state = State.statements
    /// The refusal of the last statement, which is the next item.
    private var refused: Item?
    /// Whether a backslash in a literal is an escape, as in MySQL and MariaDB. Nil if the dump has not shown
    /// it yet.
    private var knownEscapes: Bool?
    /// The comment that a complete dump ends with, and whether it was seen.
    private var ending: (text: String, isSeen: Bool)?
    private var columnsOfTables: [[UInt8]: (all: [String], stored: [String])] = [:]
    /// Whether the last skipped expression has `AS (`, the definition of a generated column.
    private var isGenerated = false
    private var namesBytes = 0

    private static let longestName = 1024
    private static let mostNames = 16 << 20

    /// - Parameters:
    ///   - limit: The maximum size of a row in bytes.
    ///   - wants: The closure that receives the name of a table and decides whether its rows are needed.
    init(_ stream: ByteStream, limit: Int, wants: @escaping (String) -> Bool) {
        (cursor, self.limit, self.wants) = (SQLCursor(stream), limit, wants)
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
            if let item = refused {
                refused = nil
                return item
            }
            switch state {
            case .statements:
                guard try nextStatement() else {
                    if let ending, !ending.isSeen {
                        throw damage("the dump ends without the comment \(ending.text)")
                    }
                    return nil
                }
            case .values(let table): if let item = try nextValues(table) { return item }
            case .copy(let table): if let item = try nextLine(table) { return item }
            }
        }
    }

    private var hasEscapes: Bool { knownEscapes ?? false }

    /// Notes a sign of MySQL or MariaDB, unless an earlier sign shows another program.
    private func supposeEscapes() { knownEscapes = knownEscapes ?? true }

    private func damage(_ message: String) -> SourceDamage {
        SourceDamage(description: "SQL at byte \(cursor.offset): \(message)")
    }

    private func truncated() -> SourceDamage { damage("the dump ends in a statement") }

    // MARK: - Statements

    /// Reads a statement up to its first row, or skips it.
    /// - Returns: False at the end.
    private func nextStatement() throws -> Bool {
        guard let first = try peek() else { return false }
        // A command of psql.
        if first == UInt8(ascii: "\\") {
            try skipLine()
            return true
        }
        guard let word = try self.word()?.ifASCII.uppercased() else {
            try skipStatement()
            return true
        }
        switch word {
        case "INSERT", "REPLACE": try beginInsert()
        case "COPY": try beginCopy()
        case "CREATE": try createTable()
        case "DELIMITER": try skipDelimited()
        case "PRAGMA":
            // SQLite
            knownEscapes = false
            try skipStatement()
        default: try skipStatement()
        }
        return true
    }

    private func beginInsert() throws {
        let word = try nextWord(after: ["IGNORE", "LOW_PRIORITY", "DELAYED", "OR", "REPLACE"])
        guard word == "INTO", let name = try tableName() else {
            return try refuseInsert("unknown")
        }
        let columns = try names()
        while let word = try nextWord() {
            guard word != "VALUES", word != "VALUE" else {
                state = .values(table(name, columns))
                return
            }
            // OVERRIDING SYSTEM VALUE of PostgreSQL
            guard ["OVERRIDING", "SYSTEM", "USER"].contains(word) else { break }
            if word == "SYSTEM" || word == "USER" { _ = try nextWord() }
        }
        try refuseInsert(name)
    }

    /// Skips a statement that inserts rows in a form that dumps do not have.
    private func refuseInsert(_ table: String) throws {
        try skipStatement()
        if wants(table) {
            refused = .refused("an INSERT without VALUES, which only a database can execute", table: table)
        }
    }

    private func beginCopy() throws {
        guard let name = try tableName() else { return try skipStatement() }
        let columns = try names()
        guard try nextWord() == "FROM", try nextWord() == "STDIN" else { return try skipStatement() }
        guard try take(";") else {
            throw damage("COPY \(name.cut) has options; dump with the defaults of pg_dump")
        }
        try skipLine()
        state = .copy(table(name, columns))
    }

    private func table(_ name: String, _ columns: [String]?) -> Table {
        let known = columns == nil ? columnsOfTables[Array(name.utf8)] : nil
        return Table(
            name: name, columns: columns ?? known?.all, stored: known?.stored, isWanted: wants(name))
    }

    /// Reads the columns of `CREATE TABLE`.
    private func createTable() throws {
        let word = try nextWord(after: ["UNLOGGED", "TEMPORARY", "TEMP", "GLOBAL", "LOCAL"])
        guard word == "TABLE", var name = try tableName() else { return try skipStatement() }
        if name.ifASCII.uppercased() == "IF" {
            guard try nextWord() == "NOT", try nextWord() == "EXISTS", let real = try tableName() else {
                return try skipStatement()
            }
            name = real
        }
        guard try take("(") else { return try skipStatement() }
        var (columns, stored) = ([String](), [String]())
        var last: UInt8?
        repeat {
            let isQuoted = try peek().map { Self.isQuote($0) } == true
            guard let column = try identifier() else { break }
            let isColumn = isQuoted || !Self.constraints.contains(column.ifASCII.uppercased())
            last = try skipExpression()
            guard isColumn, columns.count < CSVColumns.mostColumns else { continue }
            columns.append(column)
            if !isGenerated { stored.append(column) }
        } while last == UInt8(ascii: ",")
        let bytes = columns.reduce(name.utf8.count) { $0 + $1.utf8.count + 16 }
        if namesBytes + bytes <= Self.mostNames, !columns.isEmpty {
            namesBytes += bytes
            columnsOfTables[Array(name.utf8)] = (columns, stored)
        }
        if last != UInt8(ascii: ";") { try skipStatement() }
    }

    private static let constraints: Set = [
        "PRIMARY", "KEY", "UNIQUE", "CONSTRAINT", "INDEX", "FULLTEXT", "SPATIAL", "FOREIGN", "CHECK",
        "EXCLUDE", "LIKE", "PERIOD",
    ]

    /// Skips routines and triggers of mysqldump, whose bodies contain semicolons.
    private func skipDelimited() throws {
        var isFirst = true
        while let line = try line(atMost: 256) {
            let words = String(decoding: line, as: UTF8.self).uppercased().split(
                whereSeparator: \.isWhitespace)
            if words == (isFirst ? [";"] : ["DELIMITER", ";"]) { return }
            isFirst = false
        }
        throw truncated()
    }

    /// Skips the rest of a statement with its semicolon.
    private func skipStatement() throws {
        while true {
            switch try skipExpression() {
            case UInt8(ascii: ";")?: return
            case nil: throw truncated()
            default: break
            }
        }
    }

    // MARK: - Rows

    private func nextValues(_ table: Table) throws -> Item? {
        guard try take("(") else {
            state = .statements
            if try take(";") { return nil }
            // A clause such as ON CONFLICT
            guard try cursor.peek() != nil else { throw truncated() }
            try skipStatement()
            return nil
        }
        var row = TableRow()
        var room = limit
        var count = 0
        while true {
            let cell = try value(atMost: table.isWanted ? room : 0)
            count += 1
            if table.isWanted, count <= CSVColumns.mostColumns { row.cells.append(cell) }
            if case .bytes(let bytes) = cell { room -= bytes.count }
            if try take(",") { continue }
            guard try take(")") else {
                throw damage("a row of \(table.name.cut) is not closed")
            }
            break
        }
        _ = try take(",")
        return item(row, count, isTooLong: room < 0, table)
    }

    private func item(_ row: TableRow, _ count: Int, isTooLong: Bool, _ table: Table) -> Item? {
        guard table.isWanted else { return nil }
        let all = table.columns ?? (0..<max(count, 1)).map { "\($0 + 1)" }
        let columns = table.stored?.count == count ? table.stored ?? all : all
        guard !isTooLong else { return .refused(RecordFields.tooLong, table: table.name) }
        guard count == columns.count else {
            return .refused("\(count) values, expected \(columns.count)", table: table.name)
        }
        return .row(row, table: table.name, columns: columns)
    }

    /// Reads a value of a row. Beyond `room` bytes, it only skips the rest.
    private func value(atMost room: Int) throws -> TableRow.Cell {
        var raw: [UInt8] = []
        guard let first = try peek() else { throw truncated() }
        if first == UInt8(ascii: "'") {
            let text = try literal(hasEscapes: hasEscapes, room)
            return try isFollowedByMore() ? .expression : .bytes(text)
        }
        // A number, a keyword, or the prefix of a literal, such as E, X or _binary.
        while let byte = try cursor.peek(),
            Self.isWord(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "+")
                || byte == UInt8(ascii: "-")
        {
            if raw.count <= room { raw.append(byte) }
            _ = try cursor.next()
        }
        let word = raw.count <= 16 ? String(decoding: raw, as: UTF8.self).uppercased() : ""
        if raw.first == UInt8(ascii: "_") { try skipSpace() }
        if !hasEscapes, word == "REPLACE" || word == "UNISTR", try cursor.peek() == UInt8(ascii: "(") {
            return try call(of: word, room)
        }
        if try cursor.peek() == UInt8(ascii: "'"), !raw.isEmpty {
            guard let cell = try prefixed(word, room) else { return try expression() }
            return try isFollowedByMore() ? .expression : cell
        }
        guard try !isFollowedByMore(), let begin = raw.first else { return try expression() }
        if word == "NULL" { return .null }
        // A blob of mysqldump --hex-blob.
        if raw.starts(with: "0x".utf8), raw.count <= room { return .bytes(Self.blob(raw.dropFirst(2), room)) }
        let isValue =
            (0x30...0x39).contains(begin) || begin == UInt8(ascii: "-") || begin == UInt8(ascii: "+")
            || word == "TRUE" || word == "FALSE"
        return isValue ? .bytes(raw) : .expression
    }

    /// Reads a literal after its prefix, or returns nil if the prefix is unknown.
    private func prefixed(_ word: String, _ room: Int) throws -> TableRow.Cell? {
        switch word {
        case "E": return .bytes(try literal(hasEscapes: true, room))
        case "N", "B": return .bytes(try literal(hasEscapes: hasEscapes, room))
        case "X":
            let digits = try literal(hasEscapes: false, room)
            return .bytes(Self.blob(digits[...], room))
        default:
            return word.hasPrefix("_") ? .bytes(try literal(hasEscapes: hasEscapes, room)) : nil
        }
    }

    /// Returns the bytes of a blob in hexadecimal, or its text if it is invalid or beyond the limit.
    private static func blob(_ digits: ArraySlice<UInt8>, _ room: Int) -> [UInt8] {
        let bytes = digits.count <= room ? [UInt8](hexadecimal: digits) : nil
        return bytes ?? Array("0x".utf8) + digits
    }

    /// Reads the expressions in which sqlite3 writes text with line ends or control characters:
    /// `replace('…','\n',char(10))`, also nested, and `unistr('…\u000a…')`.
    private func call(of name: String, _ room: Int) throws -> TableRow.Cell {
        var names = [name]
        _ = try cursor.next()
        while try peek() != UInt8(ascii: "'") {
            guard names.count < 3, let inner = try nextWord(), inner == "REPLACE" || inner == "UNISTR",
                try cursor.take(UInt8(ascii: "("))
            else { return try expression(depth: names.count) }
            names.append(inner)
        }
        var text = try literal(hasEscapes: false, room)
        // Text beyond the limit is not complete, so it stays as it is, and the row is refused.
        let isWhole = text.count <= room
        while let name = names.last {
            let depth = names.count
            if name == "UNISTR" {
                guard let plain = isWhole ? Self.withoutEscapes(text) : text else {
                    return try expression(depth: depth)
                }
                text = plain
            } else {
                guard try take(","), try peek() == UInt8(ascii: "'") else {
                    return try expression(depth: depth)
                }
                let pattern = try literal(hasEscapes: false, 64)
                guard try take(","), try nextWord() == "CHAR",
                    try cursor.take(UInt8(ascii: "("))
                else { return try expression(depth: depth) }
                let number = try nextWord()
                guard let byte: UInt8 = number == "10" ? 0x0A : number == "13" ? 0x0D : nil,
                    try cursor.take(UInt8(ascii: ")"))
                else { return try expression(depth: depth + 1) }
                if isWhole { text = Self.replacing(pattern, with: byte, in: text) }
            }
            guard try take(")") else { return try expression(depth: depth) }
            names.removeLast()
        }
        return try isFollowedByMore() ? .expression : .bytes(text)
    }

    private static func replacing(_ pattern: [UInt8], with byte: UInt8, in text: [UInt8]) -> [UInt8] {
        guard let first = pattern.first else { return text }
        return rewriting(text[...], at: first) { rest in
            guard rest.starts(with: pattern.dropFirst()) else { return first }
            rest = rest.dropFirst(pattern.count - 1)
            return byte
        } ?? text
    }

    /// Removes the escapes of `unistr`, or returns nil if one is neither a backslash nor an ASCII character.
    private static func withoutEscapes(_ text: [UInt8]) -> [UInt8]? {
        rewriting(text[...], at: backslash) { rest in
            if rest.first == backslash { return rest.removeFirst() }
            guard rest.first == UInt8(ascii: "u"), rest.count >= 5,
                let byte = UInt8(String(decoding: rest.dropFirst().prefix(4), as: UTF8.self), radix: 16),
                byte < 0x80
            else { return nil }
            rest = rest.dropFirst(5)
            return byte
        }
    }

    /// Replaces each `mark` in a text, or returns nil if `read` does.
    /// - Parameter read: The closure that takes the text after the mark that belongs to it, and returns the replacement.
    private static func rewriting(
        _ text: ArraySlice<UInt8>, at mark: UInt8, _ read: (inout ArraySlice<UInt8>) -> UInt8?
    ) -> [UInt8]? {
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        var rest = text
        while let place = rest.firstIndex(of: mark) {
            result += rest[..<place]
            rest = rest[(place + 1)...]
            guard let byte = read(&rest) else { return nil }
            result.append(byte)
        }
        result += rest
        return result
    }

    /// Skips the rest of an expression within a row.
    /// - Parameter start: The number of open parentheses.
    private func expression(depth start: Int = 0) throws -> TableRow.Cell {
        var depth = start
        while let byte = try cursor.peek() {
            switch byte {
            case UInt8(ascii: ",") where depth == 0, UInt8(ascii: ")") where depth == 0: return .expression
            case UInt8(ascii: "("): depth += 1
            case UInt8(ascii: ")"): depth -= 1
            case UInt8(ascii: ";"): throw damage("a row is not closed")
            case _ where Self.isQuote(byte):
                try skipQuoted(byte)
                continue
            default: break
            }
            _ = try cursor.next()
        }
        throw truncated()
    }

    /// Returns whether a value is only the beginning of an expression, which it then skips.
    private func isFollowedByMore() throws -> Bool {
        guard let byte = try peek() else { throw truncated() }
        guard byte != UInt8(ascii: ","), byte != UInt8(ascii: ")") else { return false }
        _ = try expression()
        return true
    }

    private static let backslash = UInt8(ascii: "\\")

    /// Reads a literal in single quotes.
    private func literal(hasEscapes: Bool, _ room: Int) throws -> [UInt8] {
        try quoted(UInt8(ascii: "'"), hasEscapes: hasEscapes, room)
    }

    /// Reads text in quotes. Of longer text, it keeps at least one byte more than `room`.
    private func quoted(_ quote: UInt8, hasEscapes: Bool = false, _ room: Int) throws -> [UInt8] {
        let backslash = hasEscapes ? Self.backslash : quote
        _ = try cursor.next()
        var text: [UInt8] = []
        while let stop = try cursor.take(until: quote, or: backslash, into: &text, limit: room) {
            _ = try cursor.next()
            if stop == quote {
                guard try cursor.take(quote) else { return text }
                if text.count <= room { text.append(quote) }
            } else {
                guard let escaped = try cursor.next() else { break }
                if text.count <= room { text.append(Self.unescaped(escaped)) }
            }
        }
        throw truncated()
    }

    /// Returns the character that MySQL and PostgreSQL write after a backslash.
    private static func unescaped(_ byte: UInt8) -> UInt8 {
        switch byte {
        case UInt8(ascii: "0"): 0
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        case UInt8(ascii: "v"): 0x0B
        case UInt8(ascii: "Z"): 0x1A
        default: byte
        }
    }

    /// Reads a line of `COPY`, or its end.
    private func nextLine(_ table: Table) throws -> Item? {
        let room = table.isWanted ? limit : 8
        guard let line = try line(atMost: room) else { throw truncated() }
        if line == Array("\\.".utf8) {
            state = .statements
            return nil
        }
        guard table.isWanted else { return nil }
        guard line.count <= room else { return .refused(RecordFields.tooLong, table: table.name) }
        var row = TableRow()
        var count = 0
        for field in line.split(separator: 0x09, omittingEmptySubsequences: false) {
            count += 1
            guard count <= CSVColumns.mostColumns else { continue }
            row.cells.append(field.elementsEqual("\\N".utf8) ? .null : .bytes(Self.copied(field)))
        }
        return item(row, count, isTooLong: false, table)
    }

    /// Removes the escapes of a field of `COPY`.
    private static func copied(_ field: ArraySlice<UInt8>) -> [UInt8] {
        var field = field
        // A last backslash without a character after it is dropped.
        let backslashes = field.reversed().prefix { $0 == backslash }.count
        if !backslashes.isMultiple(of: 2) { field.removeLast() }
        return rewriting(field, at: backslash) { rest in
            let escaped = rest.removeFirst()
            guard (0x30...0x37).contains(escaped) else {
                return escaped == UInt8(ascii: "Z") ? escaped : unescaped(escaped)
            }
            let digits = [escaped] + rest.prefix(2).prefix { (0x30...0x37).contains($0) }
            rest = rest.dropFirst(digits.count - 1)
            return UInt8(truncatingIfNeeded: digits.reduce(0) { $0 * 8 + Int($1 - 0x30) })
        } ?? []
    }

    // MARK: - Tokens

    /// Returns the next byte after white space and comments without consuming it, or nil at the end.
    private func peek() throws -> UInt8? {
        try skipSpace()
        return try cursor.peek()
    }

    /// Consumes a sign after white space and comments if it is next.
    private func take(_ sign: Unicode.Scalar) throws -> Bool {
        try skipSpace()
        return try cursor.take(UInt8(ascii: sign))
    }

    /// Skips white space and comments.
    private func skipSpace() throws {
        while let byte = try cursor.peek() {
            switch byte {
            case 0x20, 0x09...0x0D: _ = try cursor.next()
            case UInt8(ascii: "#") where hasEscapes: try skipLine()
            case UInt8(ascii: "-"):
                guard try isDoubled(byte) else { return }
                note(try line(atMost: 256) ?? [])
            case UInt8(ascii: "/"):
                guard try isDoubled(byte) else { return }
                try skipComment()
            default: return
            }
        }
    }

    /// Consumes `--` or `/*` if they are next.
    private func isDoubled(_ byte: UInt8) throws -> Bool {
        try cursor.take(byte, then: byte == UInt8(ascii: "/") ? UInt8(ascii: "*") : byte)
    }

    private func skipComment() throws {
        // A conditional comment of MySQL or MariaDB.
        let first = try cursor.peek()
        if first == UInt8(ascii: "!") || first == UInt8(ascii: "M") { supposeEscapes() }
        var last: UInt8 = 0
        while let byte = try cursor.next() {
            if last == UInt8(ascii: "*"), byte == UInt8(ascii: "/") { return }
            last = byte
        }
        throw truncated()
    }

    /// Recognizes the program that made the dump by its comments.
    private func note(_ comment: [UInt8]) {
        let text = String(decoding: comment, as: UTF8.self).drop(while: \.isWhitespace)
        if text.hasPrefix("PostgreSQL database dump") {
            let isEnd = text.hasPrefix("PostgreSQL database dump complete")
            ending = ("PostgreSQL database dump complete", isEnd)
            knownEscapes = false
        } else if text.hasPrefix("MySQL dump ") || text.hasPrefix("MariaDB dump ") {
            knownEscapes = true
            ending = ("Dump completed", false)
        } else if text.hasPrefix("Dump completed"), ending != nil {
            ending?.isSeen = true
        }
    }

    private func skipLine() throws { _ = try line(atMost: 0) }

    /// Reads a line without its end, or returns nil at the end of the text. It keeps one byte more than the
    /// limit of a longer line.
    private func line(atMost limit: Int) throws -> [UInt8]? {
        guard try cursor.peek() != nil else { return nil }
        var text: [UInt8] = []
        _ = try cursor.take(until: 0x0A, or: 0x0A, into: &text, limit: limit)
        _ = try cursor.take(0x0A)
        if text.last == 0x0D { text.removeLast() }
        return text
    }

    /// Skips to the next comma, semicolon or closing parenthesis outside parentheses and quotes.
    /// - Returns: The byte, which is consumed, or nil at the end.
    private func skipExpression() throws -> UInt8? {
        var depth = 0
        var lastWord: String?
        isGenerated = false
        while true {
            guard let byte = try peek() else { return nil }
            if Self.isQuote(byte) {
                try skipQuoted(byte)
                continue
            }
            if byte == UInt8(ascii: "$"), !hasEscapes {
                try skipDollarQuoted()
                continue
            }
            if Self.isWord(byte) {
                lastWord = try word()
                continue
            }
            _ = try cursor.next()
            if byte == UInt8(ascii: "("), depth == 0, lastWord?.ifASCII.uppercased() == "AS" {
                isGenerated = true
            }
            lastWord = nil
            switch byte {
            case UInt8(ascii: "("): depth += 1
            case UInt8(ascii: ")"):
                if depth == 0 { return byte }
                depth -= 1
            case UInt8(ascii: ","): if depth == 0 { return byte }
            case UInt8(ascii: ";"): return byte
            default: break
            }
        }
    }

    /// Skips text in quotes of any kind.
    private func skipQuoted(_ quote: UInt8) throws {
        let isLiteral = quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"")
        _ = try quoted(quote, hasEscapes: hasEscapes && isLiteral, -1)
    }

    /// Skips text in dollar quotes of PostgreSQL, such as `$$…$$` and `$body$…$body$`.
    private func skipDollarQuoted() throws {
        _ = try cursor.next()
        var tag: [UInt8] = []
        while let byte = try cursor.peek(), Self.isWord(byte), tag.count < 64 {
            tag.append(byte)
            _ = try cursor.next()
        }
        guard try cursor.take(UInt8(ascii: "$")) else { return }
        let dollar = UInt8(ascii: "$")
        var none: [UInt8] = []
        while try cursor.take(until: dollar, or: dollar, into: &none, limit: -1) != nil {
            _ = try cursor.next()
            var found: [UInt8] = []
            while found.count < tag.count, let byte = try cursor.peek(), byte == tag[found.count] {
                found.append(byte)
                _ = try cursor.next()
            }
            if found == tag, try cursor.take(dollar) { return }
        }
        throw truncated()
    }

    /// Reads a word of letters, digits and underscores in upper case, after white space.
    private func nextWord() throws -> String? {
        try skipSpace()
        return try word()?.ifASCII.uppercased()
    }

    /// Reads the first word that is not one of the modifiers.
    private func nextWord(after modifiers: [String]) throws -> String? {
        while true {
            let word = try nextWord()
            guard let word, modifiers.contains(word) else { return word }
        }
    }

    private func word() throws -> String? {
        var text: [UInt8] = []
        while let byte = try cursor.peek(), Self.isWord(byte), text.count < Self.longestName {
            text.append(byte)
            _ = try cursor.next()
        }
        return text.isEmpty ? nil : String(decoding: text, as: UTF8.self)
    }

    /// Reads the name of a table, with its schema if the dump names it.
    private func tableName() throws -> String? {
        try skipSpace()
        guard var name = try identifier() else { return nil }
        while try cursor.take(UInt8(ascii: ".")) {
            guard let next = try identifier() else { return nil }
            name += "." + next
        }
        return name
    }

    /// Reads a name, which may be quoted.
    private func identifier() throws -> String? {
        guard let first = try cursor.peek() else { return nil }
        guard Self.isQuote(first), first != UInt8(ascii: "'") else { return try word() }
        // MySQL and MariaDB quote names with backticks.
        if first == UInt8(ascii: "`") { supposeEscapes() }
        let text = try quoted(first, Self.longestName)
        return text.count <= Self.longestName ? String(decoding: text, as: UTF8.self) : nil
    }

    /// Reads a list of names in parentheses, or returns nil if none is next.
    private func names() throws -> [String]? {
        guard try take("(") else { return nil }
        var names: [String] = []
        repeat {
            try skipSpace()
            guard let name = try identifier(), names.count < CSVColumns.mostColumns else {
                throw damage("a list of columns that cannot be read")
            }
            names.append(name)
        } while try take(",")
        guard try take(")") else { throw damage("a list of columns that is not closed") }
        return names
    }

    private static func isQuote(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "`")
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), 0x80...: true
        default: false
        }
    }
}
