package import AppReceipt

/// The files of a proof in a bundle, which ``EvidenceScript`` reads:
/// - `leaf`: the leaf as it was hashed.
/// - `path`: the hashes of the path, concatenated.
/// - `place`: the leaf's index and the tree's size as text.
/// - `root`: the Merkle root that follows from the proof, to compare with the audit's.
extension InclusionProof {
    private static let folder = "inclusion/"
    package static let names = ["leaf", "path", "place", "root"].map { folder + $0 }

    /// Returns the files of the proof.
    /// - Throws: `ReceiptError` if OpenSSL fails.
    package func files(_ tree: MerkleTree) throws(ReceiptError) -> [EvidenceFile] {
        let contents = [
            leaf.bytes, path.flatMap(\.bytes), Array("\(index) \(treeSize)\n".utf8),
            Array("\(try root(of: tree)?.text ?? "")\n".utf8),
        ]
        return zip(Self.names, contents).map { EvidenceFile($0, $1) }
    }

    /// Reads the output of ``files(_:)``, or returns nil if the files are not a proof or state another root.
    /// - Throws: `ReceiptError` if OpenSSL fails.
    package init?(_ files: [EvidenceFile], _ tree: MerkleTree) throws(ReceiptError) {
        let contents = Self.names.compactMap { name in files.first { $0.path == name }?.bytes }
        guard contents.count == Self.names.count, let leaf = AuditLeaf(parsing: contents[0]),
            contents[1].count.isMultiple(of: SHA256Digest.count), contents[2].allSatisfy({ $0 < 0x80 })
        else { return nil }
        let path = stride(from: 0, to: contents[1].count, by: SHA256Digest.count).compactMap {
            SHA256Digest(contents[1][$0..<$0 + SHA256Digest.count])
        }
        let numbers = String(decoding: contents[2], as: UTF8.self).split(separator: " ").map {
            UInt64($0.last == "\n" ? $0.dropLast() : $0)
        }
        guard numbers.count == 2, let index = numbers[0], let treeSize = numbers[1] else { return nil }
        self.init(leaf: leaf, index: index, treeSize: treeSize, path: path)
        guard try root(of: tree) != nil else { return nil }
        let own = try self.files(tree)
        guard Self.names.indices.allSatisfy({ own[$0].bytes == contents[$0] }) else { return nil }
    }
}
