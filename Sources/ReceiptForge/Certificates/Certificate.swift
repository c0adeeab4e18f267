/// A signed certificate, and what others need to refer to it.
public struct Certificate: Hashable, Sendable {
    /// The whole certificate.
    public var der: [UInt8]
    /// The name of whoever holds the key.
    public var subject: DistinguishedName
    /// The name of whoever signed it.
    public var issuer: DistinguishedName
    /// The content octets of the serial number.
    public var serialNumber: [UInt8]
    /// SHA-1 of the key (RFC 5280, 4.2.1.2).
    public var subjectKeyIdentifier: [UInt8]
}
