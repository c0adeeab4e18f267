/// Secrets, stored as SHA-256 digests. The duration of a comparison does not reveal a secret or its length,
/// and no description contains a secret.
package struct SecretDigests: Sendable {
    private let digests: [Digest]
    private let context: CryptoContext

    /// Computes the digests of secrets.
    /// - Throws: ``ReceiptError`` with code `unreadable` if OpenSSL fails.
    package init(of secrets: [[UInt8]], _ verifier: ReceiptVerifier) throws(ReceiptError) {
        context = verifier.context
        var digests: [Digest] = []
        for secret in secrets { digests.append(try context.digest(.sha256, of: secret.span)) }
        self.digests = digests
    }

    /// Returns whether an offered secret is one of these. The duration does not reveal which one.
    /// - Throws: ``ReceiptError`` with code `unreadable` if OpenSSL fails.
    package func contain(_ offered: [UInt8]) throws(ReceiptError) -> Bool {
        let offered = try context.digest(.sha256, of: offered.span).bytes
        return digests.reduce(false) { $1.equals(offered.span) || $0 }
    }
}
