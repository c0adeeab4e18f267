/// A scanner for the ends of the rows of a CSV export as it arrives.
///
/// A row ends with CR, LF or both. In a quoted field, line ends are content if the whole row is valid. In two
/// cases the row ends with its first line. Either a quote is misplaced or not closed, or the number of fields
/// differs from the number of columns. A stray quote therefore damages only that line.
///
/// In a table delimited by tabs, quotes in a field that does not begin with one are text. After such a field, no
/// quoted field has line ends.
///
/// No line is scanned much more than twice. A line that opens a quoted field and does not close it has an odd
/// number of quotes, or quotes as text. A scan that reaches it inside quotes therefore does not pass its end.
struct CSVScanner {
    private enum State {
        case fieldStart, plain, quoted
        /// After a quote in a quoted field: the field has ended, or the quote is the first of two.
        case quote
        /// Inside an invalid row, which ends with its line.
        case broken
    }

    private var state = State.fieldStart
    /// The end of the scanned bytes.
    private(set) var index: Int
    private var fields = 1
    /// The first line end in quotes.
    private var firstLineEnd: Int?
    /// Whether a quote in the row is text.
    private var hasQuoteAsText = false
    private var isBehindReturn = false
    private let delimiter: UInt8

    init(index: Int = 0, delimiter: UInt8 = UInt8(ascii: ",")) {
        (self.index, self.delimiter) = (index, delimiter)
    }

    enum Found {
        /// The end of the row, and the start of the next one.
        case row(end: Int, next: Int)
        /// Bytes that belong to no row, such as the second half of a line end. They end at the scanner's
        /// index.
        case nothing
        /// Damaged bytes that form no record, with the reason.
        case damage(String)
        /// A row longer than the limit, whose bytes are not needed.
        case tooLong
        case more
    }

    /// Finds the end of the current row.
    /// - Parameters:
    ///   - start: The start of the current row.
    ///   - columns: The number of fields in a row, or nil in the first row.
    ///   - isOver: Whether no bytes follow.
    mutating func next(
        in bytes: UnsafeBufferPointer<UInt8>, from start: Int, columns: Int?, limit: Int, isOver: Bool
    ) -> Found {
        if isBehindReturn, index < bytes.count {
            isBehindReturn = false
            if unsafe bytes[index] == 0x0A {
                index += 1
                return .nothing
            }
        }
        // A byte greater than the delimiter and the quote never ends a field, quoted or not.
        let highest = max(delimiter, UInt8(ascii: "\""))
        while index < bytes.count {
            let byte = unsafe bytes[index]
            let isLineEnd = byte == 0x0A || byte == 0x0D
            switch state {
            case .plain where byte > highest: unsafe skip(bytes, above: highest)
            case .quoted where byte > UInt8(ascii: "\""): unsafe skip(bytes, above: UInt8(ascii: "\""))
            case .broken where firstLineEnd != nil: return unsafe row(bytes, index, columns)
            case .fieldStart where byte == UInt8(ascii: "\""): go(.quoted)
            case .fieldStart where byte != delimiter && !isLineEnd: state = .plain
            case .plain where byte == UInt8(ascii: "\""):
                hasQuoteAsText = true
                go(delimiter == UInt8(ascii: "\t") ? .plain : .broken)
            case .quote where byte == UInt8(ascii: "\""): go(.quoted)
            case .quoted where isLineEnd:
                firstLineEnd = firstLineEnd ?? index
                go(hasQuoteAsText ? .broken : .quoted)
            case .quoted: go(byte == UInt8(ascii: "\"") ? .quote : .quoted)
            case _ where isLineEnd: return unsafe row(bytes, index, columns)
            case .fieldStart, .plain, .quote:
                if byte == delimiter {
                    fields += 1
                    go(.fieldStart)
                } else {
                    go(state == .plain ? .plain : .broken)
                }
            case .broken: index += 1
            }
        }
        if isOver, start < bytes.count { return unsafe row(bytes, bytes.count, columns) }
        guard bytes.count - start > limit else { return .more }
        if firstLineEnd != nil { return unsafe row(bytes, index, columns) }
        state = .broken
        return .tooLong
    }

    /// Adjusts the indices after the first `count` bytes were removed.
    mutating func drop(_ count: Int) {
        index -= min(index, count)
        firstLineEnd = firstLineEnd.map { $0 - count }
    }

    private mutating func go(_ next: State) {
        state = next
        index += 1
    }

    private mutating func skip(_ bytes: UnsafeBufferPointer<UInt8>, above byte: UInt8) {
        while index < bytes.count, unsafe bytes[index] > byte { index += 1 }
    }

    private mutating func row(_ bytes: UnsafeBufferPointer<UInt8>, _ end: Int, _ columns: Int?) -> Found {
        let isWhole = [.fieldStart, .plain, .quote].contains(state) && columns ?? fields == fields
        let end = isWhole ? end : firstLineEnd ?? end
        isBehindReturn = unsafe end < bytes.count && bytes[end] == 0x0D
        index = min(end + 1, bytes.count)
        (state, fields, firstLineEnd, hasQuoteAsText) = (.fieldStart, 1, nil, false)
        return .row(end: end, next: index)
    }
}
