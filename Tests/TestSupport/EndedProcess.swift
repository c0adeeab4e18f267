import Foundation

/// A process that has ended, and its output.
package struct EndedProcess: Sendable {
    package let status: Int32
    package let bytes: [UInt8]
    package let messages: String

    package var output: String { String(decoding: bytes, as: UTF8.self) }

    package init(status: Int32, bytes: some Sequence<UInt8>, messages: some Sequence<UInt8>) {
        self.status = status
        self.bytes = Array(bytes)
        self.messages = String(decoding: Array(messages), as: UTF8.self)
    }

    /// Runs a command of PATH, and waits for its end.
    package init(_ command: [String], in folder: String? = nil) throws {
        // A file never blocks the process, while a full pipe would.
        let files = try Workplace()
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        if let folder { process.currentDirectoryURL = URL(filePath: folder) }
        let (output, messages) = (try files.write([], to: "output"), try files.write([], to: "messages"))
        process.standardOutput = try FileHandle(forWritingTo: URL(filePath: output))
        process.standardError = try FileHandle(forWritingTo: URL(filePath: messages))
        try process.run()
        process.waitUntilExit()
        self.init(
            status: process.terminationStatus, bytes: try files.read("output"),
            messages: try files.read("messages"))
    }
}
