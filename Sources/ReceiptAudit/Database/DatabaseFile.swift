import SystemLibrary

/// The files of a database: its own, and those that SQLite creates next to it.
package enum DatabaseFile {
    private static let companions = ["-journal", "-wal", "-shm"]

    /// Returns the paths at which SQLite creates further files, and deletes existing ones. They are next to
    /// the path and, if the path is a link, next to its target.
    package static func companionPaths(of path: String) -> [String] {
        var paths = [path]
        if let resolved = unsafe realpath(path, nil) {
            paths.append(unsafe String(cString: resolved))
            unsafe free(resolved)
        }
        return paths.flatMap { path in companions.map { path + $0 } }
    }

    /// Creates the file for its owner alone, if it does not exist. SQLite would create a file that others can
    /// read, and does not report why it cannot create one.
    /// - Throws: ``AuditError``.
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
