import AppReceipt

/// The receipts that a source contains outside the places that are read. A run that did not read them is not a
/// success.
package struct UnreadReceipts: Hashable, Sendable {
    private var count = 0
    private var first = ""

    package init() {}

    package mutating func add(_ place: String) { self += UnreadReceipts(count: 1, first: place) }

    private init(count: Int, first: String) { (self.count, self.first) = (count, first) }

    package static func += (one: inout Self, other: Self) {
        if one.count == 0 { one.first = other.first }
        one.count += other.count
    }

    /// Returns the message, or nil if there are none.
    package func message(of source: String, outside records: String) -> String? {
        guard count > 0 else { return nil }
        return "\(source): receipts outside \(records) (\(count), the first at \(first))"
    }

    /// Returns whether a text begins like a receipt or a JWS with certificates. It examines only the first
    /// bytes, so it is fast enough for every value.
    package static func isReceipt(_ text: Span<UInt8>) -> Bool {
        guard text.count >= 64 else { return false }
        switch text[0] {
        case 0x30: if text.copy(0..<32).span.isContainer { return true }
        case UInt8(ascii: "M"): guard text[1] == UInt8(ascii: "I") else { return false }
        case UInt8(ascii: "e"): guard text[1] == UInt8(ascii: "y") else { return false }
        case UInt8(ascii: "\\"): break
        default: return false
        }
        // An escaped slash is the only escape in the base64 of an export.
        let start = text.copy(0..<min(text.count, 256)).filter { $0 != UInt8(ascii: "\\") }
        if start.starts(with: "MI".utf8) {
            return contains(start.prefix(32), "KoZIhvcNAQcC") || contains(start.prefix(32), "CSqGSIb3DQEHA")
        }
        if start.starts(with: "ey".utf8) {
            let header = (try? InputEncoding.decode(Array(start.prefix(192))))?.der ?? []
            return contains(header[...], "\"x5c\"")
        }
        let digits = start.prefix(64).map { $0 | 0x20 }
        return contains(digits[...], "06092a864886f70d010702")
    }

    /// Returns whether a text begins like a receipt, or is JSON with such a string.
    package static func holdsReceipt(_ text: Span<UInt8>) -> Bool {
        guard !text.isEmpty, text[0] == UInt8(ascii: "{") || text[0] == UInt8(ascii: "[") else {
            return isReceipt(text)
        }
        var start = 0
        while start < text.count {
            let end = text.index(of: "\"", from: start)
            if isReceipt(text.extracting(start..<end)) { return true }
            start = end + 1
        }
        return false
    }

    private static func contains(_ text: ArraySlice<UInt8>, _ word: String) -> Bool {
        text.indices.contains { text[$0...].starts(with: word.utf8) }
    }
}
