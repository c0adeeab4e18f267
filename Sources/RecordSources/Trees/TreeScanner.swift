import AppReceipt
import ReceiptExamination
import StrictJSON

/// A scanner for values in JSON text as it arrives, with their paths. It checks the objects and arrays that it
/// enters; the reader of a value decides whether the value is valid JSON. The memory depends only on the
/// depth.
struct TreeScanner {
    /// An open object or array, and the key or index of its current value.
    struct Level {
        let isArray: Bool
        var key: [UInt8] = []
        var index = 0
    }

    enum Found {
        /// A value that was taken as a whole, or text, a number, a Boolean or null. The path is ``path``.
        case value(Range<Int>)
        case more
        /// The end of the text.
        case end
        case damage(String)
    }

    private enum State {
        /// Before a value at the top.
        case top
        case firstKey, key, colon, value, firstElement, afterValue
        case inKey, inText, inScalar, inContainer
    }

    private var state = State.top
    private(set) var path: [Level] = []
    /// The end of the scanned bytes.
    private(set) var index = 0
    /// The start of the current key or value.
    private(set) var start = 0
    private var nesting = JSONNesting()
    /// The number of values at the top that have begun.
    private(set) var tops = 0

    private static let deepest = 64

    /// The start of the bytes that are still needed.
    var needed: Int { isInToken ? start : index }

    /// The number of bytes of the current value so far.
    var length: Int { isInToken && state != .inKey ? index - start : 0 }

    /// Whether all values at the top have ended.
    var isAtTop: Bool { state == .top }

    private var isInToken: Bool {
        switch state {
        case .inKey, .inText, .inScalar, .inContainer: true
        default: false
        }
    }

    /// Adjusts the indices after the first `count` bytes were removed.
    mutating func drop(_ count: Int) {
        index -= min(index, count)
        start -= min(start, count)
    }

    /// Finds the next value.
    /// - Parameters:
    ///   - isOver: Whether no bytes follow.
    ///   - takes: The closure that decides by its path whether to take an object or an array as a whole.
    mutating func next(
        in bytes: UnsafeBufferPointer<UInt8>, isOver: Bool, takes: (_ path: [Level], _ isObject: Bool) -> Bool
    ) -> Found {
        while index < bytes.count {
            let byte = unsafe bytes[index]
            switch state {
            case .inKey, .inText, .inContainer:
                guard unsafe skip(bytes) else { break }
                guard state == .inKey else { return ended() }
                guard unsafe takeKey(UnsafeBufferPointer(rebasing: bytes[start..<index])) else {
                    return .damage(
                        "\(place): a name that is not JSON or is longer than \(JSONReader.longestName) bytes")
                }
            case .inScalar:
                while index < bytes.count, unsafe !Self.endsScalar(bytes[index]) { index += 1 }
                if index < bytes.count { return ended() }
            case _ where byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09: index += 1
            case .firstKey where byte == UInt8(ascii: "}"), .firstElement where byte == UInt8(ascii: "]"):
                close()
            case .firstKey, .key:
                guard byte == UInt8(ascii: "\"") else { return unexpected(byte) }
                begin(.inKey, byte)
            case .colon:
                guard byte == UInt8(ascii: ":") else { return unexpected(byte) }
                (state, index) = (.value, index + 1)
            case .afterValue:
                guard let level = path.last else { return unexpected(byte) }
                if byte == UInt8(ascii: ",") {
                    if level.isArray { advance() }
                    (state, index) = (level.isArray ? .value : .key, index + 1)
                } else if byte == (level.isArray ? UInt8(ascii: "]") : UInt8(ascii: "}")) {
                    close()
                } else {
                    return unexpected(byte)
                }
            case .top, .value, .firstElement:
                if state == .top { tops += 1 }
                switch byte {
                case UInt8(ascii: "{"), UInt8(ascii: "["):
                    let isObject = byte == UInt8(ascii: "{")
                    if takes(path, isObject) {
                        begin(.inContainer, byte)
                    } else {
                        guard path.count < Self.deepest else { return .damage("\(place): nested too deeply") }
                        path.append(Level(isArray: !isObject, key: isObject ? [] : [0x30]))
                        (state, index) = (isObject ? .firstKey : .firstElement, index + 1)
                    }
                case UInt8(ascii: "\""): begin(.inText, byte)
                case UInt8(ascii: "-"), 0x30...0x39, UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"):
                    begin(.inScalar, byte)
                default: return unexpected(byte)
                }
            }
        }
        guard isOver else { return .more }
        if state == .inScalar, path.isEmpty { return ended() }
        return state == .top ? .end : .damage("\(place): the JSON ends here")
    }

    /// The path for a message.
    var place: String {
        let keys = path.map { String(decoding: $0.key, as: UTF8.self) }.filter { !$0.isEmpty }
        return keys.isEmpty ? "the top" : keys.joined(separator: ".").cut
    }

    private mutating func begin(_ next: State, _ byte: UInt8) {
        (state, start, nesting) = (next, index, JSONNesting())
        _ = nesting.take(byte)
        index += 1
    }

    /// Ends the current value, which becomes the next result.
    private mutating func ended() -> Found {
        state = path.isEmpty ? .top : .afterValue
        return .value(start..<index)
    }

    private mutating func close() {
        path.removeLast()
        (state, index) = (path.isEmpty ? .top : .afterValue, index + 1)
    }

    private mutating func advance() {
        let last = path.count - 1
        path[last].index += 1
        path[last].key = Array("\(path[last].index)".utf8)
    }

    /// Skips the rest of a text, an object or an array.
    /// - Returns: Whether it has ended.
    private mutating func skip(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        while index < bytes.count {
            let hasEnded = unsafe nesting.take(bytes[index])
            index += 1
            if hasEnded, nesting.depth == 0 { return true }
        }
        return false
    }

    /// Takes a name with its quotes.
    private mutating func takeKey(_ quoted: UnsafeBufferPointer<UInt8>) -> Bool {
        guard quoted.count <= 6 * JSONReader.longestName else { return false }
        do throws(JSONError) {
            let bytes = unsafe Array(quoted)
            var reader = JSONReader(bytes.span)
            let name = try reader.text(atMost: JSONReader.longestName)
            path[path.count - 1].key = name
            state = .colon
            return true
        } catch {
            return false
        }
    }

    private func unexpected(_ byte: UInt8) -> Found {
        let shown = (0x21...0x7E).contains(byte) ? "'\(UnicodeScalar(byte))'" : "byte \(byte)"
        return .damage("\(place): unexpected \(shown) in the JSON")
    }

    private static func endsScalar(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"), 0x20, 0x0A, 0x0D, 0x09: true
        default: false
        }
    }
}
