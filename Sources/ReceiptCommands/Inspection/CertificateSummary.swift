import ReceiptASN1

// TBSCertificate ::= SEQUENCE {
//     version [0] Version DEFAULT v1,
//     serialNumber, signature, issuer Name, validity, subject Name, … }
//
// Name ::= SEQUENCE OF SET OF SEQUENCE { type OBJECT IDENTIFIER, value ANY }
//
// RFC 5280, 4.1.

/// The subject, issuer and validity of a certificate, for display only. It decodes only elements that the
/// tree shows.
struct CertificateSummary {
    let subject: String
    let issuer: String
    let validity: String

    /// The properties for people, with labels.
    var lines: [(label: String, value: String)] {
        [("subject", subject), ("issuer", issuer), ("valid", validity)]
    }
}

extension CertificateSummary {
    /// Reads a certificate.
    /// - Parameter content: The range of the certificate SEQUENCE's content.
    init(of content: Range<Int>, in bytes: Span<UInt8>) throws(ASN1Error) {
        var reader = ASN1Reader(bytes, in: content)
        self = try reader.constructed(.sequence) { (reader) throws(ASN1Error) in
            if reader.nextTag == .context(0) { _ = try reader.element() }
            _ = try reader.primitive(.integer)
            _ = try reader.element()
            let issuer = try Self.name(&reader, bytes)
            let validity = try reader.constructed(.sequence) { (reader) throws(ASN1Error) in
                "\(try Self.value(&reader, bytes)) to \(try Self.value(&reader, bytes))"
            }
            let subject = try Self.name(&reader, bytes)
            while !reader.isAtEnd { _ = try reader.element() }
            return CertificateSummary(subject: subject, issuer: issuer, validity: validity)
        }
    }

    private static func name(_ reader: inout ASN1Reader, _ bytes: Span<UInt8>) throws(ASN1Error) -> String {
        let parts = try reader.constructed(.sequence) { (reader) throws(ASN1Error) in
            try reader.elements(atMost: 64) { (reader) throws(ASN1Error) in
                try reader.constructed(.set) { (reader) throws(ASN1Error) in
                    try reader.elements(atMost: 64) { (reader) throws(ASN1Error) in
                        try attribute(&reader, bytes)
                    }
                }
            }
        }
        return parts.joined().joined(separator: ", ")
    }

    private static func attribute(_ reader: inout ASN1Reader, _ bytes: Span<UInt8>) throws(ASN1Error)
        -> String
    {
        try reader.constructed(.sequence) { (reader) throws(ASN1Error) in
            let type = try reader.objectIdentifier()
            let value = try Self.value(&reader, bytes)
            return "\(type.name.flatMap { shortNames[$0] } ?? type.name ?? type.description)=\(value)"
        }
    }

    /// Reads a primitive of any type.
    private static func value(_ reader: inout ASN1Reader, _ bytes: Span<UInt8>) throws(ASN1Error) -> String {
        guard let tag = reader.nextTag else { throw ASN1Error(.missing, at: reader.position) }
        let content = try reader.primitive(tag).map { bytes[$0] }
        let text = ASN1ValueText(limit: 32).text(of: tag, content)
        return text.hasPrefix("\"") && text.hasSuffix("\"") ? String(text.dropFirst().dropLast()) : text
    }
}

/// Short names of attributes (RFC 4514, 3).
private let shortNames = [
    "commonName": "CN", "countryName": "C", "localityName": "L", "stateOrProvinceName": "ST",
    "organizationName": "O", "organizationalUnitName": "OU",
]
