/// `Attribute ::= SEQUENCE { attrType OBJECT IDENTIFIER, attrValues SET OF ANY }` (RFC 5652 section 5.3).
public struct CMSAttribute: Hashable, Sendable {
    /// What the attribute says.
    public var type: OID
    /// DER elements.
    public var values: [[UInt8]]

    /// An attribute of a type, with values in DER.
    public init(_ type: OID, _ values: [[UInt8]]) { (self.type, self.values) = (type, values) }

    /// The attribute in DER.
    public var encoded: [UInt8] { BER.sequence(type.encoded, BER.set(of: values)) }

    /// The attributes that RFC 5652 demands, and signingTime where given (RFC 3339 in UTC).
    public static func usual(
        for content: [UInt8], digest: Digest = .sha256, signingTime: String? = nil
    ) throws(ForgeError) -> [CMSAttribute] {
        var attributes = [
            CMSAttribute(.contentType, [OID.data.encoded]),
            CMSAttribute(.messageDigest, [BER.octetString(try digest.hash(content))]),
        ]
        if let signingTime { attributes.append(CMSAttribute(.signingTime, [BER.time(signingTime)])) }
        return attributes
    }
}
