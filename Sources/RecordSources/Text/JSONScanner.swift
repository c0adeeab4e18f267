/// A scanner for the ends of the values in JSON text as it arrives. The values are elements of an array, or
/// consecutive values that may span lines. The scanner checks only quotes, brackets and commas, and each byte
/// once. The reader of a value decides whether it is valid JSON.
struct JSONScanner {
    private enum State {
        /// Before a value.
        case between
        /// After a comma, where a value must follow.
        case behindComma
        case inValue
        /// After a value in an array.
        case behindValue
    }

    private var state = State.between
    /// The end of the scanned bytes.
    private(set) var index: Int
    /// Whether there is a current value whose first byte the caller knows.
    private var isStarted = false
    private var isInArray = false
    private var nesting = JSONNesting()

    init(index: Int = 0) { self.index = index }

    /// Finds the end of the current value.
    /// - Parameters:
    ///   - start: The start of the current value.
    ///   - isOver: Whether no bytes follow.
    mutating func next(
        in bytes: UnsafeBufferPointer<UInt8>, from start: Int, limit: Int, isOver: Bool
    ) -> CSVScanner.Found {
        while state != .inValue, index < bytes.count { unsafe goOn(bytes[index]) }
        // A new value begins at the scanner's index.
        if start < index, state != .inValue || !isStarted {
            isStarted = state == .inValue
            return .nothing
        }
        guard state == .inValue else {
            guard isOver, isInArray else { return .more }
            isInArray = false
            return .damage("the JSON array ends without its bracket")
        }
        isStarted = true
        while index < bytes.count {
            let byte = unsafe bytes[index]
            if !nesting.isInString, nesting.depth == 0, isInArray ? isSeparator(byte) : isSpace(byte) {
                return end(at: index)
            }
            index += 1
            if nesting.take(byte), !isInArray, nesting.depth == 0 { return end(at: index) }
        }
        if isOver, start < index {
            // The truncated value itself reports the damage.
            if nesting.isInString || nesting.depth > 0 { isInArray = false }
            return end(at: index)
        }
        return index - start > limit ? .tooLong : .more
    }

    /// Adjusts the index after the first `count` bytes were removed.
    mutating func drop(_ count: Int) { index -= min(index, count) }

    private mutating func end(at end: Int) -> CSVScanner.Found {
        state = isInArray ? .behindValue : .between
        (nesting, isStarted) = (JSONNesting(), false)
        return .row(end: end, next: end)
    }

    /// Takes a byte between two values, or begins a value with it.
    private mutating func goOn(_ byte: UInt8) {
        switch byte {
        case _ where isSpace(byte): break
        case UInt8(ascii: "[") where !isInArray: isInArray = true
        case UInt8(ascii: "]") where isInArray && state != .behindComma:
            (isInArray, state) = (false, .between)
        case UInt8(ascii: ",") where state == .behindValue: state = .behindComma
        default:
            state = .inValue
            return
        }
        index += 1
    }

    private func isSeparator(_ byte: UInt8) -> Bool { byte == UInt8(ascii: ",") || byte == UInt8(ascii: "]") }

    private func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }
}
