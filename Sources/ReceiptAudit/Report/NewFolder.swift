package import RecordSources
import SystemLibrary

/// A folder for output that was created or empty.
package struct NewFolder {
    package let path: String

    /// Creates the folder for its owner alone, or checks that it is empty.
    package init(_ path: String) throws(AuditError) {
        self.path = path
        let file = InputFile(path: path)
        guard try file.exists else {
            try Self.make(path)
            return
        }
        guard try file.isFolder else { throw AuditError("\(path): \(systemMessage(ENOTDIR))") }
        let (names, error) = SystemPath(path).names()
        if let error { throw AuditError("\(path): \(systemMessage(error.number))") }
        guard names.isEmpty, names.hidden == 0 else {
            throw AuditError("\(path): the folder is not empty; choose another path or empty it")
        }
    }

    /// Creates a folder for its owner alone, if it does not exist.
    static func make(_ path: String) throws(AuditError) {
        guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw AuditError(creationMessage(path, errno))
        }
    }
}
