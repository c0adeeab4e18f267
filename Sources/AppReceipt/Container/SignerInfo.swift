import ReceiptASN1

// SignerInfo ::= SEQUENCE {
//     version            CMSVersion,
//     sid                SignerIdentifier,
//     digestAlgorithm    DigestAlgorithmIdentifier,
//     signedAttrs        [0] IMPLICIT SignedAttributes OPTIONAL,
//     signatureAlgorithm SignatureAlgorithmIdentifier,
//     signature          SignatureValue,
//     unsignedAttrs      [1] IMPLICIT UnsignedAttributes OPTIONAL }
//
// IssuerAndSerialNumber ::= SEQUENCE { issuer Name, serialNumber CertificateSerialNumber }
// SignatureValue ::= OCTET STRING
//
// RFC 5652, 5.3. Stricter than the RFC: the version must be 1, which names the signer by issuer and serial
// number. There must be no unsigned attributes.

/// The signer, the algorithms and the signature, as ranges in the container.
struct SignerInfo {
    /// The issuer's name, including tag and length.
    let issuer: Range<Int>
    /// The content of the INTEGER.
    let serialNumber: Range<Int>
    let sidOffset: Int
    let digestAlgorithm: AlgorithmIdentifier
    let signedAttributes: SignedAttributes?
    let signatureAlgorithm: AlgorithmIdentifier
    let signature: Range<Int>
    let signatureOffset: Int

    init(reading reader: inout ASN1Reader, of bytes: Span<UInt8>) throws(ASN1Error) {
        self = try reader.constructed(.sequence) { (reader) throws(ASN1Error) in
            try SignerInfo(fieldsOf: &reader, bytes)
        }
    }

    private init(fieldsOf reader: inout ASN1Reader, _ bytes: Span<UInt8>) throws(ASN1Error) {
        try reader.expectVersion(1)
        sidOffset = reader.position
        (issuer, serialNumber) = try reader.constructed(.sequence, "sid") { (reader) throws(ASN1Error) in
            (try reader.element(), try reader.primitive(.integer))
        }
        digestAlgorithm = try reader.field("digestAlgorithm") { (reader) throws(ASN1Error) in
            try AlgorithmIdentifier(reading: &reader)
        }
        if reader.nextTag == .context(0) {
            signedAttributes = try reader.field("signedAttrs") { (reader) throws(ASN1Error) in
                try SignedAttributes(reading: &reader, of: bytes)
            }
        } else {
            signedAttributes = nil
        }
        signatureAlgorithm = try reader.field("signatureAlgorithm") { (reader) throws(ASN1Error) in
            try AlgorithmIdentifier(reading: &reader)
        }
        signatureOffset = reader.position
        signature = try reader.field("signature") { (reader) throws(ASN1Error) in
            try reader.primitive(.octetString)
        }
    }
}
