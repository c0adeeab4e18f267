import ReceiptJSON
import StrictJSON

extension [Citation] {
    /// Cites every string, number, Boolean and null of JSON that was read without error, in order. Each path
    /// repeats the enclosing names, so the result can be long. For unsigned JSON, use
    /// ``place(_:ofJSON:below:)``.
    /// - Parameter kind: The verdict's member that holds the JSON.
    init(ofJSON json: [UInt8], below kind: String) {
        self = TokenScan.citations(of: json, .all, below: kind)
    }

    /// Cites the same values. Each path is only the value's own name, or its index in an array.
    init(namesOfJSON json: [UInt8]) { self = TokenScan.citations(of: json, .names, below: "") }

    /// Returns the range of a value in JSON that was read without error, or nil if the path does not exist.
    static func place(_ path: String, ofJSON json: [UInt8], below kind: String) -> Range<Int>? {
        TokenScan.citations(of: json, .one(Array<UInt8>(path.utf8)), below: kind).first?.range
    }
}

/// A scan that splits valid JSON into tokens. It decodes no values, because the verdict contains them
/// unchanged.
private struct TokenScan {
    enum Wanted {
        case all, names
        /// The values of one path.
        case one([UInt8])
    }

    private let json: [UInt8]
    private let wanted: Wanted
    private var position = 0
    private var citations: [Citation] = []
    /// The path of the current value, or nil if the value is not requested.
    private var path: [UInt8]?
    /// The enclosing arrays and objects. The JSON reader has already limited their depth.
    private var levels: [Level] = []

    private struct Level {
        /// The path of the array or object, or nil if no value in it is requested.
        let path: [UInt8]?
        /// The index of the next element, or nil in an object.
        var index: Int?
    }

    static func citations(of json: [UInt8], _ wanted: Wanted, below kind: String) -> [Citation] {
        var scan = TokenScan(json: json, wanted: wanted, path: Array<UInt8>(kind.utf8))
        scan.value()
        return scan.citations
    }

    private init(json: [UInt8], wanted: Wanted, path: [UInt8]) {
        (self.json, self.wanted, self.path) = (json, wanted, path)
    }

    private var next: UInt8 { position < json.count ? json[position] : 0 }

    private mutating func skipSpace() {
        while [0x20, 0x09, 0x0A, 0x0D].contains(next) { position += 1 }
    }

    /// Reads the current value and everything in it.
    private mutating func value() {
        // A byte order mark is not a token.
        position = json.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        skipSpace()
        while position < json.count {
            switch next {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                levels.append(Level(path: path, index: next == UInt8(ascii: "[") ? 0 : nil))
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                _ = levels.popLast()
                position += 1
                skipSpace()
                if levels.isEmpty { return }
                continue
            case _ where levels.isEmpty: return
            default:
                if let index = levels[levels.count - 1].index { levels[levels.count - 1].index = index + 1 }
            }
            // The position is at an opening bracket or a comma.
            position += 1
            skipSpace()
            if next != UInt8(ascii: "}"), next != UInt8(ascii: "]") { element() }
        }
    }

    /// Reads a name, if there is one, and the value if it is neither an array nor an object.
    private mutating func element() {
        let level = levels[levels.count - 1]
        path = level.path
        if case .names = wanted { path = [] }
        if let index = level.index {
            path?.append(contentsOf: "[\(index)]".utf8)
        } else {
            let name = token()
            if let parent = path { path = parent + [UInt8(ascii: ".")] + self.name(name) }
            skipSpace()
            position += 1
            skipSpace()
        }
        if case .one(let whole) = wanted, let path, !whole.starts(with: path) { self.path = nil }
        if next == UInt8(ascii: "{") || next == UInt8(ascii: "[") { return }
        let range = token()
        if let path, isWanted(path) {
            citations.append(Citation(path: path, attribute: nil, range: range, value: shown(range)))
        }
        skipSpace()
    }

    /// Returns a name as the verdict writes it, or decoded when searching for one path or for names.
    private func name(_ range: Range<Int>) -> [UInt8] {
        if case .all = wanted { return Array(shown(range).dropFirst().dropLast()) }
        var reader = JSONReader(json.span.extracting(range))
        return (try? reader.text(atMost: range.count)) ?? []
    }

    private func isWanted(_ path: [UInt8]) -> Bool {
        if case .one(let whole) = wanted { path == whole } else { true }
    }

    private mutating func token() -> Range<Int> {
        let start = position
        if next == UInt8(ascii: "\"") {
            position += 1
            while next != UInt8(ascii: "\""), position < json.count {
                position += next == UInt8(ascii: "\\") ? 2 : 1
            }
            position += 1
        } else {
            while position < json.count, ![0x2C, 0x5D, 0x7D, 0x20, 0x09, 0x0A, 0x0D].contains(next) {
                position += 1
            }
        }
        position = min(position, json.count)
        return start..<position
    }

    /// Returns a token as the verdict writes it.
    private func shown(_ range: Range<Int>) -> [UInt8] {
        JSONWriter.text { $0.json(json.span.extracting(range)) }
    }
}
