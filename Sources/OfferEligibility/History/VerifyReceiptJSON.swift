import AppReceipt
import StrictJSON

// In verifyReceipt's JSON, any number or Boolean may also be a string. A date X occurs twice: X_ms contains
// milliseconds since 1970, and X contains "yyyy-MM-dd HH:mm:ss Etc/GMT". In responses about receipts from
// before iOS 7, X contains the milliseconds.

/// The scalars of one object of a response, as text by name. Nested values are skipped.
struct AnswerFields {
    private var values: [String: (text: String, offset: Int)] = [:]
    /// The position of the object.
    private let place: JSONError

    /// Reads an object and keeps the members in `names`. For each other member, `other` must consume the
    /// value.
    init(
        _ reader: inout JSONReader, names: Set<String>,
        other: (inout JSONReader, String) throws(JSONError) -> Void = { (reader, _) throws(JSONError) in
            try reader.skip()
        }
    ) throws(JSONError) {
        _ = try reader.peek()
        place = reader.error(.unknownFormat)
        var values: [String: (text: String, offset: Int)] = [:]
        try reader.object { (reader, name) throws(JSONError) in
            if name.isASCII, names.contains(name) {
                if let text = try reader.scalar() { values[name] = (text, reader.offset) }
            } else {
                try other(&reader, name)
            }
        }
        self.values = values
    }

    subscript(name: String) -> String? {
        guard let value = values[name]?.text, !value.isEmpty else { return nil }
        return value
    }

    func bool(_ name: String) throws(JSONError) -> Bool? {
        guard let text = self[name] else { return nil }
        switch text.ifASCII.lowercased() {
        case "true", "1": return true
        case "false", "0": return false
        default: throw error(name, .unexpectedValue(text))
        }
    }

    func date(_ name: String) throws(JSONError) -> Timestamp? {
        for candidate in [name + "_ms", name] {
            guard let text = self[candidate] else { continue }
            guard let date = Timestamp(answer: text) else { throw error(candidate, .invalidDate) }
            return date
        }
        return nil
    }

    /// Returns an error about a member, or about the object that lacks it.
    func error(_ name: String, _ fault: JSONFault) -> JSONError {
        JSONError(
            fault, at: values[name]?.offset ?? place.offset,
            path: place.path.isEmpty ? name : place.path + "." + name)
    }

    static func dateNames(_ names: String...) -> Set<String> {
        names.reduce(into: []) { $0.formUnion([$1, $1 + "_ms"]) }
    }
}

extension JSONReader {
    /// Reads a string, number or Boolean as text, or nil for null.
    fileprivate mutating func scalar() throws(JSONError) -> String? {
        let kind = try peek()
        switch kind {
        case .string: return try string()
        case .number:
            let number = try number()
            // Strings have the same limit.
            guard number.utf8.count <= 1024 else { throw error(.tooLong(limit: 1024)) }
            return number
        case .bool: return try bool() ? "true" : "false"
        case .null:
            _ = try null()
            return nil
        case .object, .array: throw error(.unexpectedKind(expected: .string, found: kind))
        }
    }

    /// Reads `status`.
    ///
    /// - Throws: `JSONError` for other statuses than 0, 21006 of an expired subscription's receipt, and "OK" of the notifications of
    ///   2019: verifyReceipt then accepted nothing.
    mutating func acceptedStatus() throws(JSONError) {
        guard let status = try scalar(), !["0", "21006", "OK"].contains(where: status.isExactly) else {
            return
        }
        throw error(.unexpectedValue(status))
    }
}

extension Timestamp {
    /// Creates a timestamp from milliseconds, verifyReceipt's text in GMT, or RFC 3339.
    fileprivate init?(answer text: String) {
        guard text.isASCII else { return nil }
        if let milliseconds = Int64(text) {
            self.init(millisecondsSince1970: milliseconds)
            // Years that no receipt can contain are invalid.
            guard Timestamp(rfc3339: rfc3339) == self else { return nil }
            return
        }
        let words = text.split(separator: " ")
        if words.count == 3, words[2] == "Etc/GMT" {
            self.init(rfc3339: "\(words[0])T\(words[1])Z")
        } else {
            self.init(rfc3339: text)
        }
    }
}
