/// A certificate with its private key: somebody who can sign.
public struct Identity: Sendable {
    public var certificate: Certificate
    public var key: PrivateKey

    public init(certificate: Certificate, key: PrivateKey) {
        (self.certificate, self.key) = (certificate, key)
    }
}
