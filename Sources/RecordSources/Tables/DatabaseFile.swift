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
}
