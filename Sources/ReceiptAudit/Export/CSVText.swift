/// How a value is written into CSV (RFC 4180) that people open in spreadsheets.
///
/// A spreadsheet runs what begins with one of `= + - @` as a formula, where it takes a cell to begin, and that may be
/// behind a semicolon or a tab too: which sign separates is a setting of the machine. An apostrophe before such a
/// sign makes a text of it. It stands before the digits of long numbers too, of which a spreadsheet keeps fifteen.
enum CSVText {
    /// Cells have room for 32,767 characters.
    private static let longest = 32_000
    private static let mostDigits = 15

    /// Appends a text as a quoted field.
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
            } else if isSteering(scalar) {
                bytes += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}".utf8
                // Nobody knows what is made of it.
                isCellStart = true
            } else {
                bytes += String(scalar).utf8
            }
        }
        bytes.append(quote)
    }

    private static let quote = UInt8(ascii: "\"")
    private static let apostrophe = UInt8(ascii: "'")
    /// The wide ones are taken for the others in Japanese and Chinese.
    private static let formulaSigns: Set<Unicode.Scalar> = [
        "=", "+", "-", "@", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}", "\u{2212}",
    ]
    private static let separators: Set<Unicode.Scalar> = [",", ";", "|", "\t", "\r", "\n"]

    /// What may stand between the start of a cell and a formula.
    private static func skipped(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "\"" || scalar == "'" || scalar.properties.isWhitespace
    }

    /// What ends lines, shows as nothing or turns the order of text is written as it is written in the report.
    private static func isSteering(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
            true
        default: false
        }
    }
}
