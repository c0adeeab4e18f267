/// `Attribute ::= SEQUENCE { attrType OBJECT IDENTIFIER, attrValues SET OF ANY }` (RFC 5652, 5.3).
public struct CMSAttribute: Hashable, Sendable {
    /// The attribute's type.
    public var type: OID
    /// The attribute's values as DER elements.
    public var values: [[UInt8]]

    /// Creates an attribute of a type with values in DER.
    public init(_ type: OID, _ values: [[UInt8]]) { (self.type, self.values) = (type, values) }

    /// The DER encoding of the attribute.
    public var encoded: [UInt8] { BER.sequence(type.encoded, BER.set(of: values)) }

    /// Returns the attributes that RFC 5652 requires, and signingTime if it is given (RFC 3339 in UTC).
    /// - Throws: ``ForgeError`` if libcrypto fails.
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
