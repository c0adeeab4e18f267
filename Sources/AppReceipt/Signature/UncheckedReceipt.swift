import ReceiptASN1

/// A receipt whose chain is valid, and whose signature is not checked yet. Nothing in it is verified.
package struct UncheckedReceipt: Sendable {
    let signedData: SignedData
    let creationDate: Timestamp
    let chain: CertificateChain
    let digestAlgorithm: DigestAlgorithm
    /// The digest of the content.
    let contentDigest: Digest
    /// The digest that the signature covers.
    let signedDigest: Digest
    /// The leniencies in the part of the payload that was read to find the creation date.
    let leniencies: ASN1Leniencies
}
