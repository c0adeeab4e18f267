import Foundation
import TestSupport

/// The `openssl` command line, which these tests use for cross-checks.
struct OpenSSLTool {
    /// Runs `openssl` in a temporary folder that contains `files`. Arguments name the files by their keys.
    static func run(_ arguments: [String], files: [String: [UInt8]]) throws -> EndedProcess {
        let workplace = try Workplace()
        for (name, bytes) in files { try workplace.write(bytes, to: name) }
        return try EndedProcess(["openssl"] + arguments, in: workplace.path)
    }

    /// Runs `openssl cms -verify` on a receipt under a root at a time (seconds since 1970). The output is the
    /// payload.
    static func verify(_ receipt: [UInt8], root: [UInt8], at time: Int = 1_717_236_000) throws -> EndedProcess
    {
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
