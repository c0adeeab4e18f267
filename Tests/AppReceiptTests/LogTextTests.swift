import AppReceipt
import Testing

@Suite("Text from receipts in logs and reports")
struct LogTextTests {
    @Test(arguments: [
        // Controls and line ends.
        ("a\nb", "a\\u{A}b"), ("a\u{2028}b", "a\\u{2028}b"),
        // Characters that reorder text, or have no width.
        ("a\u{202E}b", "a\\u{202E}b"), ("a\u{200B}b", "a\\u{200B}b"),
        // Marks and letters without a glyph: a joiner, Hangul fillers, variation selectors.
        ("a\u{34F}b", "a\\u{34F}b"), ("\u{115F}\u{3164}\u{FFA0}", "\\u{115F}\\u{3164}\\u{FFA0}"),
        ("a\u{FE0F}\u{E0100}", "a\\u{FE0F}\\u{E0100}"),
        // Unassigned and private characters.
        ("\u{378}\u{E000}", "\\u{378}\\u{E000}"),
        // Spaces, combining marks and letters like others stay.
        ("a\u{A0}e\u{301} \u{430}", "a\u{A0}e\u{301} \u{430}"),
    ])
    func charactersThatAreEscaped(text: String, expected: String) {
        #expect(Array(text.onOneLine.unicodeScalars) == Array(expected.unicodeScalars))
    }
}
