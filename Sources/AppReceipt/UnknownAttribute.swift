/// An attribute whose meaning is not settled, kept as it was signed.
public struct UnknownAttribute: Hashable, Sendable {
    public let type: Int64
    public let version: Int64
    /// The content of the attribute's OCTET STRING.
    public let value: [UInt8]
}
