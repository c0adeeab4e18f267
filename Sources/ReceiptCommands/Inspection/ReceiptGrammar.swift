import ReceiptASN1

/// A position in the grammar of a receipt, which gives an element its name.
///
/// The grammar is RFC 5652 for the container and RFC 5280 for certificates. The raw value is the field's name
/// there. Nothing is verified: an element without a field in the grammar is ``other``.
enum ReceiptGrammar: String {
    case other = ""
    /// The position around the whole file.
    case input
    case contentInfo = "ContentInfo"
    case contentType, content
    case signedData = "SignedData"
    case version, digestAlgorithms, encapContentInfo, certificates, crls, signerInfos
    case eContentType
    case eContentTagged = "around eContent"
    case eContent
    case chunkedContent = "eContent, in chunks"
    case chunk
    case wrappedPayload = "the payload, wrapped once more"

    case certificate = "Certificate"
    case tbsCertificate, signatureAlgorithm, signatureValue
    case serialNumber, signature, issuer, validity, subject, subjectPublicKeyInfo, extensions
    case notBefore, notAfter
    case extensionList = "Extensions"
    case certificateExtension = "Extension"
    case extnID, critical, extnValue

    case signerInfo = "SignerInfo"
    case sid, digestAlgorithm, signedAttrs, unsignedAttrs

    case payload
    /// An attribute of the app, or of an in-app purchase.
    case attribute, inAppAttribute
    case attributeType = "type"
    case attributeValue = "value"
    /// The value of an attribute 17, and the SET inside.
    case inAppValue = "purchase"
    case inApp = "in-app purchase"

    /// Returns the position of an element in this one.
    /// - Parameter index: The number of previous elements without those tagged `[n]`, which may be absent.
    func child(_ index: Int, _ tag: ASN1Tag) -> ReceiptGrammar {
        switch self {
        case .input: index == 0 ? .contentInfo : .other
        case .contentInfo: Self.pick([.contentType], index, tag, [.content])
        case .content: .signedData
        case .signedData:
            Self.pick(
                [.version, .digestAlgorithms, .encapContentInfo, .signerInfos], index, tag,
                [.certificates, .crls])
        case .encapContentInfo: Self.pick([.eContentType], index, tag, [.eContentTagged])
        case .eContentTagged: tag == .constructedOctetString ? .chunkedContent : .eContent
        case .chunkedContent: .chunk
        case .eContent, .wrappedPayload: tag == .octetString ? .wrappedPayload : .payload
        case .certificates: .certificate
        case .certificate: Self.pick([.tbsCertificate, .signatureAlgorithm, .signatureValue], index)
        case .tbsCertificate:
            Self.pick(
                [.serialNumber, .signature, .issuer, .validity, .subject, .subjectPublicKeyInfo], index, tag,
                [.version, nil, nil, .extensions])
        case .validity: Self.pick([.notBefore, .notAfter], index)
        case .extensions: .extensionList
        case .extensionList: .certificateExtension
        case .certificateExtension: tag == .octetString ? .extnValue : Self.pick([.extnID, .critical], index)
        case .signerInfos: .signerInfo
        case .signerInfo:
            Self.pick(
                [.version, .sid, .digestAlgorithm, .signatureAlgorithm, .signature], index, tag,
                [.signedAttrs, .unsignedAttrs])
        case .payload: .attribute
        case .inAppValue: .inApp
        case .inApp: .inAppAttribute
        case .attribute, .inAppAttribute:
            Self.pick([.attributeType, .version, .attributeValue], index)
        default: .other
        }
    }

    /// Returns the field with this index.
    /// - Parameter tagged: The fields with the tags `[0]`, `[1]` and so on.
    private static func pick(
        _ fields: [ReceiptGrammar], _ index: Int, _ tag: ASN1Tag? = nil, _ tagged: [ReceiptGrammar?] = []
    ) -> ReceiptGrammar {
        for (number, field) in tagged.enumerated() where tag == .context(UInt8(number)) {
            if let field { return field }
        }
        return fields.indices.contains(index) ? fields[index] : .other
    }
}
