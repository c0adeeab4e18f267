import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The built executable, run as a process in a folder of its own.
final class CommandLineTool {
    struct Answer {
        var status: Int32
        var output: String
        var errors: String

        var lines: [Substring] { output.split(separator: "\n") }
        var errorLines: [Substring] { errors.split(separator: "\n") }

        /// Each line of the output as a JSON object.
        var objects: [[String: Any]] {
            get throws {
                try lines.map { line in
                    let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
                    return object as? [String: Any] ?? [:]
                }
            }
        }
    }

    /// Working directory of the process: the tests name files as they are called here.
    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "appreceipt-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Puts a file into the folder, below directories as its name says.
    func write(_ bytes: [UInt8], to name: String) throws {
        let url = folder.appending(path: name)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: url)
    }

    /// Runs the tool.
    /// - Parameters:
    ///   - files: more arguments.
    ///   - input: what standard input holds.
    ///   - shell: runs it by way of `sh`, where `"$@"` stands for the tool and its arguments.
    ///   - environment: values beside those of the tests' own environment; nil takes a variable away.
    func run(
        _ arguments: String..., files: [String] = [], input: [UInt8] = [], shell: String? = nil,
        environment: [String: String?] = [:]
    ) throws -> Answer {
        // Files, not pipes: a process that writes much never waits for its reader.
        let output = try emptyFile()
        let answer = try start(
            arguments + files, input: input, shell: shell, environment: environment,
            output: FileHandle(forWritingTo: output))
        return Answer(
            status: answer.status, output: String(decoding: try Data(contentsOf: output), as: UTF8.self),
            errors: answer.errors)
    }

    /// Runs the tool with a terminal as its standard output.
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
            // Once nobody has the terminal open, its controller reads what is left and then fails.
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
        let tool = Self.products.appending(path: "appreceipt")
        if let shell {
            process.executableURL = URL(filePath: "/bin/sh")
            process.arguments = ["-c", shell, "sh", tool.path] + arguments
        } else {
            process.executableURL = tool
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

    /// Hidden, so that a walk through the folder does not meet it.
    private func emptyFile() throws -> URL {
        let url = folder.appending(path: ".\(UUID().uuidString)")
        try Data().write(to: url)
        return url
    }

    /// Where the build puts its products, the test bundle among them: the same for every configuration.
    private static let products: URL = {
        let bundle = Bundle.allBundles.first { $0.bundleURL.pathExtension == "xctest" }
        return bundle?.bundleURL.deletingLastPathComponent() ?? Bundle.main.bundleURL
    }()
}
