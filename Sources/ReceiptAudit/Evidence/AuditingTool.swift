package import AppReceipt
import RecordSources

/// The auditing program as the manifest describes it.
package struct AuditingTool: Sendable {
    /// The SHA-256 of the program's file in hexadecimal, or nil if it cannot be read.
    package let sha256: String?
    /// The version of OpenSSL in use.
    package let openSSL: String

    /// Describes the running program.
    /// - Parameters:
    ///   - path: The path of its file, which is used if the system does not provide it.
    ///   - openSSL: The version of OpenSSL.
    package init(path: String, openSSL: String, _ verifier: ReceiptVerifier) {
        self.openSSL = openSSL
        let own = "/proc/self/exe"
        let path = (try? InputFile(path: own).exists) == true ? own : path
        let facts = try? ByteStream(path: path, digest: verifier.streamDigest()).facts(of: path)
        sha256 = facts.map { hexadecimal($0.sha256) }
    }
}
