import ReceiptEvidence
import SQLite
import StrictJSON

/// The statement in a line of an audit as its leaf contains it, and the values that the database repeats.
struct LineStatement {
    /// The columns of `receipts` that repeat members of a statement.
    static let columns = [
        "record", "path", "subject", "sha256", "content_sha256", "wrapping", "status", "refusal_code",
        "refusal_message", "refusal_offset", "refusal_field", "kind", "realm", "environment", "revocation",
    ]

    /// The line. For a genuine record, it lacks the members from `signature` up to `eligibility`.
    private let statement: [UInt8]
    private var texts: [String: String] = [:]
    private var offset: Int?

    var isGenuine: Bool { texts["status"].isExactly("genuine") }

    /// Whether the object may be genuine renewal information that is refused only because it names no app. The
    /// database describes it, and its line does not.
    var mayBeUnplaced: Bool {
        texts["status"].isExactly("refused") && texts["refusal_code"].isExactly("wrong_bundle_id")
            && texts["format"].isExactly("jws")
    }

    /// Reads a line, or returns nil if no audit writes such a line. Examples are a line without a status, and
    /// a refused record with a signature.
    init?(_ line: [UInt8]) {
        // The offsets include the comma before the members.
        var (signature, eligibility) = (Int?.none, Int?.none)
        var (texts, offset) = (texts, offset)
        var reader = JSONReader(line.span)
        do throws(JSONError) {
            try reader.object { (reader, name) throws(JSONError) in
                switch name.ifASCII {
                case "source", "path", "sha256", "content_sha256", "status", "format", "kind", "realm",
                    "environment", "id", "subject":
                    guard signature == nil else { throw reader.error(.unexpectedValue(name)) }
                    texts[name] = try reader.textOrNumber(atMost: line.count)
                case "wrapping":
                    var layers: [String] = []
                    try reader.array { (reader, _) throws(JSONError) in layers.append(try reader.string()) }
                    texts[name] = layers.joined(separator: ",")
                case "revocation":
                    var words: [String] = []
                    try reader.object { (reader, name) throws(JSONError) in
                        switch name.ifASCII {
                        case "status": words.insert(try reader.string(), at: 0)
                        case "caveats":
                            try reader.array { (reader, _) throws(JSONError) in
                                words.append(try reader.string())
                            }
                        default: try reader.skip()
                        }
                    }
                    texts[name] = words.joined(separator: ",")
                case "refusal":
                    try reader.object { (reader, name) throws(JSONError) in
                        if name.isExactly("offset") {
                            offset = try reader.null() ? nil : reader.integer()
                        } else {
                            texts["refusal_\(name.ifASCII)"] = try reader.textOrNumber(atMost: line.count)
                        }
                    }
                case "signature": signature = try reader.slice().lowerBound - #","signature":"#.utf8.count
                case "eligibility":
                    eligibility = try reader.slice().lowerBound - #","eligibility":"#.utf8.count
                default: try reader.skip()
                }
            }
            try reader.end()
        } catch {
            return nil
        }
        let end = eligibility ?? line.count - 1
        guard texts["status"] != nil, (signature != nil) == texts["status"].isExactly("genuine"),
            0...end ~= signature ?? 0
        else { return nil }
        (self.texts, self.offset) = (texts, offset)
        statement = signature.map { Array(line[..<$0] + line[end...]) } ?? line
    }

    /// Returns the statements that the leaf may contain: the complete one and, if the record has its source's
    /// name, one without the name.
    func forms(of source: String) -> [[UInt8]] {
        guard texts["source"]?.utf8.starts(with: source.utf8) == true else { return [statement] }
        return [AuditLeaf.statement(statement, withoutName: source), statement]
    }

    /// Returns the values of ``columns``.
    /// - Parameters:
    ///   - record, path: The values in the row. A line of a file combines both in one member.
    func values(inFileOf record: Value, _ path: Value) -> [Value] {
        var cells = RowCells()
        cells.add(texts["source"] ?? texts["id"])
        cells.add(texts["path"])
        for column in Self.columns[2..<9] { cells.add(texts[column]) }
        cells.add(offset)
        cells.add(texts["refusal_field"])
        cells.add(isGenuine || texts["status"].isExactly("foreign") ? kind : nil)
        for column in ["realm", "environment", "revocation"] { cells.add(texts[column]) }
        var values = cells.cells.indices.map(cells.value)
        if texts["source"] != nil, case .text(let name) = record, case .text(let place) = path,
            values[0] == .text(name + [UInt8(ascii: "#")] + place)
        {
            (values[0], values[1]) = (record, path)
        }
        return values
    }

    /// The kind as the database names it.
    private var kind: String {
        if texts["format"].isExactly("transaction_receipt") { return "transaction-receipt" }
        guard let kind = texts["kind"] else { return "receipt" }
        return String(
            decoding: kind.utf8.map { $0 == UInt8(ascii: "_") ? UInt8(ascii: "-") : $0 }, as: UTF8.self)
    }
}

extension JSONReader {
    /// Reads a string or a number, or returns nil for null.
    fileprivate mutating func textOrNumber(atMost limit: Int) throws(JSONError) -> String? {
        switch try peek() {
        case .null:
            try skip()
            return nil
        case .string: return try string(atMost: limit)
        default: return try number()
        }
    }
}
