import SystemLibrary

package enum StandardError {
    /// Writes a line with control characters escaped. A failure cannot be reported anywhere.
    package static func writeLine(_ line: String) {
        _ = writeAll(Array("appreceipt: \(line.printable)\n".utf8), to: STDERR_FILENO)
    }

    /// Writes an error message of one line with control characters escaped.
    package static func writeError(_ message: String) {
        _ = writeAll(Array("error: \(message.printable)\n".utf8), to: STDERR_FILENO)
    }

    /// Writes a message of several lines with control characters escaped, including line ends from arguments.
    package static func write(message: String, quoting arguments: [String]) {
        var message = message
        for argument in arguments where argument.printable != argument {
            message = message.replacing(argument, with: argument.printable)
        }
        let lines = message.split(separator: "\n", omittingEmptySubsequences: false)
        let text = lines.map { String($0).printable }.joined(separator: "\n")
        _ = writeAll(Array("\(text)\n".utf8), to: STDERR_FILENO)
    }

    /// Replaces the line that was shown before.
    package static func show(_ line: String) {
        _ = writeAll(Array("\r\u{1B}[K\(line.printable)".utf8), to: STDERR_FILENO)
    }

    package static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }
}
