/// The container: CMS SignedData (RFC 5652 section 5) inside ContentInfo. Every field can be changed.
public struct SignedData: Hashable, Sendable {
    /// How the structure around the content is written.
    public enum Form: Hashable, Sendable {
        /// Definite lengths all through, as Apple writes.
        case der
        /// Indefinite lengths down to the content, which comes in chunks of this size, as Xcode writes.
        case ber(chunkSize: Int)
    }

    /// ContentInfo's contentType.
    public var contentType: OID = .signedData
    /// The structure's version, 1 in every receipt.
    public var version = 1
    /// AlgorithmIdentifiers in DER.
    public var digestAlgorithms: [[UInt8]]
    /// What kind of content it is; data in every receipt.
    public var eContentType: OID = .data
    /// The payload; nil for detached content.
    public var eContent: [UInt8]?
    /// Elements behind the eContent, inside its [0].
    public var afterEContent: [UInt8] = []
    /// Certificates in DER, in this order; nil leaves the field out.
    public var certificates: [[UInt8]]?
    /// The content of crls [1]; nil leaves the field out.
    public var crls: [UInt8]?
    /// Who signed; exactly one in every genuine receipt.
    public var signerInfos: [SignerInfo]
    /// Elements behind signerInfos.
    public var extraFields: [UInt8] = []
    /// Elements behind SignedData, inside ContentInfo.
    public var extraContentInfoFields: [UInt8] = []
    /// How the structure is written.
    public var form: Form = .der
    /// Damage: the outermost length; nil as ``form`` says.
    public var outerLength: BER.Length?
    /// Damage: the length of the eContent's OCTET STRING; nil as ``form`` says.
    public var eContentLength: BER.Length?

    /// A container of these parts, as Apple writes it.
    public init(eContent: [UInt8], certificates: [[UInt8]], signerInfos: [SignerInfo]) {
        self.eContent = eContent
        self.certificates = certificates
        self.signerInfos = signerInfos
        digestAlgorithms = signerInfos.map(\.digestAlgorithm)
    }

    /// The bytes of ContentInfo: a receipt.
    public var encoded: [UInt8] {
        let length: BER.Length = form == .der ? .minimal : .indefinite
        func constructed(_ tag: UInt8, _ parts: [[UInt8]]) -> [UInt8] {
            BER.element(tag, BER.concatenated(parts), length: length)
        }
        let encapContentInfo = constructed(
            BER.Tag.sequence,
            [
                eContentType.encoded,
                eContent.map { constructed(BER.Tag.context(0), [octetString($0), afterEContent]) } ?? [],
            ])
        let signedData = constructed(
            BER.Tag.sequence,
            [
                BER.integer(version),
                BER.element(BER.Tag.set, BER.concatenated(digestAlgorithms)),
                encapContentInfo,
                certificates.map { BER.element(BER.Tag.context(0), BER.concatenated($0)) } ?? [],
                crls.map { BER.element(BER.Tag.context(1), $0) } ?? [],
                BER.element(BER.Tag.set, signerInfos.flatMap(\.encoded)),
                extraFields,
            ])
        let contentInfo =
            contentType.encoded + constructed(BER.Tag.context(0), [signedData]) + extraContentInfoFields
        return BER.element(BER.Tag.sequence, contentInfo, length: outerLength ?? length)
    }

    private func octetString(_ content: [UInt8]) -> [UInt8] {
        if let eContentLength {
            return BER.element(BER.Tag.octetString, content, length: eContentLength)
        }
        return switch form {
        case .der: BER.octetString(content)
        case .ber(let chunkSize): BER.chunkedOctetString(content, chunkSize: chunkSize)
        }
    }
}
