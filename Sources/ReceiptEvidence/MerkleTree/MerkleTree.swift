package import AppReceipt

/// The hashes of RFC 6962, section 2.1, with SHA-256: one number stands for a list of any length, and some twenty hashes
/// show of a million leaves that one of them is among them, and at which place.
///
/// A leaf begins with 0x00 and a node with 0x01, so that none can be taken for the other.
package struct MerkleTree: Sendable {
    private let verifier: ReceiptVerifier
    private static let leafMark: [UInt8] = [0]

    /// - Parameter verifier: lends its SHA-256.
    package init(_ verifier: ReceiptVerifier) { self.verifier = verifier }

    /// The root of a list of nothing.
    /// - Throws: `ReceiptError`, where OpenSSL fails; so do the others.
    package func empty() throws(ReceiptError) -> SHA256Digest { try verifier.digest(of: Span()) }

    package func leaf(_ bytes: Span<UInt8>) throws(ReceiptError) -> SHA256Digest {
        try verifier.digest(of: Self.leafMark.span, bytes)
    }

    /// A leaf in parts.
    /// - Parameter head: with the mark before it.
    func leaf(marked head: Span<UInt8>, _ second: Span<UInt8>, _ third: Span<UInt8>) throws(ReceiptError)
        -> SHA256Digest
    {
        try verifier.digest(of: head, second, third)
    }

    package func node(_ left: SHA256Digest, _ right: SHA256Digest) throws(ReceiptError) -> SHA256Digest {
        try verifier.digest(of: 1, left, right)
    }
}
