/// A JWS and the root certificate to verify it with, in DER.
public struct ForgedJWS: Hashable, Sendable {
    /// The JWS, possibly damaged.
    public var text: String
    /// The root certificate to trust.
    public var anchor: [UInt8]
}
