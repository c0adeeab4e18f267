/// The container: CMS SignedData (RFC 5652, 5) inside ContentInfo. Every field can be changed.
public struct SignedData: Hashable, Sendable {
    /// The encoding of the structure around the content.
    public enum Form: Hashable, Sendable {
        /// Definite lengths throughout, as Apple writes.
        case der
        /// Indefinite lengths down to the content, which is split into chunks of this size in bytes, as Xcode
        /// writes.
        case ber(chunkSize: Int)
    }

    /// The contentType of ContentInfo.
    public var contentType: OID = .signedData
    /// The structure's version, which is 1 in every receipt.
    public var version = 1
    /// The digest algorithms as AlgorithmIdentifiers in DER.
    public var digestAlgorithms: [[UInt8]]
    /// The type of the content, which is data in every receipt.
    public var eContentType: OID = .data
    /// The payload, or nil for detached content.
    public var eContent: [UInt8]?
    /// Elements after the eContent, inside its [0].
    public var afterEContent: [UInt8] = []
    /// The certificates in DER, in this order. Nil omits the field.
    public var certificates: [[UInt8]]?
    /// The content of crls [1]. Nil omits the field.
    public var crls: [UInt8]?
    /// The signers. Every genuine receipt has exactly one.
    public var signerInfos: [SignerInfo]
    /// Elements after signerInfos.
    public var extraFields: [UInt8] = []
    /// Elements after SignedData, inside ContentInfo.
    public var extraContentInfoFields: [UInt8] = []
    /// The encoding of the structure.
    public var form: Form = .der
    /// Damage: the encoding of the outermost length, or nil to follow ``form``.
    public var outerLength: BER.Length?
    /// Damage: the encoding of the length of the eContent's OCTET STRING, or nil to follow ``form``.
    public var eContentLength: BER.Length?

    /// Creates a container from these parts, as Apple writes it.
    public init(eContent: [UInt8], certificates: [[UInt8]], signerInfos: [SignerInfo]) {
        self.eContent = eContent
        self.certificates = certificates
        self.signerInfos = signerInfos
        digestAlgorithms = signerInfos.map(\.digestAlgorithm)
    }

    /// The bytes of ContentInfo, which are a receipt.
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
