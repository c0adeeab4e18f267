import ArgumentParser
import ReceiptAudit

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Something that ends the command: one line on standard error and an exit status.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

enum StandardOutput {
    /// Writes all of the bytes.
    /// - Throws: ``Failure`` where they cannot be written, for example to a full disk: an answer that was not
    ///   given in full must not end with a status that says it was.
    static func write(_ bytes: [UInt8]) throws(Failure) {
        guard let error = writeAll(bytes, to: STDOUT_FILENO) else { return }
        throw Failure("standard output: \(unsafe String(cString: strerror(error)))")
    }

    static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }
}

enum StandardError {
    /// Writes a line, control characters escaped. There is nowhere to report a failure to.
    static func writeLine(_ line: String) {
        _ = writeAll(Array("appreceipt: \(line.printable)\n".utf8), to: STDERR_FILENO)
    }

    /// Writes why the command fails, in one line, control characters escaped.
    static func writeError(_ message: String) {
        _ = writeAll(Array("error: \(message.printable)\n".utf8), to: STDERR_FILENO)
    }

    /// Writes a message of several lines, control characters escaped, also line ends that an argument brought in.
    static func write(message: String, quoting arguments: [String]) {
        var message = message
        for argument in arguments where argument.printable != argument {
            message = message.replacing(argument, with: argument.printable)
        }
        let lines = message.split(separator: "\n", omittingEmptySubsequences: false)
        let text = lines.map { String($0).printable }.joined(separator: "\n")
        _ = writeAll(Array("\(text)\n".utf8), to: STDERR_FILENO)
    }

    /// Puts a line in place of the one that was shown before.
    static func show(_ line: String) {
        _ = writeAll(Array("\r\u{1B}[K\(line.printable)".utf8), to: STDERR_FILENO)
    }

    static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }
}

/// The error number where not all of the bytes could be written.
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
