/// A signed certificate, and the fields by which other structures refer to it.
public struct Certificate: Hashable, Sendable {
    /// The DER encoding of the certificate.
    public var der: [UInt8]
    /// The name of the key's owner.
    public var subject: DistinguishedName
    /// The name of the signer.
    public var issuer: DistinguishedName
    /// The content octets of the serial number.
    public var serialNumber: [UInt8]
    /// The SHA-1 of the key (RFC 5280, 4.2.1.2).
    public var subjectKeyIdentifier: [UInt8]
}
