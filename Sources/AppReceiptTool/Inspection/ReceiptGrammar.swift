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
    ///
    /// - Parameter index: The number of previous elements without those tagged `[n]`, which may be absent.
    func child(_ index: Int, _ tag: ASN1Tag) -> ReceiptGrammar {
        switch self {
        case .input: index == 0 ? .contentInfo : .other
        case .contentInfo: tag == .context(0) ? .content : index == 0 ? .contentType : .other
        case .content: .signedData
        case .signedData: signedDataChild(index, tag)
        case .encapContentInfo: tag == .context(0) ? .eContentTagged : index == 0 ? .eContentType : .other
        case .eContentTagged: tag == .constructedOctetString ? .chunkedContent : .eContent
        case .chunkedContent: .chunk
        case .eContent, .wrappedPayload: tag == .octetString ? .wrappedPayload : .payload
        case .certificates: .certificate
        case .certificate: Self.pick([.tbsCertificate, .signatureAlgorithm, .signatureValue], index)
        case .tbsCertificate: tbsCertificateChild(index, tag)
        case .validity: Self.pick([.notBefore, .notAfter], index)
        case .extensions: .extensionList
        case .extensionList: .certificateExtension
        case .certificateExtension: tag == .octetString ? .extnValue : Self.pick([.extnID, .critical], index)
        case .signerInfos: .signerInfo
        case .signerInfo: signerInfoChild(index, tag)
        case .payload: .attribute
        case .inAppValue: .inApp
        case .inApp: .inAppAttribute
        case .attribute, .inAppAttribute:
            Self.pick([.attributeType, .version, .attributeValue], index)
        default: .other
        }
    }

    private func signedDataChild(_ index: Int, _ tag: ASN1Tag) -> ReceiptGrammar {
        switch tag {
        case .context(0): .certificates
        case .context(1): .crls
        default: Self.pick([.version, .digestAlgorithms, .encapContentInfo, .signerInfos], index)
        }
    }

    private func tbsCertificateChild(_ index: Int, _ tag: ASN1Tag) -> ReceiptGrammar {
        switch tag {
        case .context(0): .version
        case .context(3): .extensions
        default:
            Self.pick(
                [.serialNumber, .signature, .issuer, .validity, .subject, .subjectPublicKeyInfo], index)
        }
    }

    private func signerInfoChild(_ index: Int, _ tag: ASN1Tag) -> ReceiptGrammar {
        switch tag {
        case .context(0): .signedAttrs
        case .context(1): .unsignedAttrs
        default: Self.pick([.version, .sid, .digestAlgorithm, .signatureAlgorithm, .signature], index)
        }
    }

    private static func pick(_ fields: [ReceiptGrammar], _ index: Int) -> ReceiptGrammar {
        fields.indices.contains(index) ? fields[index] : .other
    }
}
