import AppReceipt

/// A writer of values into CSV (RFC 4180) that is safe to open in spreadsheets.
///
/// A spreadsheet treats a cell that begins with one of `= + - @` as a formula. A cell may also begin after a
/// semicolon or a tab, because the separator is a setting of the machine. An apostrophe before such a sign
/// turns it into text. It also protects long numbers, of which a spreadsheet keeps 15 digits.
enum CSVText {
    /// The maximum length of a value. Cells hold 32,767 characters.
    private static let longest = 32_000
    private static let mostDigits = 15

    /// Appends text as a quoted field.
    static func append(_ text: String, to bytes: inout [UInt8]) {
        let text = ReportText.shown(text, limit: longest)
        bytes.append(quote)
        if text.utf8.count > mostDigits, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            bytes.append(apostrophe)
        }
        var isCellStart = true
        for scalar in text.unicodeScalars {
            if isCellStart, formulaSigns.contains(scalar) { bytes.append(apostrophe) }
            isCellStart = separators.contains(scalar) || (isCellStart && skipped(scalar))
            if scalar == "\"" {
                bytes += [quote, quote]
            } else if scalar.isSteering {
                bytes += scalar.shownEscape.utf8
                // Programs may treat the escape in different ways.
                isCellStart = true
            } else {
                bytes += String(scalar).utf8
            }
        }
        bytes.append(quote)
    }

    private static let quote = UInt8(ascii: "\"")
    private static let apostrophe = UInt8(ascii: "'")
    /// The formula signs, including full-width ones, which spreadsheets accept in Japanese and Chinese.
    private static let formulaSigns: Set<Unicode.Scalar> = [
        "=", "+", "-", "@", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}", "\u{2212}",
    ]
    private static let separators: Set<Unicode.Scalar> = [",", ";", "|", "\t", "\r", "\n"]

    /// Returns whether the character may be between the start of a cell and a formula.
    private static func skipped(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "\"" || scalar == "'" || scalar.properties.isWhitespace
    }
}
