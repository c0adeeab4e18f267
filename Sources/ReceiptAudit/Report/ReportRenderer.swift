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
