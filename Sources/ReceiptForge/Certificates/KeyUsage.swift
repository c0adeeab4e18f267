/// The first eight bits of the KeyUsage extension (RFC 5280, 4.2.1.3). The first is the highest bit.
public struct KeyUsage: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The key may sign data other than certificates.
    public static let digitalSignature = KeyUsage(rawValue: 0x80)
    /// The key may encrypt keys. It may not sign.
    public static let keyEncipherment = KeyUsage(rawValue: 0x20)
    /// The key may sign certificates.
    public static let keyCertSign = KeyUsage(rawValue: 0x04)
    /// The key may sign certificate revocation lists.
    public static let cRLSign = KeyUsage(rawValue: 0x02)
}
