/// A receipt, possibly damaged, and the root certificate to verify it with. Both are in DER.
public struct ForgedReceipt: Hashable, Sendable {
    /// The receipt.
    public var bytes: [UInt8]
    /// The root certificate to trust.
    public var anchor: [UInt8]
}
