package import AppReceipt

/// One verdict with all that it rests on, as files.
package struct EvidenceBundle: Sendable {
    /// In the order of their names, those of folders behind the others; the last one is the manifest over all others.
    package let files: [EvidenceFile]
    /// SHA-256 of the manifest: the one number that fixes the bundle.
    package let digest: [UInt8]

    package static let manifest = "SHA256SUMS"

    /// - Parameters:
    ///   - files: all but the manifest.
    ///   - verifier: takes the digests.
    /// - Throws: ``ReceiptError`` with code `unreadable` where OpenSSL fails.
    package init(_ files: [EvidenceFile], _ verifier: ReceiptVerifier) throws(ReceiptError) {
        var lines: [UInt8] = []
        // As a shell lists them with LC_ALL=C.
        let files = files.sorted {
            ($0.path.contains("/") ? 1 : 0, $0.path) < ($1.path.contains("/") ? 1 : 0, $1.path)
        }
        for file in files {
            // As sha256sum writes them, and reads them with --check.
            lines += try "\(hexadecimal(verifier.digest(of: file.bytes)))  \(file.path)\n".utf8
        }
        self.files = files + [EvidenceFile(Self.manifest, lines)]
        digest = try verifier.digest(of: lines)
    }

    package subscript(path: String) -> [UInt8]? { files.first { $0.path == path }?.bytes }
}

extension ReceiptVerifier {
    /// - Throws: ``ReceiptError`` with code `unreadable` where OpenSSL fails.
    func digest(of bytes: [UInt8]) throws(ReceiptError) -> [UInt8] {
        guard let digest = sha256(of: bytes) else { throw .cryptographyUnavailable }
        return digest
    }
}
