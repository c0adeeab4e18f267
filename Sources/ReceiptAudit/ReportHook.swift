/// Where `--report` is plugged in.
package enum ReportHook {
    /// Writes the report of a finished database.
    /// - Throws: ``AuditError``.
    package static func write(_ path: String, ofDatabase database: String) throws {
        throw AuditError("\(path): this build makes no report")
    }
}
