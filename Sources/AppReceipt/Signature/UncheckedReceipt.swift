import ReceiptASN1

/// A receipt whose chain is valid, and whose signature is not checked yet. Nothing in it is verified. It is a
/// class, because copies of its many members take time.
final class UncheckedReceipt: Sendable {
    let signedData: SignedData
    let creationDate: Timestamp
    let chain: CertificateChain
    let digestAlgorithm: DigestAlgorithm
    let contentDigest: Digest
    /// The digest that the signature covers.
    let signedDigest: Digest
    /// The leniencies in the part of the payload that was read to find the creation date.
    let leniencies: ASN1Leniencies

    init(
        signedData: consuming SignedData, creationDate: Timestamp, chain: CertificateChain,
        digestAlgorithm: DigestAlgorithm, contentDigest: Digest, signedDigest: Digest,
        leniencies: ASN1Leniencies
    ) {
        (self.creationDate, self.chain, self.leniencies) = (creationDate, chain, leniencies)
        self.signedData = signedData
        self.digestAlgorithm = digestAlgorithm
        self.contentDigest = contentDigest
        self.signedDigest = signedDigest
    }
}
