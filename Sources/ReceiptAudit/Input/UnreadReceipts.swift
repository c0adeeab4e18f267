import AppReceipt
import ReceiptJSON

/// The receipts that a source contains outside its records. A run that did not read them is not a success.
struct UnreadReceipts {
    private var count = 0
    private var first = ""

    mutating func add(_ place: String) {
        if count == 0 { first = place }
        count += 1
    }

    /// Returns the message, or nil if there are none.
    func message(of source: String, outside records: String) -> String? {
        guard count > 0 else { return nil }
        return "\(source): receipts outside \(records) (\(count), the first at \(first))"
    }

    /// Returns whether a text begins like a receipt or a JWS with certificates. It examines only the first
    /// bytes, so it is fast enough for every value.
    static func isReceipt(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.count >= 64, let first = text.first else { return false }
        switch first {
        case 0x30: if Array(text.prefix(32)).span.isContainer { return true }
        case UInt8(ascii: "M"), UInt8(ascii: "e"), UInt8(ascii: "\\"): break
        default: return false
        }
        // An escaped slash is the only escape in the base64 of an export.
        let start = text.prefix(256).filter { $0 != UInt8(ascii: "\\") }
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
    static func holdsReceipt(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.first == UInt8(ascii: "{") || text.first == UInt8(ascii: "[") else {
            return isReceipt(text)
        }
        var rest = text
        while let quote = rest.firstIndex(of: UInt8(ascii: "\"")) {
            if isReceipt(rest[..<quote]) { return true }
            rest = rest[(quote + 1)...]
        }
        return isReceipt(rest)
    }

    private static func contains(_ text: ArraySlice<UInt8>, _ word: String) -> Bool {
        text.indices.contains { text[$0...].starts(with: word.utf8) }
    }
}
