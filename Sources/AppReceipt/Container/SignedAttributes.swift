import ReceiptASN1

// SignedAttributes ::= SET SIZE (1..MAX) OF Attribute
//
// Attribute ::= SEQUENCE {
//     attrType   OBJECT IDENTIFIER,
//     attrValues SET OF AttributeValue }
//
// RFC 5652, 5.3: "SignedAttributes MUST be DER encoded, even if the rest of the structure is BER encoded."

/// The signed attributes. They contain the digest of the content, and the signature covers them instead of
/// the content.
struct SignedAttributes {
    /// The whole element with its identifier [0].
    let element: Range<Int>
    let offset: Int
    /// Whether the content-type attributes have exactly one value, which is data.
    let isContentTypeData: Bool
    /// The content of the only value of the message-digest attributes. Nil if they have no value or several.
    let messageDigest: Range<Int>?

    init(reading reader: inout ASN1Reader, of bytes: Span<UInt8>) throws(ASN1Error) {
        offset = reader.position
        element = try reader.element()
        var strict = ASN1Reader(bytes, in: element)
        let offset = self.offset
        let found = try strict.constructed(.context(0)) { (reader) throws(ASN1Error) in
            var found = (contentTypes: 0, areData: true, digests: 0, digest: Range<Int>?.none)
            // SIZE (1..MAX)
            if reader.isAtEnd { throw ASN1Error(.missingElement(expected: .sequence), at: offset) }
            while !reader.isAtEnd {
                try reader.constructed(.sequence) { (reader) throws(ASN1Error) in
                    let type = try reader.objectIdentifier()
                    try reader.constructed(.set) { (reader) throws(ASN1Error) in
                        while !reader.isAtEnd {
                            switch type {
                            case .contentType:
                                found.contentTypes += 1
                                let value = try reader.objectIdentifier()
                                found.areData = found.areData && value == .data
                            case .messageDigest:
                                found.digests += 1
                                found.digest = try reader.primitive(.octetString)
                            default: _ = try reader.element()
                            }
                        }
                    }
                }
            }
            return found
        }
        guard strict.leniencies.isEmpty else { throw ASN1Error(.notDER, at: offset) }
        isContentTypeData = found.contentTypes == 1 && found.areData
        messageDigest = found.digests == 1 ? found.digest : nil
    }
}
