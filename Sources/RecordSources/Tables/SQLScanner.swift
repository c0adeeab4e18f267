import AppReceipt
import ReceiptExamination
import StrictJSON

/// A reader of the tokens of an SQL dump. It recognizes the program that made the dump, on which the meaning of backslashes
/// depends.
final class SQLScanner {
    let cursor: SQLCursor
    /// Whether a backslash in a literal is an escape, as in MySQL and MariaDB. Nil if the dump has not shown
    /// it yet.
    private var knownEscapes: Bool?
    /// The comment that a complete dump ends with, and whether it was seen.
    private var ending: (text: String, isSeen: Bool)?
    /// The comment that an earlier dump in the same file lacks.
    private var interrupted: String?
    private(set) var isSQLite = false
    /// Whether the last skipped expression has `AS (`, the definition of a generated column.
    private(set) var isGenerated = false
    /// The first tokens of the last skipped expression.
    private(set) var head: [String] = []

    private static let longestName = 1024

    init(_ stream: ByteStream) { cursor = SQLCursor(stream) }

    var hasEscapes: Bool { knownEscapes ?? false }
    /// Whether the dump is of PostgreSQL or SQLite.
    var isWithoutEscapes: Bool { knownEscapes == false }

    /// Whether the dump has shown which program made it.
    var isKnown: Bool { knownEscapes != nil }

    /// Notes a sign of MySQL or MariaDB, unless an earlier sign shows another program.
    private func supposeEscapes() { knownEscapes = knownEscapes ?? true }

    /// Notes a sign of SQLite.
    func noteSQLite() { (knownEscapes, isSQLite) = (false, true) }

    func damage(_ message: String) -> SourceDamage {
        SourceDamage(description: "SQL at byte \(cursor.offset): \(message)")
    }

    func truncated() -> SourceDamage { damage("the dump ends in a statement") }

    /// - Throws: ``SourceDamage`` if the dump lacks its last comment.
    func requireEnding() throws {
        let missing = interrupted ?? ending.flatMap { $0.isSeen ? nil : $0.text }
        if let missing { throw damage("the dump ends without the comment \(missing)") }
    }

    /// Returns the next byte after white space and comments without consuming it, or nil at the end.
    func peek() throws -> UInt8? {
        try skipSpace()
        return try cursor.peek()
    }

    /// Consumes a sign after white space and comments if it is next.
    func take(_ sign: Unicode.Scalar) throws -> Bool {
        try skipSpace()
        return try cursor.take(UInt8(ascii: sign))
    }

