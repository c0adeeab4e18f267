import Foundation

/// A temporary folder for a test, removed afterwards.
package final class Workplace: Sendable {
    package let path: String

    package init() throws {
        path = NSTemporaryDirectory() + "appreceipt-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    package func file(_ name: String) -> String { path + "/" + name }

    /// Writes a file and creates its parent directories.
    @discardableResult
    package func write(_ bytes: some Sequence<UInt8>, to name: String) throws -> String {
        let url = URL(filePath: file(name))
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: url)
        return url.path
    }

    package func read(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: file(name))))
    }

    /// Runs a script in the folder with `sh`, up to the first command that fails.
    /// - Throws: ``ScriptFailure`` if a command failed.
    package func shell(_ script: String) throws {
        let process = try EndedProcess(["sh", "-ec", script], in: path)
        guard process.status == 0 else {
            throw ScriptFailure(script: script, status: process.status, messages: process.messages)
        }
    }

    package struct ScriptFailure: Error {
        package let script: String
        package let status: Int32
        package let messages: String
    }
}
