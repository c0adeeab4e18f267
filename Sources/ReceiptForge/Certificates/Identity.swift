/// A certificate with its private key, which can sign.
public struct Identity: Sendable {
    /// The certificate.
    public var certificate: Certificate
    /// The private key.
    public var key: PrivateKey

    /// Creates an identity from a certificate and a key, whether or not they match.
    public init(certificate: Certificate, key: PrivateKey) {
        (self.certificate, self.key) = (certificate, key)
    }
}
