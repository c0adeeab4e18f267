/// The string and the brackets that are open in a JSON value.
struct JSONNesting {
    private(set) var isInString = false
    private var isEscaped = false
    /// The number of open objects and arrays.
    private(set) var depth = 0

    /// Takes a byte of a value.
    /// - Returns: Whether a string, an object or an array ended with it.
    mutating func take(_ byte: UInt8) -> Bool {
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
}
