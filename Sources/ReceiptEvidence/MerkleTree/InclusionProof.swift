/// That a record is in the tree whose root an audit told (RFC 6962, 2.1.1).
package struct InclusionProof: Hashable, Sendable {
    package let leaf: AuditLeaf
    /// From 0 on.
    package let index: UInt64
    package let treeSize: UInt64
    /// The neighbours on the way from the leaf to the root, 32 bytes each.
    package let path: [[UInt8]]

    package init(leaf: AuditLeaf, index: UInt64, treeSize: UInt64, path: [[UInt8]]) {
        (self.leaf, self.index, self.treeSize, self.path) = (leaf, index, treeSize, path)
    }

    /// What a bundle has of it.
    package var files: [EvidenceFile] {
        [
            EvidenceFile("inclusion/leaf", leaf.bytes),
            EvidenceFile("inclusion/path", path.flatMap { $0 }),
            EvidenceFile("inclusion/place", "\(index) \(treeSize)\n"),
        ]
    }
}
