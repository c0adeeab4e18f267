import AppReceipt
import SQLite

/// The formats of numbers, dates and durations in the report, which are equal on every machine.
enum ReportText {
    /// Returns 1234567 as 1,234,567.
    static func count(_ number: Int) -> String {
        var digits = Array(String(abs(number)))
        for place in stride(from: digits.count - 3, to: 0, by: -3) { digits.insert(",", at: place) }
        return (number < 0 ? "-" : "") + String(digits)
    }

    /// Returns "1 entry" or "2 entries".
    static func count(_ number: Int, _ singular: String, _ plural: String) -> String {
        "\(count(number)) \(number == 1 ? singular : plural)"
    }

    /// Returns "1 receipt" or "2 receipts".
    static func count(_ number: Int, _ noun: String) -> String { count(number, noun, noun + "s") }

    static func date(_ milliseconds: Int64) -> String {
        Timestamp(millisecondsSince1970: milliseconds).rfc3339
    }

    static func day(_ milliseconds: Int64) -> String { String(date(milliseconds).prefix { $0 != "T" }) }

    /// Returns 3,723,004 ms as 1 h 2 min 3.0 s.
    static func duration(_ milliseconds: Int64) -> String {
        let (seconds, tenths) = (milliseconds / 1000, milliseconds % 1000 / 100)
        let parts = [(seconds / 3600, "h"), (seconds / 60 % 60, "min")].filter { $0.0 > 0 }.map {
            "\($0.0) \($0.1)"
        }
        return (parts + ["\(seconds % 60).\(tenths) s"]).joined(separator: " ")
    }

    /// The maximum length of shown text. Names, products and messages for people are shorter.
    static let shownCharacters = 1024

    /// Returns text of the input as it is shown: complete, or its start and its length.
    static func shown(_ text: String) -> String { shown(text, limit: shownCharacters) }

    /// Returns text of the input as it is shown, with another limit.
    static func shown(_ text: String, limit: Int) -> String {
        guard text.utf8.count > limit else { return text }
        let scalars = text.unicodeScalars
        guard
            let end = scalars.index(
                scalars.startIndex, offsetBy: limit, limitedBy: scalars.endIndex),
            end != scalars.endIndex
        else { return text }
        return "\(text[..<end])… (\(count(scalars.count, "character")))"
    }

    /// Returns a percentage, rounded down to a tenth, so that 100 % means all.
    static func share(_ part: Int, of whole: Int) -> String? {
        guard part > 0, whole > 0 else { return nil }
        let thousandths = part * 1000 / whole
        return thousandths == 0 ? "< 0.1 %" : "\(thousandths / 10).\(thousandths % 10) %"
    }

    /// Returns a word with an upper-case first letter.
    static func capitalized(_ name: String) -> String { name.prefix(1).uppercased() + name.dropFirst() }
}

extension Row {
    /// Returns text as it is shown, or nil if there is none.
    func text(_ column: String) throws -> String? { try (self[column] as String?).map(ReportText.shown) }

    /// Returns the text of a date, or nil if there is none.
    func date(_ column: String) throws -> String? { try (self[column] as Int64?).map(ReportText.date) }
}
