#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The report as a file: what `--report` names.
package enum ReportFile {
    /// Fails before hours of work where the report could not be written after them.
    /// - Throws: ``AuditError``.
    package static func requireRoom(at path: String, isReplacing: Bool) throws(AuditError) {
        if !isReplacing, InputFile(path: path).exists { throw AuditError("\(path): it exists already") }
        _ = unsafe unlink(Report.partial(path))
        _ = try LineSink(path: Report.partial(path))
        _ = unsafe unlink(Report.partial(path))
    }

    /// Writes the report of a finished database.
    /// - Throws: ``AuditError``; there is no half of a report then.
    package static func write(_ path: String, ofDatabase database: String) throws {
        try Report(of: AuditDatabase(path: database, isReadOnly: true)).write(to: path)
    }
}
