import StrictJSON

/// The source or record of a receipt, by its name in the line of JSON.
public enum ReceiptOrigin: Hashable, Sendable {
    /// A file: the path as given, or the path below the given directory.
    case source(String)
    /// A saved response that is not signed: the file's path.
    case unsigned(String)
    /// A record of an export.
    case record(id: String, subject: String?)
    /// A line of NDJSON: the JSON text of its ID (a string or a number) and of its subject, both unchanged.
    case tokens(id: [UInt8], subject: [UInt8]?)
    /// A record that cannot be read: its line, row or member in the source, from 1.
    case unreadable(line: Int)

    /// The total length of the names in bytes, without escapes.
    var length: Int {
        switch self {
        case .source(let path), .unsigned(let path): path.utf8.count
        case .record(let id, let subject): id.utf8.count + (subject?.utf8.count ?? 0)
        case .tokens(let id, let subject): id.count + (subject?.count ?? 0)
        case .unreadable: 0
        }
    }

    package var isUnreadable: Bool { if case .unreadable = self { true } else { false } }
}

extension ReceiptOrigin {
    /// The names of the record and its subject as text.
    package var names: (record: String?, subject: String?) {
        switch self {
        case .source(let path), .unsigned(let path): (path, nil)
        case .record(let id, let subject): (id, subject)
        case .tokens(let id, let subject): (Self.text(id), subject.map(Self.text))
        case .unreadable: (nil, nil)
        }
    }

    /// Returns the text of a JSON string or number.
    private static func text(_ token: [UInt8]) -> String {
        do throws(JSONError) {
            var reader = JSONReader(token.span)
            return try reader.peek() == .string ? try reader.string(atMost: .max) : try reader.number()
        } catch {
            return String(decoding: token, as: UTF8.self)
        }
    }
}
