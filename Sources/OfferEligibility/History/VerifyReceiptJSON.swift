import AppReceipt
import StrictJSON

// verifyReceipt's JSON: every scalar may be a string, booleans and numbers too. A date X stands as X_ms,
// milliseconds since 1970, and as X, "yyyy-MM-dd HH:mm:ss Etc/GMT"; answers about receipts of before iOS 7
// have the milliseconds under X itself.

/// The scalars of one object of an answer, as text by name; nested values are skipped.
struct AnswerFields {
    private var values: [String: String] = [:]
    private let place: JSONError

    /// Reads an object and keeps the members of these names; `other` must consume the value of each other
    /// name.
    init(
        _ reader: inout JSONReader, names: Set<String>,
        other: (inout JSONReader, String) throws(JSONError) -> Void = { (reader, _) throws(JSONError) in
            try reader.skip()
        }
    ) throws(JSONError) {
        place = reader.error(.unexpected)
        var values: [String: String] = [:]
        try reader.object { (reader, name) throws(JSONError) in
            if names.contains(name) {
                values[name] = try reader.scalar()
            } else {
                try other(&reader, name)
            }
        }
        self.values = values
    }

    subscript(name: String) -> String? {
        guard let value = values[name], !value.isEmpty else { return nil }
        return value
    }

    func bool(_ name: String) throws(JSONError) -> Bool? {
        switch self[name]?.lowercased() {
        case nil: return nil
        case "true", "1": return true
        case "false", "0": return false
        default: throw error(name, .unexpected)
        }
    }

    func date(_ name: String) throws(JSONError) -> Timestamp? {
        for candidate in [name + "_ms", name] {
            guard let text = self[candidate] else { continue }
            guard let date = Timestamp(answer: text) else { throw error(candidate, .unreadableDate) }
            return date
        }
        return nil
    }

    func error(_ name: String, _ problem: JSONError.Problem) -> JSONError {
        JSONError(
            path: place.path.isEmpty ? name : place.path + "." + name, offset: place.offset, problem: problem)
    }

    static func dateNames(_ names: String...) -> Set<String> {
        names.reduce(into: []) { $0.formUnion([$1, $1 + "_ms"]) }
    }
}

extension JSONReader {
    /// A string, number or boolean as text; nil for null.
    fileprivate mutating func scalar() throws(JSONError) -> String? {
        switch try peek() {
        case .string: return try string()
        case .number: return try number()
        case .bool: return try bool() ? "true" : "false"
        case .null:
            _ = try null()
            return nil
        case .object, .array: throw error(.unexpected)
        }
    }

    /// Reads `status` and refuses an answer that accepted nothing.
    mutating func acceptedStatus() throws(JSONError) {
        guard let status = try scalar(), status != "0" else { return }
        throw error(.refusedAnswer(status: status))
    }
}

extension Timestamp {
    /// Milliseconds, verifyReceipt's text in GMT, or RFC 3339.
    fileprivate init?(answer text: String) {
        if let milliseconds = Int64(text) {
            self.init(millisecondsSince1970: milliseconds)
            // Years that no receipt can name are no dates.
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
