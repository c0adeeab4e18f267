import ReceiptJSON
package import RecordSources

/// The file of lines that `--subject-verdicts` names.
package enum CustomerLinesFile {
    /// Fails if the file cannot be written, before hours of work.
    package static func requireWritable(at path: String, isReplacing: Bool, isForced: Bool = false)
        throws(AuditError)
    {
        try UnfinishedFile.requireWritable(
            at: path, replacing: isReplacing ? "a --subject-verdicts file" : nil, isForced: isForced
        ) { file in
            // The file is empty if there was no customer.
            guard let start = try? file.start(64) else { return false }
            return start.isEmpty || CustomerOrigin.isStart(of: start)
        }
    }
}
