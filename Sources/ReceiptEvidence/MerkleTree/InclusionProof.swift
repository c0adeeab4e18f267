package import AppReceipt

/// A proof that a record is part of an audit's tree (RFC 6962, 2.1.1).
package struct InclusionProof: Hashable, Sendable {
    package let leaf: AuditLeaf
    /// The index of the leaf, from 0: the record's number in the database minus 1.
    package let index: UInt64
    package let treeSize: UInt64
    /// The sibling hash at each node above the leaf, from the leaf upward.
    package let path: [SHA256Digest]

    /// Creates the proof of a leaf.
    /// - Parameters:
    ///   - root: A closure that returns the root of a range of leaves. The initializer calls it for each
    ///     sibling, from the leaf upward. Together, these ranges contain every leaf but this one, each once.
    /// - Throws: Any error that `root` throws.
    package init(
        _ leaf: AuditLeaf, at index: UInt64, of treeSize: UInt64,
        root: (Range<UInt64>) throws -> SHA256Digest
    ) rethrows {
        (self.leaf, self.index, self.treeSize) = (leaf, index, treeSize)
        path = try Self.others(above: index, of: treeSize).map { try root($0.leaves) }
    }

    init(leaf: AuditLeaf, index: UInt64, treeSize: UInt64, path: [SHA256Digest]) {
        (self.leaf, self.index, self.treeSize, self.path) = (leaf, index, treeSize, path)
    }

    /// Returns the root that follows from the proof.
    /// - Returns: Nil if a tree of that size has no such leaf, or if the path of the leaf has another length.
    /// - Throws: `ReceiptError` if OpenSSL fails.
    package func root(of tree: MerkleTree) throws(ReceiptError) -> SHA256Digest? {
        guard index < treeSize else { return nil }
        let others = Self.others(above: index, of: treeSize)
        guard others.count == path.count else { return nil }
        var hash = try tree.leaf(leaf.bytes.span)
        for (other, sibling) in zip(others, path) {
            hash = try other.isLeft ? tree.node(sibling, hash) : tree.node(hash, sibling)
        }
        return hash
    }

    /// Returns the range of leaves below each sibling on the path, from the leaf upward.
    private static func others(
        above index: UInt64, of treeSize: UInt64
    ) -> [(leaves: Range<UInt64>, isLeft: Bool)] {
        guard index < treeSize else { return [] }
        var others: [(leaves: Range<UInt64>, isLeft: Bool)] = []
        var tree = 0..<treeSize
        while tree.upperBound - tree.lowerBound > 1 {
            let last = tree.upperBound - tree.lowerBound - 1
            // The largest power of two below the count.
            let half = tree.lowerBound + (1 << (63 - UInt64(last.leadingZeroBitCount)))
            let isLeft = index >= half
            others.append((isLeft ? tree.lowerBound..<half : half..<tree.upperBound, isLeft))
            tree = isLeft ? half..<tree.upperBound : tree.lowerBound..<half
        }
        return others.reversed()
    }
}
