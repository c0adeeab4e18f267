import ReceiptASN1

// ContentInfo ::= SEQUENCE {
//     contentType ContentType,
//     content     [0] EXPLICIT ANY DEFINED BY contentType }
//
// SignedData ::= SEQUENCE {
//     version          CMSVersion,
//     digestAlgorithms SET OF DigestAlgorithmIdentifier,
//     encapContentInfo EncapsulatedContentInfo,
//     certificates     [0] IMPLICIT CertificateSet OPTIONAL,
//     crls             [1] IMPLICIT RevocationInfoChoices OPTIONAL,
//     signerInfos      SET OF SignerInfo }
//
// EncapsulatedContentInfo ::= SEQUENCE {
//     eContentType ContentType,
//     eContent     [0] EXPLICIT OCTET STRING OPTIONAL }
//
// RFC 5652, 3 and 5. This parser is stricter than the RFC, because these bytes are not signed and no receipt
// needs more. The version must be 1. The content type must be data, and the content must be present. There
// must be only X.509 certificates, no CRLs and exactly one SignerInfo.

/// A parsed PKCS #7 container, as ranges in its bytes.
struct SignedData {
    let digestAlgorithms: [AlgorithmIdentifier]
    let eContent: ASN1OctetString
    let certificates: [Certificate]
    let signerInfo: SignerInfo
    /// The range of all fields before the certificates.
    let headFields: Range<Int>
    /// The range of the whole element.
    let signerInfos: Range<Int>
    let leniencies: ASN1Leniencies

    /// Parses a container that consists of all of `bytes`.
    /// - Parameter known: certificates that need not be read again.
    init(
        parsing bytes: Span<UInt8>, limits: ReceiptLimits, known: KnownCertificates = KnownCertificates()
    ) throws(ASN1Error) {
        var reader = ASN1Reader(bytes, maximumDepth: limits.nesting)
        do throws(ASN1Error) {
            self = try reader.constructed(.sequence) { (reader) throws(ASN1Error) in
                try reader.expect(.signedData, "contentType")
                return try reader.constructed(.context(0)) { (reader) throws(ASN1Error) in
                    try reader.constructed(.sequence) { (reader) throws(ASN1Error) in
                        try SignedData(reading: &reader, of: bytes, limits: limits, known)
                    }
                }
            }
            try reader.finish()
        } catch {
            // Errors inside the fields of SignedData have a path. Other errors have none, so they get one
            // here.
            throw error.path.isEmpty ? error.within("contentInfo") : error
        }
    }

    private init(
        reading reader: inout ASN1Reader, of bytes: Span<UInt8>, limits: ReceiptLimits,
        _ known: KnownCertificates
    ) throws(ASN1Error) {
        let start = reader.position
        try reader.expectVersion(1)
        digestAlgorithms = try reader.constructed(.set, "digestAlgorithms") { (reader) throws(ASN1Error) in
            try reader.elements(atMost: limits.certificates) { (reader) throws(ASN1Error) in
                try AlgorithmIdentifier(reading: &reader)
            }
        }
        eContent = try reader.constructed(.sequence, "encapContentInfo") { (reader) throws(ASN1Error) in
            try reader.expect(.data, "eContentType")
            return try reader.constructed(.context(0), "eContent") { (reader) throws(ASN1Error) in
                try reader.octetString()
            }
        }
        headFields = start..<reader.position
        if reader.nextTag == .context(0) {
            certificates = try reader.constructed(.context(0), "certificates") { (reader) throws(ASN1Error) in
                try reader.elements(atMost: limits.certificates) { (reader) throws(ASN1Error) in
                    try Certificate(
                        reading: &reader, of: bytes, maximumCount: limits.certificateBytes, known: known)
                }
            }
        } else {
            certificates = []
        }
        let signerInfosStart = reader.position
        signerInfo = try reader.constructed(.set, "signerInfos") { (reader) throws(ASN1Error) in
            do throws(ASN1Error) {
                return try SignerInfo(reading: &reader, of: bytes)
            } catch {
                throw error.within("[0]")
            }
        }
        signerInfos = signerInfosStart..<reader.position
        leniencies = reader.leniencies
    }
}

extension ASN1Reader {
    /// Reads a version number, the first field of its structure.
    mutating func expectVersion(_ version: Int64) throws(ASN1Error) {
        try field("version") { (reader) throws(ASN1Error) in
            let offset = reader.position
            guard try reader.integer() == version else { throw ASN1Error(.unexpectedValue, at: offset) }
        }
    }

    /// Reads an OBJECT IDENTIFIER that must have this value.
    mutating func expect(_ expected: ASN1ObjectIdentifier, _ name: StaticString) throws(ASN1Error) {
        try field(name) { (reader) throws(ASN1Error) in
            let offset = reader.position
            guard try reader.objectIdentifier() == expected else {
                throw ASN1Error(.unexpectedValue, at: offset)
            }
        }
    }
}
