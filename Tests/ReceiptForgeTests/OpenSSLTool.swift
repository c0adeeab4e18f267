import Foundation

/// The `openssl` command line, which these tests use for cross-checks.
struct OpenSSLTool {
    struct Result {
        var status: Int32
        var output: [UInt8]
        var text: String
    }

    /// Runs `openssl` in a temporary folder that contains `files`. Arguments name the files by their keys.
    static func run(_ arguments: [String], files: [String: [UInt8]]) throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: "forge-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, bytes) in files { try Data(bytes).write(to: folder.appending(path: name)) }
        let messages = folder.appending(path: "messages")
        try Data().write(to: messages)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.currentDirectoryURL = folder
        let output = Pipe()
        process.standardOutput = output
        process.standardError = try FileHandle(forWritingTo: messages)
        try process.run()
        let bytes = [UInt8](try output.fileHandleForReading.readToEnd() ?? Data())
        process.waitUntilExit()
        let text = String(decoding: try Data(contentsOf: messages), as: UTF8.self)
        return Result(
            status: process.terminationStatus, output: bytes,
            text: text + String(decoding: bytes, as: UTF8.self))
    }

    /// Runs `openssl cms -verify` on a receipt under a root at a time (seconds since 1970). The output is the
    /// payload.
    static func verify(_ receipt: [UInt8], root: [UInt8], at time: Int = 1_717_236_000) throws -> Result {
        let pem =
            "-----BEGIN CERTIFICATE-----\n"
            + Data(root).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
            + "\n-----END CERTIFICATE-----\n"
        return try run(
            [
                "cms", "-verify", "-binary", "-inform", "DER", "-in", "receipt.der", "-CAfile", "root.pem",
                "-no-CApath", "-no-CAstore", "-purpose", "any", "-attime", String(time),
            ], files: ["receipt.der": receipt, "root.pem": Array(pem.utf8)])
    }
}
