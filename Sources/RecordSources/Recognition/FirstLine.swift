/// An examination of the first line of a text as it arrives.
struct FirstLine {
    /// The first byte other than white space, or nil so far.
    private(set) var first: UInt8?
    /// Whether no more bytes are needed.
    private var isOver = false
    /// Whether the complete line was seen.
    private var isEnded = false
    /// The last byte of the line other than white space.
    private var last: UInt8 = 0
    /// The first byte after an incomplete line of JSON.
    private var next: UInt8?
    private var position = 0
    private var isInString = false
    private var isEscaped = false
    /// The opening brackets of the open objects and arrays.
    private var open: [UInt8] = []
    private var counts: [UInt8: Int] = [:]

    private static let limit = 1 << 20
    static let delimiters = [",", "\t", ";", "|"].map { (text: Unicode.Scalar) in UInt8(ascii: text) }

    /// Whether an object or an array continues after the line.
    var isOpen: Bool { isEnded && !open.isEmpty && !isInString && !isCutOff }

    /// Whether an object follows where JSON allows none. The line is then damaged, and the next line is a
    /// record of its own.
    private var isCutOff: Bool {
        guard next == UInt8(ascii: "{") else { return false }
        switch last {
        case UInt8(ascii: "["), UInt8(ascii: ":"): return false
        case UInt8(ascii: ","): return open.last == UInt8(ascii: "{")
        default: return true
        }
    }

    /// The most frequent delimiter in the line outside quotes.
    var delimiter: UInt8 {
        // If two are equally frequent, the first one is used.
        Self.delimiters.reduce(UInt8(ascii: ",")) {
            counts[$1, default: 0] > counts[$0, default: 0] ? $1 : $0
        }
    }

    /// Examines the next bytes of a stream without consuming them.
    static func peek(at stream: ByteStream, isJSON: Bool) throws -> (line: FirstLine, text: [UInt8]) {
        var line = FirstLine()
        let text = try stream.peek(limit) { line.look(at: $0, isJSON: isJSON) }
        _ = line.look(at: text, isJSON: isJSON)
        return (line, text)
    }

    /// Examines further bytes.
    /// - Parameter bytes: All bytes so far.
    /// - Returns: Whether no more bytes are needed.
    private mutating func look(at bytes: [UInt8], isJSON: Bool) -> Bool {
        while !isOver, position < bytes.count {
            let byte = bytes[position]
            position += 1
            let isLineEnd = byte == 0x0A || byte == 0x0D
            let isBlank = byte == 0x20 || byte == 0x09
            if isEnded {
                if !isLineEnd, !isBlank { (next, isOver) = (byte, true) }
                continue
            }
            if first == nil {
                if isLineEnd || byte == 0x20 || byte == 0x09 && isJSON { continue }
                first = byte
            }
            if !isLineEnd, !isBlank { last = byte }
            if isLineEnd, isJSON || !isInString {
                isEnded = true
                isOver = !isJSON || isInString || open.isEmpty
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
        case UInt8(ascii: "{"), UInt8(ascii: "["): open.append(byte)
        case UInt8(ascii: "}"), UInt8(ascii: "]"): _ = open.popLast()
        case _ where Self.delimiters.contains(byte): counts[byte, default: 0] += 1
        default: break
        }
    }
}
