import RecordSources
import StrictJSON
import SystemLibrary

/// The destination of NDJSON lines: a file or standard output.
final class LineSink {
    private let name: String
    private let descriptor: Int32
    /// The number of bytes in the file.
    private(set) var position = 0
    /// The number of bytes after the last commit of an interrupted run. They belong to the run only
    /// if they equal the new lines. Otherwise the file is left unchanged.
    private var leftover = 0
    /// The digest of the lines up to the position, or nil if it is not needed.
    private var digester: LineDigest?

    /// The file mode, for the owner alone: an audit contains customers' accounts and purchases. The umask may
    /// restrict it further.
    static let mode: mode_t = 0o600

    /// Opens a sink.
    /// - Parameters:
    ///   - path: The path of the file, or `-` for standard output.
    ///   - name: The name in messages, if the path is not what the user gave.
    ///   - progress: The progress of a resumed run, or nil for a new file.
    ///   - isReplacing: Whether an existing file is replaced.
    ///   - digest: The SHA-256 function for the ``digest`` of the lines.
    /// - Throws: ``AuditError`` if the file cannot be created, already exists, or contains other lines.
    init(
        path: String, name: String? = nil, resuming progress: AuditDatabase.Progress? = nil,
        isReplacing: Bool = false, digest: (([UInt8]) -> [UInt8]?)? = nil
    ) throws(AuditError) {
        let isStandardOutput = OutputPath.isStandardOutput(path)
        let name = name ?? (isStandardOutput ? "standard output" : path)
        self.name = name
        let position = progress?.ndjsonBytes
        guard !isStandardOutput else {
            digester = digest.map(LineDigest.init)
            descriptor = STDOUT_FILENO
            return
        }
        guard !OutputPath.isWrittenInPlace(path) else {
            // Lines that a device received cannot be read again.
            descriptor = unsafe open(path, O_CLOEXEC | O_WRONLY)
            guard descriptor >= 0 else { throw AuditError(creationMessage(name, errno)) }
            self.position = position ?? 0
            return
        }
        digester = digest.map(LineDigest.init)
        let flags =
            switch position {
            case nil: isReplacing ? O_WRONLY | O_CREAT | O_TRUNC : O_WRONLY | O_CREAT | O_EXCL
            case 0: O_RDWR | O_CREAT
            default: O_RDWR
            }
        descriptor = unsafe open(path, O_CLOEXEC | flags, Self.mode)
        guard descriptor >= 0 else {
            throw errno == EEXIST ? AuditError.exists(name) : AuditError(creationMessage(name, errno))
        }
        guard let position else { return }
        let size = Int(lseek(descriptor, 0, SEEK_END))
        guard size < 0 || size >= position else {
            throw AuditError("\(name): shorter than the interrupted run left it; --resume needs it unchanged")
        }
        guard size >= 0, lseek(descriptor, 0, SEEK_SET) == 0 else {
            throw AuditError("\(name): \(systemMessage(errno))")
        }
        if digester == nil { lseek(descriptor, off_t(position), SEEK_SET) } else { try recognize(position) }
        if position > 0, let made = try self.digest(), made != progress?.ndjsonDigest {
            throw AuditError("\(name): \(Self.otherLines)")
        }
        self.position = position
        leftover = size - position
    }

    deinit { if descriptor != STDOUT_FILENO { close(descriptor) } }

    /// Returns the digest of the lines up to the position as text, or nil if it is not needed.
    func digest() throws(AuditError) -> String? { try digester?.text() }

    /// Computes the digest of the lines that an interrupted run wrote.
    private func recognize(_ count: Int) throws(AuditError) {
        var left = count
        while left > 0 {
            let bytes = try AuditError.naming(name) { try systemRead(descriptor, upTo: min(left, 1 << 16)) }
            guard !bytes.isEmpty else { throw AuditError("\(name): \(systemMessage(EIO))") }
            unsafe bytes.withUnsafeBytes { unsafe digester?.add($0) }
            left -= bytes.count
        }
    }

    /// Writes all lines at once.
    func write(_ lines: borrowing JSONWriter) throws(AuditError) {
        try check(unsafe lines.withBytes { unsafe writeAll($0) }, count: lines.count)
    }

    /// Writes all bytes at once.
    func write(_ bytes: [UInt8]) throws(AuditError) {
        try check(unsafe bytes.withUnsafeBytes { unsafe writeAll($0) }, count: bytes.count)
    }

    /// Waits until the written bytes are safe from a loss of power, if they are on a disk.
    func synchronize() throws(AuditError) {
        guard descriptor != STDOUT_FILENO, fsync(descriptor) != 0, errno != EINVAL, errno != EROFS else {
            return
        }
        throw AuditError("\(name): \(systemMessage(errno))")
    }

    /// Fails if the file contains more than the written lines.
    func requireEnd() throws(AuditError) { if leftover > 0 { try check(Self.otherLines, count: 0) } }

    private static let otherLines = "contains other lines than this run writes; left unchanged"

    private func check(_ error: String?, count: Int) throws(AuditError) {
        if let error { throw AuditError("\(name): \(error)") }
        position += count
    }

    /// Writes the bytes.
    /// - Returns: The error message, or nil if there was no error.
    private func writeAll(_ buffer: UnsafeRawBufferPointer) -> String? {
        var done = 0
        while done < buffer.count && leftover > 0 {
            let found: [UInt8]
            // A file that cannot be read is not reported as one with other lines.
            do throws(SystemError) {
                found = try systemRead(descriptor, upTo: min(leftover, buffer.count - done))
            } catch {
                return systemMessage(error.number)
            }
            guard !found.isEmpty, unsafe buffer[done...].starts(with: found) else { return Self.otherLines }
            done += found.count
            leftover -= found.count
        }
        if let error = unsafe systemWriteAll(descriptor, UnsafeRawBufferPointer(rebasing: buffer[done...])) {
            return systemMessage(error)
        }
        unsafe digester?.add(buffer)
        return nil
    }
}
