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

    /// Returns whether a text begins like a receipt, a transaction receipt or a JWS with certificates. It examines
    /// only the first bytes, so it is fast enough for every value.
    package static func isReceipt(_ text: Span<UInt8>) -> Bool {
        guard text.count >= 64 else { return false }
        let quote = UInt8(ascii: "\"")
        switch (text[0], text[1]) {
        case (0x30, _): if text.copy(0..<32).span.isContainer { return true }
        case (UInt8(ascii: "M"), UInt8(ascii: "I")), (UInt8(ascii: "e"), UInt8(ascii: "y")),
            (UInt8(ascii: "e"), UInt8(ascii: "w")), (UInt8(ascii: "3"), UInt8(ascii: "0")),
            (UInt8(ascii: "\\"), _):
            break
        // JSON usually has a quotation mark here, also with escapes. Property lists begin with a line end.
        case (UInt8(ascii: "{"), let second): guard second != quote, text[2] != quote else { return false }
        default: return false
        }
        // An escaped slash is the only escape in the base64 of an export.
        let length = text[0] == UInt8(ascii: "M") ? 64 : 256
        let start = text.copy(0..<min(text.count, length)).filter { $0 != UInt8(ascii: "\\") }
        if start.first == UInt8(ascii: "{") { return isTransactionReceipt(start) }
        if start.starts(with: "MI".utf8) {
            return contains(start.prefix(32), "KoZIhvcNAQcC") || contains(start.prefix(32), "CSqGSIb3DQEHA")
        }
        if start.first == UInt8(ascii: "e") {
            let header = (try? InputEncoding.decode(Array(start.prefix(192))))?.der ?? []
            return contains(header[...], "\"x5c\"") || isTransactionReceipt(header)
        }
        let digits = start.prefix(64).map { $0 | 0x20 }
        return contains(digits[...], "06092a864886f70d010702")
    }

    /// Returns whether a text is a receipt or contains one, as JSON, lists and addresses of data do. It examines the beginning of
    /// each run of characters of base64, so the cost depends on the length of the text.
    package static func holdsReceipt(_ text: Span<UInt8>) -> Bool {
        if isReceipt(text) { return true }
        var start = 0
        while start + 64 <= text.count {
            // No receipt begins before the last of the other characters.
            var end = start + 32
            while end > start, isOfReceipt(text[end - 1]) { end -= 1 }
            guard end == start else {
                start = end
                continue
            }
            if isReceipt(text.extracting(start...)) { return true }
            while start < text.count, isOfReceipt(text[start]) {
                guard let next = afterEscape(at: start, of: text) else {
                    start += 1
                    continue
                }
                start = next
                if isRun(at: start, of: text), isReceipt(text.extracting(start...)) { return true }
            }
        }
        return false
    }

    /// Returns the place after an escape of a JSON string that is not a character of base64, or nil if there is none.
    private static func afterEscape(at place: Int, of text: Span<UInt8>) -> Int? {
        guard text[place] == UInt8(ascii: "\\"), place + 1 < text.count else { return nil }
        switch text[place + 1] {
        case UInt8(ascii: "b"), UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return place + 2
        case UInt8(ascii: "u"): return min(place + 6, text.count)
        default: return nil
        }
    }

    /// Returns whether a text long enough for a receipt begins with characters of base64.
    private static func isRun(at start: Int, of text: Span<UInt8>) -> Bool {
        guard start + 64 <= text.count else { return false }
        var end = start
        while end < start + 32, isOfReceipt(text[end]) {
            let isEscape = text[end] == UInt8(ascii: "\\")
            guard !isEscape || text[end + 1] == UInt8(ascii: "/") else { return false }
            end += isEscape ? 2 : 1
        }
        return end >= start + 32
    }

    /// Returns whether a character is one of base64 or base64url, or escapes one.
    private static func isOfReceipt(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "-"),
            UInt8(ascii: "_"), UInt8(ascii: "\\"):
            true
        default: false
        }
    }

    /// Returns whether these first bytes are those of a property list with names of a transaction receipt.
    private static func isTransactionReceipt(_ start: [UInt8]) -> Bool {
        // "signature" or "signing-status", in any order with the others.
        ["\"sign", "\"purchase-info\"", "\"pod\""].contains { contains(start.prefix(48), $0) }
            && InputResemblance(start.span) == .transactionReceipt
    }

    private static func contains(_ text: ArraySlice<UInt8>, _ word: String) -> Bool {
        text.indices.contains { text[$0...].starts(with: word.utf8) }
    }
}
