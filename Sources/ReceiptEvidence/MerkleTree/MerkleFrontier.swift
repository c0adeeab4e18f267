package import AppReceipt

/// A tree to which leaves are added in order: of a million of them it holds twenty hashes.
package struct MerkleFrontier: Hashable, Sendable {
    package private(set) var count: UInt64 = 0
    /// The whole subtrees, the largest first: one for each bit of the count.
    private var subtrees: [SHA256Digest] = []

    /// Without leaves.
    package init() {}

    /// As ``bytes`` had it.
    /// - Returns: nil where these are not as many hashes as so many leaves leave.
    package init?(count: UInt64, bytes: [UInt8]) {
        guard bytes.count == count.nonzeroBitCount * SHA256Digest.count else { return nil }
        self.count = count
        subtrees = stride(from: 0, to: bytes.count, by: SHA256Digest.count).compactMap {
            SHA256Digest(bytes[$0..<$0 + SHA256Digest.count])
        }
    }

    /// All that is needed beside the count to go on.
    package var bytes: [UInt8] { subtrees.flatMap(\.bytes) }

    /// Adds the hash of a leaf.
    /// - Throws: `ReceiptError`, where OpenSSL fails; nothing is to be made of the tree then.
    package mutating func append(_ leaf: SHA256Digest, of tree: MerkleTree) throws(ReceiptError) {
        var hash = leaf
        for _ in 0..<(~count).trailingZeroBitCount { hash = try tree.node(subtrees.removeLast(), hash) }
        subtrees.append(hash)
        count += 1
    }

    /// The number that stands for all leaves, in their order.
    package func root(of tree: MerkleTree) throws(ReceiptError) -> SHA256Digest {
        guard var hash = subtrees.last else { return try tree.empty() }
        for left in subtrees.dropLast().reversed() { hash = try tree.node(left, hash) }
        return hash
    }
}
