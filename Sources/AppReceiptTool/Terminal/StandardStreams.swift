import RecordSources
import StrictJSON
import SystemLibrary

/// A file that the command writes, or standard output.
struct OutputFile {
    /// The name in messages.
    private let name: String
    private let descriptor: Int32

    static let standardOutput = OutputFile(name: "standard output", descriptor: STDOUT_FILENO)

    private init(name: String, descriptor: Int32) { (self.name, self.descriptor) = (name, descriptor) }

    /// Creates a file, or opens standard output for `-`.
    ///
    /// - Parameters:
    ///   - name: The name in messages if it is not the path.
    ///   - flags: The flags that decide about an existing file.
    init(creating path: String, name: String? = nil, _ flags: Int32, mode: mode_t) throws(AuditError) {
        guard path != "-" else {
            self = .standardOutput
            return
        }
        let flags = O_WRONLY | O_CREAT | O_CLOEXEC | flags
        self.init(name: name ?? path, descriptor: unsafe open(path, flags, mode))
        if descriptor < 0 { throw failure(errno) }
    }

    func write(_ bytes: [UInt8]) throws(AuditError) {
        if let error = writeAll(bytes, to: descriptor) { throw failure(error) }
    }

    func close() throws(AuditError) {
        if descriptor != STDOUT_FILENO, SystemLibrary.close(descriptor) != 0 { throw failure(errno) }
    }

    private func failure(_ error: Int32) -> AuditError { AuditError(creationMessage(name, error)) }
}

enum StandardOutput {
    /// Writes all bytes.
    ///
    /// - Throws: ``AuditError`` if they cannot be written, for example to a full disk. An incomplete answer must
    ///   not end with the status of a complete one.
    static func write(_ bytes: [UInt8]) throws(AuditError) { try OutputFile.standardOutput.write(bytes) }

    /// Writes a line of JSON.
    static func writeLine(_ object: (inout JSONWriter) -> Void) throws(AuditError) {
        var writer = JSONWriter()
        object(&writer)
        writer.endLine()
        try write(writer.bytes)
    }

    static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }
}

enum StandardError {
    /// Writes a line with control characters escaped. A failure cannot be reported anywhere.
    static func writeLine(_ line: String) {
        _ = writeAll(Array("appreceipt: \(line.printable)\n".utf8), to: STDERR_FILENO)
    }

    /// Writes an error message of one line with control characters escaped.
    static func writeError(_ message: String) {
        _ = writeAll(Array("error: \(message.printable)\n".utf8), to: STDERR_FILENO)
    }

    /// Writes a message of several lines with control characters escaped, including line ends from arguments.
    static func write(message: String, quoting arguments: [String]) {
        var message = message
        for argument in arguments where argument.printable != argument {
            message = message.replacing(argument, with: argument.printable)
        }
        let lines = message.split(separator: "\n", omittingEmptySubsequences: false)
        let text = lines.map { String($0).printable }.joined(separator: "\n")
        _ = writeAll(Array("\(text)\n".utf8), to: STDERR_FILENO)
    }

    /// Replaces the line that was shown before.
    static func show(_ line: String) {
        _ = writeAll(Array("\r\u{1B}[K\(line.printable)".utf8), to: STDERR_FILENO)
    }

    static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }
}

/// Writes all bytes. Returns the error number if that fails.
private func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
    unsafe bytes.withUnsafeBytes { buffer in
        var rest = unsafe buffer[...]
        while unsafe !rest.isEmpty {
            let written = unsafe systemWrite(
                descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if written < 0 && errno == EINTR { continue }
            if written < 0 { return errno }
            unsafe rest = rest.dropFirst(written)
        }
        return nil
    }
}
