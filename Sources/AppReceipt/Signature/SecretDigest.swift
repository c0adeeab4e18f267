/// A secret, kept as its SHA-256: comparing takes a time that tells nothing of it, not its length either, and whoever
/// prints it prints no secret.
package struct SecretDigest: Sendable {
    private let digest: Digest
    private let context: CryptoContext

    /// - Throws: ``ReceiptError`` with code `unreadable` where OpenSSL fails.
    package init(of secret: [UInt8], _ verifier: ReceiptVerifier) throws(ReceiptError) {
        context = verifier.context
        digest = try context.digest(.sha256, of: secret.span)
    }

    /// Compares in constant time.
    /// - Throws: ``ReceiptError`` with code `unreadable` where OpenSSL fails.
    package func equals(_ offered: [UInt8]) throws(ReceiptError) -> Bool {
        digest.equals(try context.digest(.sha256, of: offered.span).bytes.span)
    }
}
