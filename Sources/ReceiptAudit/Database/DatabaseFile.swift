#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The files of a database: its own, and those that SQLite makes beside it.
package enum DatabaseFile {
    private static let companions = ["-journal", "-wal", "-shm"]

    /// Where SQLite makes further files, and deletes what it finds there: beside the path, and beside the file where
    /// the path is a link.
    package static func companionPaths(of path: String) -> [String] {
        var paths = [path]
        if let resolved = unsafe realpath(path, nil) {
            paths.append(unsafe String(cString: resolved))
            unsafe free(resolved)
        }
        return paths.flatMap { path in companions.map { path + $0 } }
    }

    /// Makes the file where there is none, for its owner alone: SQLite would let others read it, and does not tell why
    /// it cannot make one.
    /// - Throws: ``AuditError``.
    static func make(_ path: String) throws(AuditError) {
        let isNew = try !InputFile(path: path).exists
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, LineSink.mode)
        guard descriptor >= 0 else { throw AuditError(creationMessage(path, errno)) }
        close(descriptor)
        guard isNew else { return }
        // Where a link leads is known when the file is there.
        for other in companionPaths(of: path) where try InputFile(path: other).exists {
            if let resolved = unsafe realpath(path, nil) {
                _ = unsafe unlink(resolved)
                unsafe free(resolved)
            }
            throw AuditError(
                "\(other): SQLite would read this file as part of \(path); choose another path or delete it")
        }
    }

    /// Removes the files of a database that holds nothing.
    static func remove(_ path: String) {
        for path in [path] + companionPaths(of: path) { _ = unsafe unlink(path) }
    }
}
