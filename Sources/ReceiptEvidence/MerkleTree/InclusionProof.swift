package import AppReceipt

/// That a record stands in an audit's tree: RFC 6962, section 2.1.1.
package struct InclusionProof: Hashable, Sendable {
    package let leaf: AuditLeaf
    /// Of the leaf, from 0 on: the record's number in the database less one.
    package let index: UInt64
    package let treeSize: UInt64
    /// The other half at each node above the leaf, from the leaf up.
    package let path: [SHA256Digest]

    /// - Parameters:
    ///   - root: of the leaves in a range, which are asked for from the leaf up: all but this one, each once.
    /// - Throws: what `root` throws.
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

    /// The root that follows.
    /// - Returns: nil where there is no such leaf in a tree of that size, or its path is another.
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

    /// The leaves below the other half of each node above a leaf, from the leaf up.
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
