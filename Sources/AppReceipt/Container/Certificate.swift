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
// RFC 5280, 4.1. The Swift code reads only the fields that serve to find the signer and its issuer, to check
// their signatures, or to report on certificates. CReceiptCrypto parses a whole certificate, but only after
// it has verified the signature with a trusted key.

/// The ranges of a certificate's fields in the container.
struct Certificate {
    /// The whole certificate.
    private(set) var der: Range<Int>
    /// The whole tbsCertificate, which the signature covers.
    private(set) var tbs: Range<Int>
    /// The content of the INTEGER.
    private(set) var serialNumber: Range<Int>
    /// The names, including tag and length.
    private(set) var issuer: Range<Int>
    private(set) var subject: Range<Int>
    /// The validity, including tag and length.
    private(set) var validity: Range<Int>
    /// The signature algorithm, or nil if the inner and the outer one differ, which RFC 5280, 4.1.1.2 forbids
    /// ("MUST contain the same").
    let signatureAlgorithm: AlgorithmIdentifier?
    /// The content of the BIT STRING after the count of unused bits.
    private(set) var signature: Range<Int>

    /// Reads a certificate.
    /// - Parameters:
    ///   - maximumCount: the maximum length in bytes.
    ///   - known: certificates that need not be read again.
    init(
        reading reader: inout ASN1Reader, of bytes: Span<UInt8>, maximumCount: Int,
        known: KnownCertificates = KnownCertificates()
    ) throws(ASN1Error) {
        let start = reader.position
        let der = try reader.element()
        guard der.count <= maximumCount else { throw ASN1Error(.tooLong(limit: maximumCount), at: start) }
        if let certificate = known.find(bytes.extracting(der)) {
            self = certificate.moved(by: start)
            return
        }
        var strict = ASN1Reader(bytes, in: der)
        self = try strict.constructed(.sequence) { (reader) throws(ASN1Error) in
            try Certificate(fieldsOf: &reader, bytes, der)
        }
        // The signature is computed over the DER encoding (RFC 5280, 4.1).
        guard strict.leniencies.isEmpty else { throw ASN1Error(.notDER, at: start) }
    }

    private init(fieldsOf reader: inout ASN1Reader, _ bytes: Span<UInt8>, _ der: Range<Int>) throws(ASN1Error)
    {
        self.der = der
        let tbsStart = reader.position
        let inner: AlgorithmIdentifier
        (serialNumber, inner, issuer, validity, subject) = try reader.constructed(.sequence, "tbsCertificate")
        {
            (reader) throws(ASN1Error) in
            if reader.nextTag == .context(0) { _ = try reader.element() }
            let serialNumber = try reader.primitive(.integer)
            let algorithm = try AlgorithmIdentifier(reading: &reader)
            let issuer = try reader.element()
            let validity = try reader.element()
            let subject = try reader.element()
            while !reader.isAtEnd { _ = try reader.element() }
            return (serialNumber, algorithm, issuer, validity, subject)
        }
        tbs = tbsStart..<reader.position
        let outer = try AlgorithmIdentifier(reading: &reader)
        signatureAlgorithm = outer.isSame(as: inner) ? outer : nil
        signature = try reader.signature("signatureValue", of: bytes)
    }

    private func moved(by offset: Int) -> Certificate {
        var moved = self
        moved.der = der.moved(by: offset)
        moved.tbs = tbs.moved(by: offset)
        moved.serialNumber = serialNumber.moved(by: offset)
        moved.issuer = issuer.moved(by: offset)
        moved.subject = subject.moved(by: offset)
        moved.validity = validity.moved(by: offset)
        moved.signature = signature.moved(by: offset)
        return moved
    }
}

extension ASN1Reader {
    /// Reads the BIT STRING of a signature, and returns its content after the count of unused bits.
    mutating func signature(_ name: StaticString, of bytes: Span<UInt8>) throws(ASN1Error) -> Range<Int> {
        try field(name) { (reader) throws(ASN1Error) in
            let offset = reader.position
            let content = try reader.primitive(.bitString)
            // The first octet is the number of unused bits. A signature has none.
            guard let unusedBits = content.first, bytes[unusedBits] == 0 else {
                throw ASN1Error(.unexpectedValue, at: offset)
            }
            return content.dropFirst()
        }
    }
}

extension Range<Int> {
    fileprivate func moved(by offset: Int) -> Range<Int> { lowerBound + offset..<upperBound + offset }
}
