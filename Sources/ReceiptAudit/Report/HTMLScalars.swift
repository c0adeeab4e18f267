import AppReceipt
import Mustache

/// A content type that escapes text for HTML by Unicode scalar.
///
/// swift-mustache's own content type compares characters, which are clusters of scalars. In U+0600
/// `<script>`, the `<` belongs to the cluster of the preceding sign and would not be escaped. Scalars that
/// reorder text or have no glyph by default are written as `\u{…}`. IDs can still contain look-alike letters.
struct HTMLScalars: MustacheContentType {
    static let name = "HTML-SCALARS"

    func escapeText(_ text: String) -> String {
        // The result is built from bytes, because appending to a view of scalars counts all previous scalars
        // each time.
        var escaped: [UInt8] = []
        escaped.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "<": escaped += "&lt;".utf8
            case ">": escaped += "&gt;".utf8
            case "&": escaped += "&amp;".utf8
            case "\"": escaped += "&quot;".utf8
            case "'": escaped += "&#39;".utf8
            case _ where scalar.isSteering: escaped += scalar.shownEscape.utf8
            default: escaped += String(scalar).utf8
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }
}
