/// Finds where the values of JSON texts end, while they come in: the elements of an array, or values one behind another,
/// each over as many lines as it likes. Whether a value is JSON is for whoever reads it; here only quotes, brackets and
/// commas are looked at, every byte once.
struct JSONScanner {
    private enum State {
        /// Before a value.
        case between
        /// Behind a comma: a value must follow.
        case behindComma
        case inValue
        /// In an array, behind a value.
        case behindValue
    }

    private var state = State.between
    /// Up to here everything was looked at.
    private(set) var index: Int
    /// Whether a value is at hand whose first byte the caller knows.
    private var isStarted = false
    private var isInArray = false
    private var isInString = false
    private var isEscaped = false
    /// Objects and arrays of the value at hand that are open.
    private var depth = 0

    init(index: Int = 0) { self.index = index }

    /// - Parameters:
    ///   - start: where the value at hand begins.
    ///   - isOver: nothing comes behind the bytes.
    mutating func next(
        in bytes: UnsafeBufferPointer<UInt8>, from start: Int, limit: Int, isOver: Bool
    ) -> CSVScanner.Found {
        while state != .inValue, index < bytes.count { unsafe goOn(bytes[index]) }
        // A new value begins where the scanner is.
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
            if !isInString, depth == 0, isInArray ? isSeparator(byte) : isSpace(byte) {
                return end(at: index)
            }
            index += 1
            if take(byte), !isInArray, depth == 0 { return end(at: index) }
        }
        if isOver, start < index {
            // What is cut off itself says enough.
            if isInString || depth > 0 { isInArray = false }
            return end(at: index)
        }
        return index - start > limit ? .tooLong : .more
    }

    /// What stood before `count` is gone.
    mutating func drop(_ count: Int) { index -= min(index, count) }

    private mutating func end(at end: Int) -> CSVScanner.Found {
        state = isInArray ? .behindValue : .between
        (depth, isInString, isEscaped, isStarted) = (0, false, false, false)
        return .row(end: end, next: end)
    }

    /// Takes a byte between two values, or finds that one begins with it.
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

    /// Takes a byte of a value.
    /// - Returns: whether a string, an object or an array ended with it.
    private mutating func take(_ byte: UInt8) -> Bool {
        if isInString {
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isInString = false
                return true
            }
            return false
        }
        switch byte {
        case UInt8(ascii: "\""): isInString = true
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            depth = max(depth - 1, 0)
            return true
        default: break
        }
        return false
    }

    private func isSeparator(_ byte: UInt8) -> Bool { byte == UInt8(ascii: ",") || byte == UInt8(ascii: "]") }

    private func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }
}
