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

    /// - Parameters:
    ///   - path: `-` is standard output.
    ///   - position: where a run that is resumed had come; what stands behind it is cut off. Nil for a new file.
    /// - Throws: ``AuditError`` where it cannot be made, or is there already.
    init(path: String, resumingAt position: Int? = nil) throws(AuditError) {
        name = path == "-" ? "standard output" : path
        guard path != "-" else {
            descriptor = STDOUT_FILENO
            return
        }
        let flags = position == nil ? O_CREAT | O_EXCL : O_CREAT
        descriptor = unsafe open(path, O_WRONLY | O_CLOEXEC | flags, 0o666)
        guard descriptor >= 0 else {
            throw AuditError("\(path): \(errno == EEXIST ? "it exists already" : systemMessage(errno))")
        }
        guard let position, position > 0 else { return }
        guard lseek(descriptor, 0, SEEK_END) >= position else {
            throw AuditError("\(path): shorter than the run that is to be resumed left it")
        }
        guard ftruncate(descriptor, position) == 0, lseek(descriptor, position, SEEK_SET) == position else {
            throw AuditError("\(path): \(systemMessage(errno))")
        }
        self.position = position
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

    private func check(_ error: Int32?, count: Int) throws(AuditError) {
        if let error { throw AuditError("\(name): \(systemMessage(error))") }
        position += count
    }

    /// - Returns: the system's error, if there was one.
    private func writeAll(_ buffer: UnsafeRawBufferPointer) -> Int32? {
        var done = 0
        while done < buffer.count {
            let written = unsafe systemWrite(
                descriptor, buffer.baseAddress?.advanced(by: done), buffer.count - done)
            if written < 0 && errno == EINTR { continue }
            if written < 0 { return errno }
            done += written
        }
        return nil
    }
}
