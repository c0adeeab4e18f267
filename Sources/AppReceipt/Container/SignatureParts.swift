import ReceiptASN1

/// Where in a container the things lie that a check of its signature takes: for those who hand them to somebody else's
/// program. Nobody vouches for any of it.
package struct SignatureParts: Sendable {
    /// The pieces of the signed content, in order; several where the content comes in chunks.
    package let content: [Range<Int>]
    /// The element of the signed attributes, with its identifier [0].
    package let signedAttributes: Range<Int>?
    package let signature: Range<Int>
    /// The certificates, in the container's order.
    package let certificates: [Range<Int>]
    /// The certificate that SignerInfo names, where it is there.
    package let signer: Range<Int>?
    /// Those whose subject is the signer's issuer, in the order in which they are tried.
    package let issuers: [Range<Int>]
    /// The creation date, where it reads.
    package let creationDate: Timestamp?

    /// Pieces of content that are worth telling: a program that signs writes one, or one for some kilobytes.
    package static let mostPieces = 1_000

    /// - Throws: ``ReceiptError`` where the bytes are no container.
    package init(of der: [UInt8], limits: ReceiptLimits) throws(ReceiptError) {
        let bytes = der.span
        let data: SignedData
        do throws(ASN1Error) {
            data = try SignedData(parsing: bytes, limits: limits)
        } catch {
            throw ReceiptError(error)
        }
        content = data.eContent.pieces(of: bytes, atMost: Self.mostPieces)
        signedAttributes = data.signerInfo.signedAttributes?.element
        signature = data.signerInfo.signature
        certificates = data.certificates.map(\.der)
        let signer = try? data.signer(in: bytes)
        self.signer = signer?.der
        issuers = signer.map { data.issuers(of: $0, in: bytes).map(\.der) } ?? []
        let joined = data.eContent.bytes(of: bytes)
        var payload = try? PayloadReader(joined.span, limits: limits)
        creationDate = try? payload?.creationDate()
    }
}

extension ASN1OctetString {
    /// Where its bytes stand.
    /// - Parameter atMost: no more than one more are listed: a stranger may write millions.
    fileprivate func pieces(of bytes: Span<UInt8>, atMost: Int) -> [Range<Int>] {
        guard isChunked else { return [content] }
        var reader = ASN1Reader(bytes, in: content)
        var pieces: [Range<Int>] = []
        while !reader.isAtEnd, let piece = try? reader.primitive(.octetString), pieces.count <= atMost {
            if !piece.isEmpty { pieces.append(piece) }
        }
        return pieces
    }
}
