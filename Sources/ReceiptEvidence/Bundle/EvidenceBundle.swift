package import AppReceipt

/// The files that document one verdict and let a reader check it.
package struct EvidenceBundle: Sendable {
    /// The files sorted by name, with files in subfolders after the others. The last one is the manifest of
    /// all others.
    package let files: [EvidenceFile]
    /// The SHA-256 of the manifest. It identifies the whole bundle.
    package let digest: [UInt8]

    package static let manifest = "SHA256SUMS"

    /// Creates a bundle and its manifest.
    /// - Parameters:
    ///   - files: The files of the bundle except the manifest.
    ///   - verifier: The verifier that computes the digests.
    /// - Throws: ``ReceiptError`` with code `unreadable` if OpenSSL fails.
    package init(_ files: [EvidenceFile], _ verifier: ReceiptVerifier) throws(ReceiptError) {
        var lines: [UInt8] = []
        // A shell lists the files in this order under LC_ALL=C.
        let files = files.sorted {
            ($0.path.contains("/") ? 1 : 0, $0.path) < ($1.path.contains("/") ? 1 : 0, $1.path)
        }
        for file in files {
            // The format that sha256sum writes and that `sha256sum --check` reads.
            lines += try "\(verifier.digest(of: file.bytes.span).text)  \(file.path)\n".utf8
        }
        self.files = files + [EvidenceFile(Self.manifest, lines)]
        digest = try verifier.digest(of: lines.span).bytes
    }

    package subscript(path: String) -> [UInt8]? { files.first { $0.path == path }?.bytes }
}
