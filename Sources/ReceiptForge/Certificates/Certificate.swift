/// A signed certificate, and what others need to refer to it.
public struct Certificate: Hashable, Sendable {
    public var der: [UInt8]
    public var subject: DistinguishedName
    public var issuer: DistinguishedName
    /// The content octets of the serial number.
    public var serialNumber: [UInt8]
    public var subjectKeyIdentifier: [UInt8]
}
