import Foundation
import StrictJSON

/// A decoder of the JSON values of the run's row.
enum StoredJSON {
    static func decode<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
        try JSONDecoder().decode(type, from: Data(text.utf8))
    }

    /// Reads an object of texts. `JSONDecoder` takes quadratic time for a name of combining marks.
    static func texts(_ text: String) throws(JSONError) -> [(name: String, value: String)] {
        let bytes = Array(text.utf8)
        var texts: [(name: String, value: String)] = []
        var reader = JSONReader(bytes.span, longestName: bytes.count)
        try reader.object { (reader, name) throws(JSONError) in
            texts.append((name, try reader.string(atMost: .max)))
        }
        try reader.end()
        return texts
    }

    /// Reads the settings of a run. Their names are ASCII, and other names are left out.
    static func settings(_ text: String) throws(JSONError) -> [String: String] {
        Dictionary(
            uniqueKeysWithValues: try texts(text).filter { $0.name.isASCII }.map { ($0.name, $0.value) })
    }
}
