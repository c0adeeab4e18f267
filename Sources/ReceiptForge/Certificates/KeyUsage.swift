/// The first eight bits of the KeyUsage extension, the first of them the highest.
public struct KeyUsage: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Signs data other than certificates.
    public static let digitalSignature = KeyUsage(rawValue: 0x80)
    /// Encrypts keys: signs nothing.
    public static let keyEncipherment = KeyUsage(rawValue: 0x20)
    /// Signs certificates.
    public static let keyCertSign = KeyUsage(rawValue: 0x04)
    /// Signs lists of revoked certificates.
    public static let cRLSign = KeyUsage(rawValue: 0x02)
}
