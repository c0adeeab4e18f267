package import AppReceipt

/// The hashes of RFC 6962, section 2.1, with SHA-256. One root identifies a list of any length. About 20
/// hashes prove that a leaf is in a list of a million, and its position.
///
/// The hash input of a leaf starts with 0x00 and that of a node with 0x01, so an attacker cannot present one
/// as the other.
package struct MerkleTree: Sendable {
    private let verifier: ReceiptVerifier
    private static let leafMark: [UInt8] = [0]

    /// Creates the hash functions.
    /// - Parameter verifier: The verifier that computes SHA-256.
    package init(_ verifier: ReceiptVerifier) { self.verifier = verifier }

    /// Returns the root of an empty list.
    /// - Throws: `ReceiptError` if OpenSSL fails, like the other methods.
    package func empty() throws(ReceiptError) -> SHA256Digest { try verifier.digest(of: Span()) }

    package func leaf(_ bytes: Span<UInt8>) throws(ReceiptError) -> SHA256Digest {
        try verifier.digest(of: Self.leafMark.span, bytes)
    }

    /// Returns the hashes of leaves that include the leaf mark.
    func leaves(marked leaves: [ArraySlice<UInt8>]) throws(ReceiptError) -> [SHA256Digest] {
        try verifier.digests(ofEach: leaves)
    }

    package func node(_ left: SHA256Digest, _ right: SHA256Digest) throws(ReceiptError) -> SHA256Digest {
        try verifier.digest(of: 1, left, right)
    }
}
