import AppReceipt
import ReceiptEvidence
import ReceiptJSON

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A folder that is handed over, and what was written into it.
final class HandedFolder {
    let path: String
    private let verifier: ReceiptVerifier
    /// In the order of writing.
    private(set) var files: [(path: String, bytes: Int, sha256: String)] = []

    /// Makes the folder, for its owner alone.
    /// - Parameter resuming: a file of it that a killed run left; nil where the folder must be new or empty.
    /// - Throws: ``AuditError``.
    init(_ path: String, resuming: String? = nil, _ verifier: ReceiptVerifier) throws(AuditError) {
        (self.path, self.verifier) = (path, verifier)
        let file = InputFile(path: path)
        guard try file.exists else {
            try Self.make(path)
            return
        }
        guard try file.isFolder else { throw AuditError("\(path): \(systemMessage(ENOTDIR))") }
        if let resuming, try InputFile(path: "\(path)/\(resuming)").exists { return }
        let (names, error) = SystemPath(path).names()
        if let error { throw AuditError("\(path): \(systemMessage(error.number))") }
        guard names.isEmpty, names.hidden == 0 else {
            throw AuditError("\(path): the folder is not empty; choose another path or empty it")
        }
    }

    private static func make(_ path: String) throws(AuditError) {
        guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw AuditError(creationMessage(path, errno))
        }
    }

    func path(of name: String) -> String { "\(path)/\(name)" }

    /// Makes a folder in it, where there is none.
    func makeFolder(_ name: String) throws(AuditError) { try Self.make(path(of: name)) }

    /// Writes a file, whole or not at all.
    /// - Parameter isListed: whether the manifest names it.
    func write(_ name: String, isListed: Bool = true, _ body: (LineSink) throws -> Void) throws {
        try UnfinishedFile.write(to: path(of: name), body)
        if isListed { try list(name) }
    }

    func write(_ name: String, isListed: Bool = true, _ text: String) throws {
        try write(name, isListed: isListed) { try $0.write(Array(text.utf8)) }
    }

    /// Writes a bundle.
    /// - Parameter name: of its folder in this one, with a slash behind; empty where it is this one.
    func write(_ bundle: EvidenceBundle, to name: String) throws {
        if !name.isEmpty { try makeFolder(name) }
        for file in bundle.files {
            if let end = file.path.lastIndex(of: "/") { try makeFolder(name + file.path[..<end]) }
            try write(name + file.path) { try $0.write(file.bytes) }
        }
    }

    /// Takes the digest of a file that is written.
    func list(_ name: String) throws {
        let stream = try ByteStream(path: path(of: name), digest: verifier.streamDigest())
        guard let facts = try stream.facts(of: name) else { throw LineDigest.failure }
        files.append((name, facts.bytes, hexadecimal(facts.sha256)))
    }

    /// The digests of all files that were listed, as sha256sum writes them.
    /// - Returns: its own digest.
    func writeSums() throws -> String {
        let text = files.sorted { $0.path < $1.path }.map { "\($0.sha256)  \($0.path)\n" }.joined()
        try write(EvidenceBundle.manifest, text)
        return files.last?.sha256 ?? ""
    }
}
