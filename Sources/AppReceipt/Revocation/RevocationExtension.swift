import ReceiptASN1

/// An extension of a list or of a certificate (RFC 5280, 4.2).
struct RevocationExtension {
    let identifier: ASN1ObjectIdentifier
    let isCritical: Bool
    /// The content of the OCTET STRING.
    let value: Range<Int>
}
