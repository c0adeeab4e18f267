/// A certificate with its private key: somebody who can sign.
public struct Identity: Sendable {
    /// What others see.
    public var certificate: Certificate
    /// What signs.
    public var key: PrivateKey

    /// A certificate and the key that belongs to it, or one that does not.
    public init(certificate: Certificate, key: PrivateKey) {
        (self.certificate, self.key) = (certificate, key)
    }
}
