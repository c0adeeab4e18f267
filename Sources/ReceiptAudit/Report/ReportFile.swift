/// The report as a file: what `--report` names.
package enum ReportFile {
    /// Fails before hours of work where the report could not be written after them.
    /// - Throws: ``AuditError``.
    package static func requireAbsent(_ path: String) throws(AuditError) {
        if InputFile(path: path).exists { throw AuditError("\(path): it exists already") }
    }

    /// Writes the report of a finished database.
    /// - Throws: ``AuditError``; there is no half of a report then.
    package static func write(_ path: String, ofDatabase database: String) throws {
        try Report(of: AuditDatabase(path: database, isReadOnly: true)).write(to: path)
    }
}
