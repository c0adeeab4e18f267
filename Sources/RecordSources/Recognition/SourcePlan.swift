package import AppReceipt
package import ReceiptExamination

/// The sources of a run and how to read them. The plan is made before verification, from the first records of
/// each source. It depends only on the sources and the settings. A run records its plan, and is resumed only
/// with the same plan.
package final class SourcePlan {
    package struct Source {
        let path: String
        /// The name in answers.
        let name: String
        let form: SourceForm
        /// The opened stream, if the source cannot be read twice.
        package let stream: ByteStream?
    }

    package private(set) var sources: [Source] = []
    /// The decisions made without settings, one line for each source.
    package private(set) var notes: [String] = []
    /// The fields with receipts that will not be read, with their sources.
    package private(set) var unread: [String] = []
    /// The detected fields of subjects, if the settings name none, with their sources.
    package private(set) var subjects: [String] = []
    /// The function that creates a digest for each file and stream, or nil if no digests are needed.
    package let makeDigest: (() -> StreamDigest)?

    /// Creates a plan.
    /// - Parameter names: The names of the sources, if they differ from the paths.
    /// - Throws: ``AuditError`` if a source does not exist, or does not contain a named field.
    package init(
        _ paths: [String], names: [String]? = nil, _ settings: SourceSettings, limits: ReceiptLimits,
        makeDigest: (() -> StreamDigest)? = nil
    ) throws(AuditError) {
        self.makeDigest = makeDigest
        for (path, name) in zip(paths, names ?? paths) {
            do {
                var finder = FormFinder(path, settings, limits: limits, makeDigest: makeDigest)
                let form = try finder.form()
                try form.require(settings.conditions, path)
                sources.append(Source(path: path, name: name, form: form, stream: finder.kept))
                notes += finder.notes
                if let fields = finder.unread { unread.append(fields) }
                if let field = finder.subject { subjects.append("\(path): \(field)") }
            } catch let error as AuditError {
                throw error
            } catch {
                throw AuditError("\(path): \(error)")
            }
        }
    }

    /// The forms of the sources in order, for the run's settings.
    package var text: String { list(sources.map(\.form.text)) }
}

/// The form in which a source is read.
package enum SourceForm: Sendable {
    /// A folder, or a file with one receipt.
    case files
    case tar
    case ndjson(FieldNames)
    case json(FieldNames)
    case csv(CSVColumns)
    /// JSON that is keyed by id.
    case tree(TreePattern, FieldNames)
    /// An SQL dump.
    case sql(SourceSettings)
    /// An SQLite database.
    case sqlite(SourceSettings)

    package var text: String {
        switch self {
        case .files: "files"
        case .tar: "tar"
        case .ndjson(let names): "ndjson: \(names.receiptName), subject \(names.subjectName)"
        case .json(let names): "json: \(names.receiptName), subject \(names.subjectName)"
        case .tree(let pattern, _): "tree: \(pattern.text)"
        case .sql: "sql"
        case .sqlite: "sqlite"
        case .csv(let columns):
            "csv: columns \(columns.count) by \(columns.delimiter), names \(columns.hasHeader), "
                + "id \(columns.id.map { "\($0 + 1)" } ?? "none"), receipt \(columns.receipt + 1), "
                + "subject \(columns.subject.map { "\($0 + 1)" } ?? "none")"
                + columns.others.map { ", \($0.name) \($0.column + 1)" }.joined()
        }
    }

    /// Fails if records are to be selected by fields that the source does not have.
    package func require(_ conditions: [SourceSettings.ColumnValue], _ path: String) throws(AuditError) {
        guard let condition = conditions.first else { return }
        switch self {
        case .files, .tar:
            throw AuditError("\(path): --where: a source of files has no column \(condition.column.cut)")
        case .ndjson, .json, .csv, .tree, .sql, .sqlite: break
        }
    }
}
