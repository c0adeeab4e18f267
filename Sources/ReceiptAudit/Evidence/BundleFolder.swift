import AppReceipt
import ReceiptEvidence
import RecordSources
import SystemLibrary

/// The folder of a self-contained bundle, and the list of its files.
final class BundleFolder {
    let path: String
    private let verifier: ReceiptVerifier
    /// The files in the order of writing.
    private(set) var files: [(path: String, bytes: Int, sha256: String)] = []

    /// Creates the folder for its owner alone.
    /// - Parameter resuming: A file in the folder that an interrupted run left. If nil, the folder must be
    ///   new or empty.
    init(_ path: String, resuming: String? = nil, _ verifier: ReceiptVerifier) throws(AuditError) {
        (self.path, self.verifier) = (path, verifier)
        if let resuming, try InputFile(path: "\(path)/\(resuming)").exists { return }
        _ = try NewFolder(path)
    }

    /// Removes what interrupted runs left: unfinished files in all subfolders, and a journal without content.
    func removeAbandoned() {
        for name in (try? BundleCheck.files(in: path, below: "")) ?? [] where UnfinishedFile.isName(name) {
            _ = unsafe unlink(path(of: name))
        }
        let journal = path(of: "\(Audit.Name.database)-journal")
        // SQLite overwrites the header with zeros after the last transaction: https://www.sqlite.org/fileformat2.html, 3.
        let header = try? InputFile(path: journal).start(8)
        if let header, header.allSatisfy({ $0 == 0 }) { _ = unsafe unlink(journal) }
    }

    func path(of name: String) -> String { "\(path)/\(name)" }

    /// Creates a subfolder if it does not exist.
    func makeFolder(_ name: String) throws(AuditError) { try NewFolder.make(path(of: name)) }

    /// Writes a file completely or not at all, and lists it.
    func write(_ name: String, _ body: (LineSink) throws -> Void) throws {
        try UnfinishedFile.write(to: path(of: name), body)
        try list(name)
    }

    func write(_ name: String, _ text: String) throws {
        try write(name) { try $0.write(Array(text.utf8)) }
    }

    /// Writes a bundle.
    /// - Parameter name: The name of its subfolder followed by a slash, or empty for this folder.
    func write(_ bundle: EvidenceBundle, to name: String) throws {
        if !name.isEmpty { try makeFolder(name) }
        for file in bundle.files {
            if let end = file.path.lastIndex(of: "/") { try makeFolder(name + file.path[..<end]) }
            try write(name + file.path) { try $0.write(file.bytes) }
        }
    }

    /// Computes the digest of a written file and lists it.
    func list(_ name: String) throws {
        let stream = try ByteStream(path: path(of: name), digest: verifier.streamDigest())
        guard let facts = try stream.facts(of: name) else { throw LineDigest.failure }
        files.append((name, facts.bytes, hexadecimal(facts.sha256)))
    }

    /// Writes the digests of all listed files in the format of sha256sum.
    /// - Returns: The digest of the list itself.
    func writeSums() throws -> String {
        let text = files.sorted { $0.path < $1.path }.map { "\($0.sha256)  \($0.path)\n" }.joined()
        try write(EvidenceBundle.manifest, text)
        return files.last?.sha256 ?? ""
    }
}
