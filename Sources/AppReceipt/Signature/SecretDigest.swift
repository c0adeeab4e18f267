/// The SHA-256 of a secret. The time of a comparison reveals neither the secret nor its length, and printing
/// a value does not print the secret.
package struct SecretDigest: Sendable {
    private let digest: Digest
    private let context: CryptoContext

    /// Creates the digest of a secret.
    /// - Throws: ``ReceiptError`` with code `unreadable` if OpenSSL fails.
    package init(of secret: [UInt8], _ verifier: ReceiptVerifier) throws(ReceiptError) {
        context = verifier.context
        digest = try context.digest(.sha256, of: secret.span)
    }

    /// Compares in constant time.
    /// - Throws: ``ReceiptError`` with code `unreadable` if OpenSSL fails.
    package func equals(_ offered: [UInt8]) throws(ReceiptError) -> Bool {
        digest.equals(try context.digest(.sha256, of: offered.span).bytes.span)
    }
}
