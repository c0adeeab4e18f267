/// Looks at the first line of a text while it comes in.
struct FirstLine {
    /// The line was seen whole, or as much of it as is looked at.
    private(set) var isOver = false
    /// Nothing but white space yet.
    private(set) var first: UInt8?
    private var position = 0
    private var isInString = false
    private var isEscaped = false
    private var depth = 0
    private var counts: [UInt8: Int] = [:]

    static let limit = 1 << 20
    static let delimiters = [",", "\t", ";", "|"].map { (text: Unicode.Scalar) in UInt8(ascii: text) }

    /// Whether an object or an array goes on behind the line.
    var isOpen: Bool { isOver && depth > 0 && !isInString }

    /// The delimiter that stands most often in it, outside of quotes.
    var delimiter: UInt8 {
        // Of two as frequent the first.
        Self.delimiters.reduce(UInt8(ascii: ",")) {
            counts[$1, default: 0] > counts[$0, default: 0] ? $1 : $0
        }
    }

    /// - Parameter bytes: all that came so far.
    /// - Returns: whether nothing more is needed.
    mutating func look(at bytes: [UInt8], isJSON: Bool) -> Bool {
        while !isOver, position < bytes.count {
            let byte = bytes[position]
            position += 1
            let isLineEnd = byte == 0x0A || byte == 0x0D
            if first == nil {
                if isLineEnd || byte == 0x20 || byte == 0x09 && isJSON { continue }
                first = byte
            }
            if isLineEnd, isJSON || !isInString {
                isOver = true
            } else if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\"") {
                isInString.toggle()
            } else if isInString {
                isEscaped = isJSON && byte == UInt8(ascii: "\\")
            } else {
                take(byte)
            }
        }
        return isOver || position >= Self.limit
    }

    private mutating func take(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
        case _ where Self.delimiters.contains(byte): counts[byte, default: 0] += 1
        default: break
        }
    }
}
