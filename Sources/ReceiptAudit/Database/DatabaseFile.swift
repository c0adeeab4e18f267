import RecordSources
import SystemLibrary

/// Creates and removes the database of an audit.
extension DatabaseFile {
    /// Creates the file for its owner alone, if it does not exist. SQLite would create a file that others can
    /// read, and does not report why it cannot create one.
    static func make(_ path: String) throws(AuditError) {
        let isNew = try !InputFile(path: path).exists
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, LineSink.mode)
        guard descriptor >= 0 else { throw AuditError(creationMessage(path, errno)) }
        close(descriptor)
        guard isNew else { return }
        // The target of a link is known only after the file exists.
        for other in companionPaths(of: path) where try InputFile(path: other).exists {
            if let resolved = unsafe realpath(path, nil) {
                _ = unsafe unlink(resolved)
                unsafe free(resolved)
            }
            throw AuditError(
                "\(other): SQLite would read this file as part of \(path); choose another path or delete it")
        }
    }

    /// Removes the files of an empty database.
    static func remove(_ path: String) {
        for path in [path] + companionPaths(of: path) { _ = unsafe unlink(path) }
    }
}
