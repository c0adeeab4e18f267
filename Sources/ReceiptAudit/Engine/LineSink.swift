import ReceiptJSON

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Where the lines of NDJSON go: a file, or standard output.
final class LineSink {
    private let name: String
    private let descriptor: Int32
    /// Bytes in the file.
    private(set) var position = 0
    /// Bytes behind the place to which a killed run had come. They are its own only where they are what is written
    /// there now: any other file would be lost.
    private var leftover = 0
    /// Of the lines up to the position; nil where nobody asked for one.
    private var digester: LineDigest?

    /// Nobody else's: what is audited are customers' accounts and purchases. The umask may take more away.
    static let mode: mode_t = 0o600

    /// - Parameters:
    ///   - path: `-` is standard output.
    ///   - name: for messages, where the path is not what the user gave.
    ///   - progress: how far a run that is resumed had come. Nil for a new file.
    ///   - digest: SHA-256, for a ``digest`` of the lines.
    /// - Throws: ``AuditError`` where it cannot be made, is there already, or holds other lines.
    init(
        path: String, name: String? = nil, resuming progress: AuditDatabase.Progress? = nil,
        digest: (([UInt8]) -> [UInt8]?)? = nil
    ) throws(AuditError) {
        let name = name ?? (path == "-" ? "standard output" : path)
        self.name = name
        digester = digest.map(LineDigest.init)
        let position = progress?.ndjsonBytes
        guard path != "-" else {
            descriptor = STDOUT_FILENO
            return
        }
        let flags =
            switch position {
            case nil: O_WRONLY | O_CREAT | O_EXCL
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
        if digester == nil { lseek(descriptor, off_t(position), SEEK_SET) } else { try recognise(position) }
        if position > 0, let made = try self.digest(), made != progress?.ndjsonDigest {
            throw AuditError("\(name): \(Self.otherLines)")
        }
        self.position = position
        leftover = size - position
    }

    deinit { if descriptor != STDOUT_FILENO { close(descriptor) } }

    /// Of the lines up to the position, as text; nil where nobody asked for one.
    func digest() throws(AuditError) -> String? { try digester?.text() }

    /// Takes the digest of what a killed run wrote.
    private func recognise(_ count: Int) throws(AuditError) {
        var left = count
        while left > 0 {
            let (bytes, failure) = read(min(left, 1 << 16))
            guard failure == nil, !bytes.isEmpty else {
                throw AuditError("\(name): \(systemMessage(failure ?? EIO))")
            }
            unsafe bytes.withUnsafeBytes { unsafe digester?.add($0) }
            left -= bytes.count
        }
    }

    /// The next bytes of the file; none at its end.
    private func read(_ count: Int) -> (bytes: [UInt8], failure: Int32?) {
        var failure: Int32?
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { bytes, found in
            var received = 0
            repeat {
                received = unsafe systemRead(descriptor, bytes.baseAddress, count)
            } while received < 0 && errno == EINTR
            if received < 0 { failure = errno }
            found = max(received, 0)
        }
        return (bytes, failure)
    }

    /// Writes all of the lines, at once.
    func write(_ lines: borrowing JSONWriter) throws(AuditError) {
        try check(unsafe lines.withBytes { unsafe writeAll($0) }, count: lines.count)
    }

    /// Writes all of the bytes, at once.
    func write(_ bytes: [UInt8]) throws(AuditError) {
        try check(unsafe bytes.withUnsafeBytes { unsafe writeAll($0) }, count: bytes.count)
    }

    /// Waits until what was written outlives a loss of power, where it goes to a disk.
    func synchronise() throws(AuditError) {
        guard descriptor != STDOUT_FILENO, fsync(descriptor) != 0, errno != EINVAL, errno != EROFS else {
            return
        }
        throw AuditError("\(name): \(systemMessage(errno))")
    }

    /// Fails where more is there than all the lines.
    func requireEnd() throws(AuditError) { if leftover > 0 { try check(Self.otherLines, count: 0) } }

    private static let otherLines = "contains other lines than this run writes; left unchanged"

    private func check(_ error: String?, count: Int) throws(AuditError) {
        if let error { throw AuditError("\(name): \(error)") }
        position += count
    }

    /// - Returns: what went wrong, if anything did.
    private func writeAll(_ buffer: UnsafeRawBufferPointer) -> String? {
        var done = 0
        while done < buffer.count && leftover > 0 {
            let (found, failure) = read(min(leftover, buffer.count - done))
            // A file that cannot be read is not one of other lines.
            if let failure { return systemMessage(failure) }
            guard !found.isEmpty, unsafe buffer[done...].starts(with: found) else { return Self.otherLines }
            done += found.count
            leftover -= found.count
        }
        while done < buffer.count {
            let written = unsafe systemWrite(
                descriptor, buffer.baseAddress?.advanced(by: done), buffer.count - done)
            if written < 0 && errno == EINTR { continue }
            if written < 0 { return systemMessage(errno) }
            done += written
        }
        unsafe digester?.add(buffer)
        return nil
    }
}
