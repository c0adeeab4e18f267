import ReceiptJSON
import StrictJSON

extension [Citation] {
    /// Every text, number, flag and null of JSON that was read without error, in its order. Each path repeats the names
    /// around its value, which can be long: of what nobody signed one place is asked for instead.
    /// - Parameter kind: the verdict's member that holds it.
    init(ofJSON json: [UInt8], below kind: String) {
        self = TokenScan.citations(of: json, .all, below: kind)
    }

    /// The same, by their own names instead of by their paths; the members of lists by their numbers.
    init(namesOfJSON json: [UInt8]) { self = TokenScan.citations(of: json, .names, below: "") }

    /// Where JSON that was read without error says a value; nil where it does not.
    static func place(_ path: String, ofJSON json: [UInt8], below kind: String) -> Range<Int>? {
        TokenScan.citations(of: json, .one(Array<UInt8>(path.utf8)), below: kind).first?.range
    }
}

/// Takes JSON that is known to be good apart into tokens. No value is decoded: the verdict repeats what stands there.
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
    /// Of the value at hand, while it may be wanted.
    private var path: [UInt8]?
    /// Lists and objects around; the reader before allowed no more.
    private var levels: [Level] = []

    private struct Level {
        /// Nil where nothing in it is wanted.
        let path: [UInt8]?
        /// Nil in an object.
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

    /// Reads the value at hand, all that is in it included.
    private mutating func value() {
        // A byte order mark is none of its tokens.
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
            // Behind an opening bracket or a comma.
            position += 1
            skipSpace()
            if next != UInt8(ascii: "}"), next != UInt8(ascii: "]") { element() }
        }
    }

    /// Reads a name, where there is one, and a value that holds no others.
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

    /// The verdict has it as it stands; whoever looks for it means what it says.
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

    /// A token as the verdict has it.
    private func shown(_ range: Range<Int>) -> [UInt8] {
        JSONWriter.text { $0.json(json.span.extracting(range)) }
    }
}
