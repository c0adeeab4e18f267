/// The padding of RSA signatures. Elliptic curve keys ignore it.
public enum SignatureScheme: Hashable, Sendable {
    /// PKCS #1 v1.5 (RFC 8017, 8.2), which Apple uses.
    case pkcs1
    /// PSS (RFC 8017, 8.1), which no receipt uses.
    case pss
}
