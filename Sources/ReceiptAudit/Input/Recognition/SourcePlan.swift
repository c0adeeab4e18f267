import AppReceipt
import ReceiptJSON

/// The sources of a run, and how each is read. It is decided before anything is judged, from the first records of each, so
/// that it depends on nothing but the sources and the settings; a run writes it down, and is not taken up with another.
final class SourcePlan {
    struct Source {
        let path: String
        /// As answers call it.
        let name: String
        let form: SourceForm
        /// Opened already, where it cannot be read twice.
        let stream: ByteStream?
    }

    private(set) var sources: [Source] = []
    /// What was found out, a line for each source of which nobody said it.
    private(set) var notes: [String] = []
    /// For each file and stream, from its first byte on; nil where nobody wants to know what was read.
    let makeDigest: (() -> StreamDigest)?

    /// - Parameter names: of the sources, where they are not called as they are given.
    /// - Throws: ``AuditError`` where a source is not there, or does not hold what was named.
    init(
        _ paths: [String], names: [String]? = nil, _ settings: AuditSettings, limits: ReceiptLimits,
        makeDigest: (() -> StreamDigest)? = nil
    ) throws(AuditError) {
        self.makeDigest = makeDigest
        for (path, name) in zip(paths, names ?? paths) {
            do {
                var finder = FormFinder(path, settings, limits: limits, makeDigest: makeDigest)
                let form = try finder.form()
                sources.append(Source(path: path, name: name, form: form, stream: finder.kept))
                notes += finder.notes
            } catch let error as AuditError {
                throw error
            } catch {
                throw AuditError("\(path): \(error)")
            }
        }
    }

    /// For the run's settings: the forms, in the order of the sources.
    var text: String { list(sources.map(\.form.text)) }
}

/// How a source is read.
enum SourceForm: Sendable {
    /// A folder, or one receipt.
    case files
    case tar
    case ndjson(FieldNames)
    case json(FieldNames)
    case csv(CSVColumns)

    var text: String {
        switch self {
        case .files: "files"
        case .tar: "tar"
        case .ndjson(let names): "ndjson: \(names.receiptName)"
        case .json(let names): "json: \(names.receiptName)"
        case .csv(let columns):
            "csv: columns \(columns.count) by \(columns.delimiter), names \(columns.hasHeader), "
                + "id \(columns.id.map { "\($0 + 1)" } ?? "none"), receipt \(columns.receipt + 1), "
                + "subject \(columns.subject.map { "\($0 + 1)" } ?? "none")"
                + columns.others.map { ", \($0.name) \($0.column + 1)" }.joined()
        }
    }
}
