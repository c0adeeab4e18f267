import ReceiptASN1

// Certificate ::= SEQUENCE {
//     tbsCertificate     TBSCertificate,
//     signatureAlgorithm AlgorithmIdentifier,
//     signatureValue     BIT STRING }
//
// TBSCertificate ::= SEQUENCE {
//     version      [0] EXPLICIT Version DEFAULT v1,
//     serialNumber CertificateSerialNumber,
//     signature    AlgorithmIdentifier,
//     issuer       Name,
//     validity     Validity,
//     subject      Name,
//     ... }
//
// RFC 5280, 4.1. Only what picks the signer and its issuer out of the bag is read here; what a certificate
// means, OpenSSL decides from the same bytes.

/// Places in a certificate of the container.
struct Certificate {
    /// The whole certificate.
    let der: Range<Int>
    /// The content of the INTEGER.
    let serialNumber: Range<Int>
    /// Names, with their headers.
    let issuer: Range<Int>
    let subject: Range<Int>

    init(reading reader: inout ASN1Reader, of bytes: Span<UInt8>) throws(ASN1Error) {
        let start = reader.position
        (serialNumber, issuer, subject) = try reader.constructed(.sequence) { (reader) throws(ASN1Error) in
            let places = try reader.constructed(.sequence, "tbsCertificate") { (reader) throws(ASN1Error) in
                if reader.nextTag == .context(0) { _ = try reader.element() }
                let serialNumber = try reader.primitive(.integer)
                _ = try reader.element()
                let issuer = try reader.element()
                _ = try reader.element()
                let subject = try reader.element()
                while !reader.isAtEnd { _ = try reader.element() }
                return (serialNumber, issuer, subject)
            }
            _ = try reader.element()
            let offset = reader.position
            let signatureValue = try reader.primitive(.bitString)
            // The first octet counts the unused bits: of a signature there are none, and OpenSSL would drop them.
            guard let unusedBits = signatureValue.first, bytes[unusedBits] == 0 else {
                throw ASN1Error(.unexpectedValue, at: offset, path: "signatureValue")
            }
            return places
        }
        der = start..<reader.position
    }
}
