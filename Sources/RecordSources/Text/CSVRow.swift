// RFC 4180, with any delimiter. A field is quoted or contains no quotes. In a quoted field, delimiters and
// line ends are content, and a quote is doubled. MySQL, PostgreSQL and SQLite write text with tabs without
// quoting, so a field between tabs may contain quotes after its first byte.

/// A parsed row.
struct CSVRow {
    private(set) var fields: [ArraySlice<UInt8>] = []
    /// The number of fields, including those that are not stored.
    private(set) var count = 0
    /// Whether the row may be several rows of a program that does not quote. Quotes enclose a line end and a tab or
    /// bar, but may belong to two texts.
    private(set) var mayBeSeveral = false

    /// Parses a row, or returns nil if a quote is misplaced or not closed.
    /// - Parameters:
    ///   - delimiter: The delimiter between two fields.
    ///   - most: The maximum number of stored fields.
    init?(
        _ bytes: [UInt8], _ range: Range<Int>, delimiter: UInt8 = UInt8(ascii: ","), keeping most: Int
    ) {
        let end = range.upperBound
        var index = range.lowerBound
        let mayBeText = delimiter == UInt8(ascii: "\t") || delimiter == UInt8(ascii: "|")
        var (hasLineEnd, hasDelimiter) = (false, false)
        while true {
            let field: ArraySlice<UInt8>
            if index < end, bytes[index] == UInt8(ascii: "\"") {
                guard let quoted = Self.quoted(bytes, &index, end) else { return nil }
                field = quoted
                if mayBeText {
                    hasLineEnd = hasLineEnd || field.contains { $0 == 0x0A || $0 == 0x0D }
                    hasDelimiter = hasDelimiter || field.contains(delimiter)
                    mayBeSeveral = hasLineEnd && hasDelimiter
                }
            } else {
                let start = index
                while index < end, bytes[index] != delimiter {
                    if bytes[index] == UInt8(ascii: "\""), delimiter != UInt8(ascii: "\t") { return nil }
                    index += 1
                }
                field = bytes[start..<index]
            }
            count += 1
            if count <= most { fields.append(field) }
            guard index < end else { return }
            guard bytes[index] == delimiter else { return nil }
            index += 1
        }
    }

    /// Returns the content of a quoted field, and moves `index` past the closing quote.
    private static func quoted(_ bytes: [UInt8], _ index: inout Int, _ end: Int) -> ArraySlice<UInt8>? {
        var start = index + 1
        var text: [UInt8] = []
        index = start
        while index < end {
            guard bytes[index] == UInt8(ascii: "\"") else {
                index += 1
                continue
            }
            let part = bytes[start..<index]
            index += 1
            guard index < end, bytes[index] == UInt8(ascii: "\"") else {
                return text.isEmpty ? part : (text + part)[...]
            }
            // One of the two quotes is kept.
            text += part + [UInt8(ascii: "\"")]
            index += 1
            start = index
        }
        return nil
    }
}
