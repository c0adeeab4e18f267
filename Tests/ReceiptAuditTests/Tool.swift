import Foundation
import TestSupport

/// A process of the built tool, with pipes.
struct Tool {
    let process = Process()
    let input = Pipe()
    let output = Pipe()
    let messages = Pipe()

    /// Runs the tool and waits for its end.
    static func run(_ arguments: String..., stdin: [UInt8] = []) throws -> EndedProcess {
        try run(arguments, stdin: stdin)
    }

    static func run(_ arguments: [String], stdin: [UInt8] = []) throws -> EndedProcess {
        let tool = try Tool(arguments)
        try tool.input.fileHandleForWriting.write(contentsOf: stdin)
        try tool.input.fileHandleForWriting.close()
        let output = try tool.output.fileHandleForReading.readToEnd() ?? Data()
        let messages = try tool.messages.fileHandleForReading.readToEnd() ?? Data()
        tool.process.waitUntilExit()
        return EndedProcess(status: tool.process.terminationStatus, bytes: output, messages: messages)
    }

    init(_ arguments: [String], output file: String? = nil, environment: [String: String] = [:]) throws {
        process.executableURL = URL(filePath: BuiltTool.path)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = input
        process.standardOutput =
            try file.map { try FileHandle(forWritingTo: URL(filePath: $0)) as Any } ?? output
        process.standardError = messages
        try process.run()
    }
}
