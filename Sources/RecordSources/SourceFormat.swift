/// The format of a source.
package enum SourceFormat: String, Sendable, CaseIterable {
    /// The format by name: a folder, `.ndjson`, `.jsonl`, `.json`, `.csv`, `.tsv`, `.tab`, `.tar`, `.tar.gz`,
    /// `.tgz`, `.sql`. Standard input is JSON or an SQL dump. For other names, the first bytes decide between
    /// JSON, an archive, a database, an SQL dump, a table and one receipt. JSON is NDJSON unless its first line
    /// ends within a value that may continue.
    case auto
    /// One JSON value per line.
    case ndjson
    /// An array of records, or consecutive records, over any number of lines.
    case json
    /// Comma-separated values, with any delimiter.
    case csv
    case tar
    /// An SQL dump of PostgreSQL, MySQL, MariaDB or SQLite.
    case sql
    /// A database of SQLite.
    case sqlite
}