    /// Skips white space and comments.
    func skipSpace() throws {
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
        let isStart = ["PostgreSQL database dump", "MySQL dump ", "MariaDB dump "].contains {
            text.hasPrefix($0)
        }
        if let ending, !ending.isSeen, isStart, !text.hasPrefix(ending.text) { interrupted = ending.text }
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

    func skipLine() throws { _ = try line(atMost: 0) }

    /// Reads a line without its end, or returns nil at the end of the text. It keeps one byte more than the
    /// limit of a longer line.
    func line(atMost limit: Int) throws -> [UInt8]? {
        guard try cursor.peek() != nil else { return nil }
        var text: [UInt8] = []
        _ = try cursor.take(until: 0x0A, or: 0x0A, into: &text, limit: limit)
        _ = try cursor.take(0x0A)
        if text.last == 0x0D { text.removeLast() }
        return text
    }

    /// Skips the rest of a statement with its semicolon.
    func skipStatement() throws {
        while let sign = try skipExpression() {
            if sign == ";" { return }
        }
        throw truncated()
    }

    /// Skips to the next comma, semicolon or closing parenthesis outside parentheses and quotes.
    /// - Returns: The sign, which is consumed, or nil at the end.
    func skipExpression() throws -> String? {
        var depth = 0
        var last = ""
        (isGenerated, head) = (false, [])
        while let token = try token() {
            if head.count < 4 { head.append(token) }
            switch token {
            case ";": return token
            case ",", ")":
                if depth == 0 { return token }
                if token == ")" { depth -= 1 }
            case "(":
                if depth == 0, last == "AS" { isGenerated = true }
                depth += 1
            // An array of PostgreSQL. SQLite has names in brackets.
            case "[" where !isSQLite: depth += 1
            case "]" where !isSQLite && depth > 0: depth -= 1
            default: break
            }
            last = token
        }
        return nil
    }

    /// Skips the rest of `CREATE TRIGGER`, `FUNCTION`, `PROCEDURE` or `RULE`, whose body may have semicolons.
    ///
    /// A body ends at `; END;`, as in SQLite's `sqlite3_complete`. Rules have parentheses.
    func skipRoutine(_ kind: String) throws {
        var depth = 0
        var (before, last) = ("", "")
        var isBody = isSQLite && kind == "TRIGGER"
        while let token = try token() {
            switch token {
            case "(": depth += 1
            case ")": depth -= 1
            case "ATOMIC" where depth == 0 && last == "BEGIN": isBody = true
            case "BEGIN" where depth == 0 && !isWithoutEscapes:
                guard !isBody else { throw damage("a nested BEGIN without DELIMITER") }
                isBody = true
            case ";" where depth == 0:
                if !isBody || last == "END" && [";", "BEGIN", "ATOMIC"].contains(before) { return }
            default: break
            }
            (before, last) = (last, token)
        }
        throw damage("the end of CREATE \(kind) is missing")
    }

    /// Reads the next word, in upper case, or sign.
    /// - Returns: The first sign of quoted text, an empty text for a word that is not ASCII, or nil at the end.
    private func token() throws -> String? {
        guard let byte = try peek() else { return nil }
        if Self.isWord(byte) { return try word()?.ifASCII.uppercased() }
        switch byte {
        case UInt8(ascii: "["): _ = try isSQLite ? bracketed() : cursor.next().map { [$0] }
        case UInt8(ascii: "$") where !hasEscapes: try skipDollarQuoted()
        case _ where Self.isQuote(byte): try skipQuoted(byte)
        default: _ = try cursor.next()
        }
        return String(UnicodeScalar(byte))
    }

    /// Reads a literal in single quotes.
    func literal(hasEscapes: Bool, _ room: Int) throws -> [UInt8] {
        try quoted(UInt8(ascii: "'"), hasEscapes: hasEscapes, room)
    }

    /// Reads text in quotes. Of longer text, it keeps at least one byte more than `room`.
    func quoted(_ quote: UInt8, hasEscapes: Bool = false, _ room: Int) throws -> [UInt8] {
        let backslash = hasEscapes ? SQLEscapes.backslash : quote
        _ = try cursor.next()
        var text: [UInt8] = []
        while let stop = try cursor.take(until: quote, or: backslash, into: &text, limit: room) {
            _ = try cursor.next()
            if stop == quote {
                guard try cursor.take(quote) else { return text }
                if text.count <= room { text.append(quote) }
            } else {
                guard let escaped = try cursor.next() else { break }
                if text.count <= room { text.append(SQLEscapes.unescaped(escaped)) }
            }
        }
        throw truncated()
    }

    /// Reads a name of SQLite in brackets.
    private func bracketed() throws -> [UInt8] {
        let end = UInt8(ascii: "]")
        var name: [UInt8] = []
        _ = try cursor.next()
        _ = try cursor.take(until: end, or: end, into: &name, limit: Self.longestName)
        guard try cursor.take(end) else { throw truncated() }
        return name
    }

    /// Skips text in quotes of any kind.
    func skipQuoted(_ quote: UInt8) throws {
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
    func nextWord() throws -> String? {
        try skipSpace()
        return try word()?.ifASCII.uppercased()
    }

    /// Reads the first word that is not one of the modifiers.
    func nextWord(after modifiers: [String]) throws -> String? {
        while true {
            let word = try nextWord()
            guard let word, modifiers.contains(word) else { return word }
        }
    }

    func word() throws -> String? {
        var text: [UInt8] = []
        while let byte = try cursor.peek(), text.count < Self.longestName,
            Self.isWord(byte) || byte == UInt8(ascii: "$") && !text.isEmpty
        {
            text.append(byte)
            _ = try cursor.next()
        }
        return text.isEmpty ? nil : String(decoding: text, as: UTF8.self)
    }

    /// Reads the name of a table, with its schema if the dump names it.
    func tableName() throws -> String? {
        try skipSpace()
        guard var name = try identifier() else { return nil }
        while try cursor.take(UInt8(ascii: ".")) {
            guard let next = try identifier() else { return nil }
            name += "." + next
        }
        return name
    }

    /// Reads a name, which may be quoted.
    func identifier() throws -> String? {
        guard let first = try cursor.peek() else { return nil }
        let isBracketed = first == UInt8(ascii: "[")
        // Only SQLite takes text for a name.
        guard isBracketed || Self.isQuote(first), isSQLite || first != UInt8(ascii: "'") else {
            return try word()
        }
        // MySQL and MariaDB quote names with backticks.
        if first == UInt8(ascii: "`") { supposeEscapes() }
        let text = try isBracketed ? bracketed() : quoted(first, Self.longestName)
        return text.count <= Self.longestName ? String(decoding: text, as: UTF8.self) : nil
    }

    /// Reads a list of names in parentheses, or returns nil if none is next.
    func names() throws -> [String]? {
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

    static func isQuote(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "`")
    }

    static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), 0x80...: true
        default: false
        }
    }
}
