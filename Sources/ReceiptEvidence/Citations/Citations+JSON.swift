import StrictJSON

extension [Citation] {
    /// Cites every string, number, Boolean and null of JSON that was read without error, in order. Each path
    /// repeats the enclosing names, so the result can be long. For unsigned JSON, use
    /// ``place(_:ofJSON:below:)``.
    /// - Parameter kind: The verdict's member that holds the JSON.
    init(ofJSON json: [UInt8], below kind: String) {
        self = ValueSearch.citations(of: json, .all, below: kind)
    }

    /// Cites the same values. Each path is only the value's own name, or its index in an array.
    init(namesOfJSON json: [UInt8]) { self = ValueSearch.citations(of: json, .names, below: "") }

    /// Returns the range of a value in JSON that was read without error, or nil if the path does not exist.
    static func place(_ path: String, ofJSON json: [UInt8], below kind: String) -> Range<Int>? {
        ValueSearch.citations(of: json, .one(Array<UInt8>(path.utf8)), below: kind).first?.range
    }
}

/// A search for the values of valid JSON. It decodes no values, because the verdict contains them unchanged.
private struct ValueSearch {
    enum Wanted {
        case all, names
        /// The values of one path.
        case one([UInt8])
    }

    let json: [UInt8]
    let wanted: Wanted
    var citations: [Citation] = []

    static func citations(of json: [UInt8], _ wanted: Wanted, below kind: String) -> [Citation] {
        var search = ValueSearch(json: json, wanted: wanted)
        var reader = JSONReader(json.span, skipsByteOrderMark: true)
        // No error is possible, because the JSON was read before.
        try? search.read(&reader, at: Array<UInt8>(kind.utf8))
        return search.citations
    }

    /// Reads a value and everything in it. The JSON reader limits the depth.
    private mutating func read(_ reader: inout JSONReader, at path: [UInt8]) throws(JSONError) {
        if case .one(let whole) = wanted, !whole.starts(with: path) { return try reader.skip() }
        var parent = path
        if case .names = wanted { parent = [] }
        switch try reader.peek() {
        case .object:
            try reader.object { (reader, name) throws(JSONError) in
                let name = self.name(name, reader.nameRange)
                try read(&reader, at: parent + [UInt8(ascii: ".")] + name)
            }
        case .array:
            try reader.array { (reader, index) throws(JSONError) in
                try read(&reader, at: parent + "[\(index)]".utf8)
            }
        case .string, .number, .bool, .null:
            let range = try reader.slice()
            if case .one(let whole) = wanted, path != whole { return }
            citations.append(Citation(path: path, attribute: nil, range: range, value: shown(range)))
        }
    }

    /// Returns a name as the verdict writes it, or decoded when searching for one path or for names.
    private func name(_ decoded: String, _ range: Range<Int>) -> [UInt8] {
        if case .all = wanted { Array(shown(range).dropFirst().dropLast()) } else { Array(decoded.utf8) }
    }

    /// Returns a token as the verdict writes it.
    private func shown(_ range: Range<Int>) -> [UInt8] {
        JSONWriter.text { $0.json(json.span.extracting(range)) }
    }
}
