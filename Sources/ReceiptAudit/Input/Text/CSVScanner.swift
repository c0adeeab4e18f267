/// Finds where the rows of a CSV export end, while it comes in.
///
/// A row ends with CR, LF or both. In a field in quotes line ends belong to the field, but only where the whole row turns
/// out to be one: where a quote then stands in the wrong place, or is not closed, or the row has not as many fields as
/// there are columns, the row ends with its first line, and one stray quote spoils no more than that.
///
/// No line is looked at much more than twice: what leads from outside of quotes into them holds an odd number of them,
/// and such a line leads back outside whoever comes from within.
struct CSVScanner {
    private enum State {
        case fieldStart, plain, quoted
        /// Behind a quote in quotes: the field is over, or the quote is one of two.
        case quote
        /// No row; it is over with its line.
        case broken
    }

    private var state = State.fieldStart
    /// Up to here everything was looked at.
    private(set) var index: Int
    private var fields = 1
    /// The first line end in quotes.
    private var firstLineEnd: Int?
    private var isBehindReturn = false
    private let delimiter: UInt8

    init(index: Int = 0, delimiter: UInt8 = UInt8(ascii: ",")) {
        (self.index, self.delimiter) = (index, delimiter)
    }

    enum Found {
        /// The row's end, and where the next one begins.
        case row(end: Int, next: Int)
        /// What belongs to no row, such as the second half of a line end: it is over where the scanner's index is.
        case nothing
        /// What is there of a record is none, and why.
        case damage(String)
        /// The row is longer than the limit; what is there of it is not wanted.
        case tooLong
        case more
    }

    /// - Parameters:
    ///   - start: where the row at hand begins.
    ///   - columns: fields of a row; nil in the first.
    ///   - isOver: nothing comes behind the bytes.
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
        // Whatever is above both ends no field, in quotes or not.
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
            case .plain where byte == UInt8(ascii: "\""): go(.broken)
            case .quote where byte == UInt8(ascii: "\""): go(.quoted)
            case .quoted:
                if isLineEnd { firstLineEnd = firstLineEnd ?? index }
                go(byte == UInt8(ascii: "\"") ? .quote : .quoted)
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

    /// What stood before `count` is gone.
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
        (state, fields, firstLineEnd) = (.fieldStart, 1, nil)
        return .row(end: end, next: index)
    }
}
