import AppReceipt
import EmbeddedFiles
import Foundation
import Mustache
import RecordSources

/// A renderer of text into the templates, which are part of the binary.
struct ReportRenderer {
    static let script = text(of: "filter.js")

    private static let templates = [
        "page", "apps", "chart", "plot", "customers", "segments", "findings", "receipts", "receipt", "foot",
    ]

    private let library: MustacheLibrary
    let style: String
    /// The content security policy, which allows only the one style and the one script, by their digests.
    let policy: String

    /// Loads the templates.
    /// - Parameter rows: The number of rows in the longest table, which sets its height before layout.
    init(rows: Int) throws {
        style =
            Self.text(of: "report.css")
            + ".rows { contain-intrinsic-size: auto \(40 * min(rows, 50))px; }\n"
        MustacheContentTypes.register(HTMLScalars(), named: HTMLScalars.name)
        library = MustacheLibrary(
            templates: try Dictionary(
                uniqueKeysWithValues: Self.templates.map { name in
                    // Each template sets the content type, because a partial does not inherit it.
                    let type = "{{% CONTENT_TYPE:\(HTMLScalars.name)}}\n"
                    return (name, try MustacheTemplate(string: type + Self.text(of: "\(name).mustache")))
                }))
        let verifier = try ReceiptVerifier(anchors: .apple)
        func digest(_ text: String) throws -> String {
            guard let digest = verifier.sha256(of: Array(text.utf8)) else { throw LineDigest.failure }
            return "'sha256-\(Data(digest).base64EncodedString())'"
        }
        policy = try """
        default-src 'none'; style-src \(digest(style)); script-src \(digest(Self.script)); \
        base-uri 'none'; form-action 'none'
        """
    }

    /// Renders a template.
    /// - Parameter model: The object whose properties the template names.
    func render(_ name: String, _ model: Any) throws -> String {
        guard let text = library.render(model, withTemplate: name) else {
            throw AuditError("the report has no template \(name)")
        }
        return text
    }

    private static func text(of file: String) -> String { unsafe String(cString: embedded_template(file)) }
}

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
