import Foundation
import RecordSources
import Synchronization

/// A file that is renamed when it is complete. If the process ends before, the file is removed.
package enum UnfinishedFile {
    /// The address of the file's path, or 0 if there is none.
    private static let address = Atomic<UInt>(0)

    /// Every path so far. None is freed, because a signal may arrive at any time.
    private static let paths = Mutex<[UInt]>([])

    /// Registers the file before it is created.
    static func begin(_ path: String) {
        let copy = unsafe UInt(bitPattern: strdup(path))
        paths.withLock { $0.append(copy) }
        address.store(copy, ordering: .releasing)
    }

    static func end() { address.store(0, ordering: .releasing) }

    /// Removes the file, if there is one. It calls only functions that signal handlers may call.
    package static func remove() {
        guard let path = unsafe UnsafePointer<CChar>(bitPattern: address.load(ordering: .acquiring)) else {
            return
        }
        _ = unsafe unlink(path)
    }

    // MARK: - Writing

    /// Returns an unused name next to the path, from which the file can be renamed.
    private static func partial(_ path: String) -> String { "\(path).\(UUID().uuidString).part" }

    /// Returns whether the name is one of ``partial(_:)``.
    static func isName(_ name: String) -> Bool {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false).suffix(2)
        return parts.last == "part" && UUID(uuidString: String(parts[parts.startIndex])) != nil
    }

    /// Writes next to the path and then renames the file, so that the file at the path is always complete. An
    /// error leaves no file behind.
    static func write(to path: String, _ body: (LineSink) throws -> Void) throws {
        if OutputPath.isWrittenInPlace(path) { return try body(LineSink(path: path)) }
        let partial = partial(path)
        begin(partial)
        defer { end() }
        do {
            try body(LineSink(path: partial, name: path))
            guard unsafe rename(partial, path) == 0 else {
                throw AuditError("\(path): \(systemMessage(errno))")
            }
        } catch {
            _ = unsafe unlink(partial)
            throw error
        }
    }

    /// Fails if the file cannot be written, before hours of work.
    /// - Parameters:
    ///   - kind: The kind of file that may be replaced, or nil if none may.
    ///   - isForced: Whether any file may be replaced.
    ///   - isOurs: A closure that returns whether a file has this kind.
    static func requireWritable(
        at path: String, replacing kind: String?, isForced: Bool = false, isOurs: (InputFile) -> Bool
    ) throws(AuditError) {
        if OutputPath.isWrittenInPlace(path) { return }
        let file = InputFile(path: path)
        let isFolder = try file.isFolder
        if isForced, isFolder { throw AuditError("\(path): \(systemMessage(EISDIR))") }
        let exists = try file.exists
        if !isForced, exists, kind == nil || !isOurs(file) {
            throw AuditError.exists(path, not: kind)
        }
        try requireWritable(beside: path, name: path)
    }

    /// Fails if no file can be created next to the path.
    /// - Parameter name: The name in messages.
    static func requireWritable(beside path: String, name: String) throws(AuditError) {
        let partial = partial(path)
        begin(partial)
        defer { end() }
        _ = try LineSink(path: partial, name: name)
        guard unsafe unlink(partial) == 0 else { throw AuditError("\(partial): \(systemMessage(errno))") }
    }
}
