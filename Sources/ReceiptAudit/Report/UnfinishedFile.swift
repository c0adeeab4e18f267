import Foundation
import Synchronization

/// A file that is renamed when it is whole; until then whatever ends the process takes it along.
package enum UnfinishedFile {
    /// The address of its path; 0 where there is none.
    private static let address = Atomic<UInt>(0)

    /// Every path that was named: none is given back, because a signal may come at any time.
    private static let paths = Mutex<[UInt]>([])

    /// Names the file before it is made.
    static func begin(_ path: String) {
        let copy = unsafe UInt(bitPattern: strdup(path))
        paths.withLock { $0.append(copy) }
        address.store(copy, ordering: .releasing)
    }

    static func end() { address.store(0, ordering: .releasing) }

    /// Removes the file, if there is one. Calls nothing that a signal's handler must not.
    package static func remove() {
        guard let path = unsafe UnsafePointer<CChar>(bitPattern: address.load(ordering: .acquiring)) else {
            return
        }
        _ = unsafe unlink(path)
    }

    // MARK: - Writing

    /// A name that is nobody's yet: beside the path, where it can be renamed.
    private static func partial(_ path: String) -> String { "\(path).\(UUID().uuidString).part" }

    /// Writes beside the path and renames, so that what stands at the path is whole. What fails leaves nothing behind.
    static func write(to path: String, _ body: (LineSink) throws -> Void) throws {
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

    /// Fails before hours of work where the file could not be written after them.
    /// - Parameters:
    ///   - kind: what may stand there to be replaced; nil where nothing may.
    ///   - isOurs: whether a file is such a one.
    /// - Throws: ``AuditError``.
    static func requireRoom(
        at path: String, replacing kind: String?, isOurs: (InputFile) -> Bool
    ) throws(AuditError) {
        let file = InputFile(path: path)
        if try file.exists, kind == nil || !isOurs(file) {
            throw AuditError.exists(path, not: kind)
        }
        try requireRoom(beside: path, name: path)
    }

    /// Fails where no file can be made beside the path.
    /// - Parameter name: for the message.
    /// - Throws: ``AuditError``.
    static func requireRoom(beside path: String, name: String) throws(AuditError) {
        let partial = partial(path)
        begin(partial)
        defer { end() }
        _ = try LineSink(path: partial, name: name)
        guard unsafe unlink(partial) == 0 else { throw AuditError("\(partial): \(systemMessage(errno))") }
    }
}
