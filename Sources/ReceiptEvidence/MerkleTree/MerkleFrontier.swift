package import AppReceipt

/// A Merkle tree that leaves are appended to in order. For a million leaves it stores at most 20 hashes.
package struct MerkleFrontier: Hashable, Sendable {
    package private(set) var count: UInt64 = 0
    /// The roots of the complete subtrees, largest first: one for each bit set in the count.
    private var subtrees: [SHA256Digest] = []

    /// Creates a tree without leaves.
    package init() {}

    /// Restores a tree from the output of ``bytes``, or returns nil if the number of hashes does not match
    /// `count`.
    package init?(count: UInt64, bytes: [UInt8]) {
        guard bytes.count == count.nonzeroBitCount * SHA256Digest.count else { return nil }
        self.count = count
        subtrees = stride(from: 0, to: bytes.count, by: SHA256Digest.count).compactMap {
            SHA256Digest(bytes[$0..<$0 + SHA256Digest.count])
        }
    }

    /// The state that, with the count, restores the tree.
    package var bytes: [UInt8] { subtrees.flatMap(\.bytes) }

    /// Appends the hash of a leaf.
    /// - Throws: `ReceiptError` if OpenSSL fails. The tree is then unusable.
    package mutating func append(_ leaf: SHA256Digest, of tree: MerkleTree) throws(ReceiptError) {
        var hash = leaf
        for _ in 0..<(~count).trailingZeroBitCount { hash = try tree.node(subtrees.removeLast(), hash) }
        subtrees.append(hash)
        count += 1
    }

    /// Returns the Merkle root of all leaves.
    /// - Throws: `ReceiptError` if OpenSSL fails.
    package func root(of tree: MerkleTree) throws(ReceiptError) -> SHA256Digest {
        guard var hash = subtrees.last else { return try tree.empty() }
        for left in subtrees.dropLast().reversed() { hash = try tree.node(left, hash) }
        return hash
    }
}
