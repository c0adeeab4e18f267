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

    /// - Parameters:
    ///   - path: `-` is standard output.
    ///   - name: for messages, where the path is not what the user gave.
    ///   - position: where a run that is resumed had come. Nil for a new file.
    /// - Throws: ``AuditError`` where it cannot be made, or is there already.
    init(path: String, name: String? = nil, resumingAt position: Int? = nil) throws(AuditError) {
        let name = name ?? (path == "-" ? "standard output" : path)
        self.name = name
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
        descriptor = unsafe open(path, O_CLOEXEC | flags, 0o666)
        guard descriptor >= 0 else {
            throw AuditError("\(name): \(errno == EEXIST ? "it exists already" : systemMessage(errno))")
        }
        guard let position else { return }
        let size = Int(lseek(descriptor, 0, SEEK_END))
        guard size < 0 || size >= position else {
            throw AuditError("\(name): shorter than the run that is to be resumed left it")
        }
        guard size >= 0, lseek(descriptor, off_t(position), SEEK_SET) == position else {
            throw AuditError("\(name): \(systemMessage(errno))")
        }
        self.position = position
        leftover = size - position
    }

    deinit { if descriptor != STDOUT_FILENO { close(descriptor) } }

    /// Writes all of the lines, at once.
    func write(_ lines: borrowing JSONWriter) throws(AuditError) {
        try check(unsafe lines.withBytes { unsafe writeAll($0) }, count: lines.count)
    }

    /// Writes all of the bytes, at once.
    func write(_ bytes: [UInt8]) throws(AuditError) {
        try check(unsafe bytes.withUnsafeBytes { unsafe writeAll($0) }, count: bytes.count)
    }

    /// Fails where more is there than all the lines.
    func requireEnd() throws(AuditError) { if leftover > 0 { try check(Self.otherLines, count: 0) } }

    private static let otherLines = "holds other lines than this run writes, and is left as it is"

    private func check(_ error: String?, count: Int) throws(AuditError) {
        if let error { throw AuditError("\(name): \(error)") }
        position += count
    }

    /// - Returns: what went wrong, if anything did.
    private func writeAll(_ buffer: UnsafeRawBufferPointer) -> String? {
        var done = 0
        while done < buffer.count && leftover > 0 {
            let wanted = min(leftover, buffer.count - done)
            var failure: Int32?
            let found = unsafe [UInt8](unsafeUninitializedCapacity: wanted) { bytes, count in
                var received = 0
                repeat {
                    received = unsafe systemRead(descriptor, bytes.baseAddress, wanted)
                } while received < 0 && errno == EINTR
                if received < 0 { failure = errno }
                count = max(received, 0)
            }
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
        return nil
    }
}
