import AppReceipt
import Foundation
import Mustache

/// The templates, which are part of the binary, and how text gets into them.
struct ReportTemplates {
    static let script = text(PackageResources.filter_js)

    private static let sources = [
        "page": PackageResources.page_mustache, "charts": PackageResources.charts_mustache,
        "customers": PackageResources.customers_mustache,
        "segments": PackageResources.segments_mustache, "findings": PackageResources.findings_mustache,
        "receipts": PackageResources.receipts_mustache, "receipt": PackageResources.receipt_mustache,
        "foot": PackageResources.foot_mustache,
    ]

    private let library: MustacheLibrary
    let style: String
    /// Forbids all but the one style and the one script, by their digests.
    let policy: String

    /// - Parameter rows: of the longest table, for its height as long as it was not laid out.
    init(rows: Int) throws {
        style =
            Self.text(PackageResources.report_css)
            + ".rows { contain-intrinsic-size: auto \(40 * rows)px; }\n"
        MustacheContentTypes.register(HTMLScalars(), named: HTMLScalars.name)
        library = MustacheLibrary(
            templates: try Self.sources.mapValues { source in
                // Each template says it anew: a partial does not take over what its caller said.
                try MustacheTemplate(string: "{{% CONTENT_TYPE:\(HTMLScalars.name)}}\n" + Self.text(source))
            })
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

    /// - Parameter model: what the template names, as its properties.
    func render(_ name: String, _ model: Any) throws -> String {
        guard let text = library.render(model, withTemplate: name) else {
            throw AuditError("the report has no template \(name)")
        }
        return text
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}

/// Escapes text for HTML by its scalars.
///
/// swift-mustache's own content type compares characters, and a character is a cluster of scalars: in
/// U+0600 `<script>` the `<` belongs to the cluster of the sign before it and would stay as it is. Whatever steers
/// the order of text, or shows as nothing, is written as `\u{…}` so that no id looks like another.
struct HTMLScalars: MustacheContentType {
    static let name = "HTML-SCALARS"

    func escapeText(_ text: String) -> String {
        // Of bytes: appending to a view of scalars counts all that is there, each time.
        var escaped: [UInt8] = []
        escaped.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "<": escaped += "&lt;".utf8
            case ">": escaped += "&gt;".utf8
            case "&": escaped += "&amp;".utf8
            case "\"": escaped += "&quot;".utf8
            case "'": escaped += "&#39;".utf8
            default:
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse,
                    .unassigned:
                    escaped += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}".utf8
                default: escaped += String(scalar).utf8
                }
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }
}
