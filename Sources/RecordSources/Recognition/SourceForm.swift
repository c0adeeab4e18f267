import AppReceipt
package import ReceiptExamination

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
        case .tree(let pattern, let names): "tree: \(pattern.text), subject \(names.subjectName)"
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
