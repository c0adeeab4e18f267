import Foundation
import TestSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The built executable, which each test runs as a process in a temporary folder.
final class CommandLineTool {
    struct Answer {
        var status: Int32
        var output: String
        var errors: String

        var lines: [Substring] { output.split(separator: "\n") }
        var errorLines: [Substring] { errors.split(separator: "\n") }

        /// The lines of the output as JSON objects.
        var objects: [[String: Any]] {
            get throws {
                try lines.map { line in
                    let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
                    return object as? [String: Any] ?? [:]
                }
            }
        }
    }

    private let workplace: Workplace

    init() throws { workplace = try Workplace() }

    /// The working directory of the process. Tests use paths relative to it.
    var folder: URL { URL(filePath: workplace.path) }

    /// Writes a file to the folder and creates its parent directories.
    func write(_ bytes: [UInt8], to name: String) throws { try workplace.write(bytes, to: name) }

    /// Runs the tool.
    ///
    /// - Parameters:
    ///   - files: Additional arguments.
    ///   - input: The content of standard input.
    ///   - shell: A script for `sh` in which `"$@"` stands for the tool and its arguments, or nil.
    ///   - environment: Changes to the tests' own environment. nil removes a variable.
    func run(
        _ arguments: String..., files: [String] = [], input: [UInt8] = [], shell: String? = nil,
        environment: [String: String?] = [:]
    ) throws -> Answer {
        // A file never blocks the process, while a full pipe would.
        let output = try emptyFile()
        let answer = try start(
            arguments + files, input: input, shell: shell, environment: environment,
            output: FileHandle(forWritingTo: output))
        return Answer(
            status: answer.status, output: String(decoding: try Data(contentsOf: output), as: UTF8.self),
            errors: answer.errors)
    }

    /// Runs the tool with a terminal as standard output.
    func runOnTerminal(
        _ arguments: String..., files: [String] = [], columns: UInt16 = 100,
        environment: [String: String?] = [:]
    ) throws -> Answer {
        var controller: Int32 = -1
        var terminal: Int32 = -1
        var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        guard unsafe openpty(&controller, &terminal, nil, nil, &size) == 0 else {
            throw CocoaError(.fileReadUnknown)
        }
        let environment = environment.merging(["TERM": "xterm"]) { given, _ in given }
        var output: [UInt8] = []
        var answer = try start(
            arguments + files, input: [], shell: nil, environment: environment,
            output: FileHandle(fileDescriptor: terminal, closeOnDealloc: false)
        ) {
            // After the last handle of the terminal is closed, the controller reads the remaining output and
            // then fails.
            close(terminal)
            var bytes = [UInt8](repeating: 0, count: 4096)
            while case let count = unsafe read(controller, &bytes, bytes.count), count > 0 {
                output += bytes.prefix(count)
            }
            close(controller)
        }
        answer.output = String(decoding: output, as: UTF8.self).replacing("\r\n", with: "\n")
        return answer
    }

    private func start(
        _ arguments: [String], input: [UInt8], shell: String?, environment: [String: String?],
        output: FileHandle,
        whileRunning: () -> Void = {}
    ) throws -> Answer {
        let errors = try emptyFile()
        let source = try emptyFile()
        try Data(input).write(to: source)
        let process = Process()
        if let shell {
            process.executableURL = URL(filePath: "/bin/sh")
            process.arguments = ["-c", shell, "sh", BuiltTool.path] + arguments
        } else {
            process.executableURL = URL(filePath: BuiltTool.path)
            process.arguments = arguments
        }
        process.environment = ProcessInfo.processInfo.environment
        for (name, value) in environment { process.environment?[name] = value }
        process.currentDirectoryURL = folder
        process.standardInput = try FileHandle(forReadingFrom: source)
        process.standardOutput = output
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.run()
        whileRunning()
        process.waitUntilExit()
        let text = String(decoding: try Data(contentsOf: errors), as: UTF8.self)
        return Answer(status: process.terminationStatus, output: "", errors: text)
    }

    /// Creates an empty hidden file, which the tool ignores in folders.
    private func emptyFile() throws -> URL {
        let url = folder.appending(path: ".\(UUID().uuidString)")
        try Data().write(to: url)
        return url
    }
}
