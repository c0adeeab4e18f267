package import RecordSources

/// The file of the report that `--report` names.
package enum ReportFile {
    /// Fails if the report cannot be written, before hours of work.
    package static func requireWritable(at path: String, isReplacing: Bool, isForced: Bool = false)
        throws(AuditError)
    {
        try UnfinishedFile.requireWritable(
            at: path, replacing: isReplacing ? "an audit report" : nil, isForced: isForced, isOurs: isReport)
    }

    private static func isReport(_ file: InputFile) -> Bool {
        let text = String(decoding: (try? file.start(1024)) ?? [], as: UTF8.self)
        return text.hasPrefix("<!DOCTYPE html>\n") && text.contains("\n<title>Receipt audit as of ")
    }
}
