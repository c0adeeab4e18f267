import ReceiptExamination

extension SQLScanner {
    /// Reads a value of a row. Beyond `room` bytes, it only skips the rest.
    func value(atMost room: Int) throws -> TableRow.Cell {
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
        if raw.starts(with: "0x".utf8), raw.count <= room {
            return .bytes(SQLEscapes.blob(raw.dropFirst(2), room))
        }
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
            return .bytes(SQLEscapes.blob(digits[...], room))
        default:
            return word.hasPrefix("_") ? .bytes(try literal(hasEscapes: hasEscapes, room)) : nil
        }
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
                guard let plain = isWhole ? SQLEscapes.withoutEscapes(text) : text else {
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
                if isWhole { text = SQLEscapes.replacing(pattern, with: byte, in: text) }
            }
            guard try take(")") else { return try expression(depth: depth) }
            names.removeLast()
        }
        return try isFollowedByMore() ? .expression : .bytes(text)
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
}
