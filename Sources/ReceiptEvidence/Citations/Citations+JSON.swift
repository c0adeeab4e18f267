import ReceiptJSON

extension [Citation] {
    /// Every text, number, flag and null of JSON that was read without error, in its order.
    /// - Parameter kind: the verdict's member that holds it.
    init(ofJSON json: [UInt8], below kind: String) {
        var scan = TokenScan(json: json, path: Array<UInt8>(kind.utf8))
        scan.value()
        self = scan.citations
    }
}

/// Takes JSON that is known to be good apart into tokens. Nothing is decoded: the verdict repeats what stands there.
private struct TokenScan {
    let json: [UInt8]
    var path: [UInt8]
    private var position = 0
    private(set) var citations: [Citation] = []
    /// Lists and objects around; the reader before allowed no more.
    private var levels: [Level] = []

    private struct Level {
        let path: [UInt8]
        /// Nil in an object.
        var index: Int?
    }

    init(json: [UInt8], path: [UInt8]) { (self.json, self.path) = (json, path) }

    private var next: UInt8 { position < json.count ? json[position] : 0 }

    private mutating func skipSpace() {
        while [0x20, 0x09, 0x0A, 0x0D].contains(next) { position += 1 }
    }

    /// Reads the value at hand, all that is in it included.
    mutating func value() {
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
        if let index = level.index {
            path += "[\(index)]".utf8
        } else {
            path += ".".utf8
            path += shown(token()).dropFirst().dropLast()
            skipSpace()
            position += 1
            skipSpace()
        }
        if next == UInt8(ascii: "{") || next == UInt8(ascii: "[") { return }
        let range = token()
        citations.append(Citation(path: path, attribute: nil, range: range, value: shown(range)))
        skipSpace()
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
