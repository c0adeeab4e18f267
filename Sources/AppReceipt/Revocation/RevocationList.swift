import ReceiptASN1

// CertificateList ::= SEQUENCE {
//     tbsCertList        TBSCertList,
//     signatureAlgorithm AlgorithmIdentifier,
//     signature          BIT STRING }
//
// TBSCertList ::= SEQUENCE {
//     version             Version OPTIONAL,
//     signature           AlgorithmIdentifier,
//     issuer              Name,
//     thisUpdate          Time,
//     nextUpdate          Time OPTIONAL,
//     revokedCertificates SEQUENCE OF SEQUENCE { … } OPTIONAL,
//     crlExtensions       [0] EXPLICIT Extensions OPTIONAL }
//
// RFC 5280, 5.1.

/// A certificate revocation list (CRL). It is parsed, but its signature is checked only when a verified chain
/// has a certificate of its issuer.
public struct RevocationList: Sendable {
    /// The maximum size of a list in bytes. The tool and the server apply it to all lists together.
    public static let maximumBytes = 64 << 20

    /// The caller's name for the list, such as its path, for messages.
    public let name: String

    package let der: [UInt8]
    /// The signed part, including tag and length.
    let tbs: Range<Int>
    /// The issuer's name, including tag and length.
    let issuer: Range<Int>
    /// The date on which the list was issued, thisUpdate.
    public let issuedAt: Timestamp
    /// The date by which the next list is issued, or nil if it is missing.
    public let nextUpdate: Timestamp?
    /// The number of revoked certificates.
    public let count: Int
    /// The reason why the list gives no information about any chain, or nil if there is none.
    public let fault: RevocationListFault?
    /// The content of revokedCertificates, empty if it is absent.
    let entries: Range<Int>
    let scope: RevocationScope
    let algorithm: AlgorithmIdentifier
    let signature: Range<Int>

    /// The size in bytes of DER.
    package var byteCount: Int { der.count }

    /// The issuer's name, in the form of ``CertificateFacts/subject``.
    public var issuerName: String { NameText.text(of: issuer, in: der.span) }

    /// Reads a list in DER or PEM.
    /// - Parameters:
    ///   - input: the bytes.
    ///   - name: the caller's name for the list.
    /// - Throws: ``ReceiptError`` with code `malformed` or `too_large`. A list that cannot be used for another
    ///   reason is read, and has a ``fault``.
    public init(parsing input: [UInt8], name: String = "") throws(ReceiptError) {
        var limits = ReceiptLimits()
        limits.inputBytes = Self.maximumBytes
        let der = try InputEncoding.decode(input, limits: limits).der
        do throws(ASN1Error) {
            try self.init(der: der, name: name)
        } catch {
            throw ReceiptError(error.within("certificateList"))
        }
    }

    private init(der: [UInt8], name: String) throws(ASN1Error) {
        let bytes = der.span
        var reader = ASN1Reader(bytes)
        let fields = try reader.constructed(.sequence) { (reader) throws(ASN1Error) in
            try RevocationListFields(reading: &reader, of: bytes)
        }
        try reader.finish()
        // The signature is computed over the DER encoding.
        guard reader.leniencies.isEmpty else { throw ASN1Error(.notDER, at: 0) }
        (self.der, self.name) = (der, name)
        (tbs, issuer, issuedAt, nextUpdate) = (fields.tbs, fields.issuer, fields.issuedAt, fields.nextUpdate)
        (entries, count, fault) = (fields.entries, fields.count, fields.fault)
        (scope, algorithm, signature) = (fields.scope, fields.algorithm, fields.signature)
    }

    /// Returns the entries that decide about a certificate. A list with several entries of one certificate is valid: the
    /// first compromise counts, the earliest that leaves earlier signatures valid, and the earliest of the others.
    /// - Parameter serialNumber: the content of the INTEGER.
    func entries(of serialNumber: Span<UInt8>) -> [RevocationEntry] {
        let bytes = der.span
        var compromise: RevocationEntry?
        var (first, firstAffecting): (RevocationEntry?, RevocationEntry?)
        var position = entries.lowerBound
        while position < entries.upperBound,
            let entry = RevocationEntryFields(at: position, of: bytes, before: entries.upperBound)
        {
            position = entry.end
            if bytes.extracting(entry.serialNumber).isEqual(to: serialNumber) {
                let entry = RevocationEntry(entry, of: bytes, in: self)
                if entry.reason?.isCompromise == true {
                    compromise = compromise ?? entry
                } else if entry.leavesEarlierSignatures {
                    first = first.map { $0.start <= entry.start ? $0 : entry } ?? entry
                } else {
                    firstAffecting = firstAffecting.map { $0.start <= entry.start ? $0 : entry } ?? entry
                }
            }
        }
        return [compromise, first, firstAffecting].compactMap { $0 }
    }
}

/// The fields of a list while it is read.
private struct RevocationListFields {
    private(set) var tbs = 0..<0
    private(set) var issuer = 0..<0
    private(set) var issuedAt = Timestamp(millisecondsSince1970: 0)
    private(set) var nextUpdate: Timestamp?
    private(set) var entries = 0..<0
    private(set) var count = 0
    private(set) var scope = RevocationScope()
    private(set) var algorithm: AlgorithmIdentifier
    private(set) var signature = 0..<0
    private(set) var fault: RevocationListFault?

    init(reading reader: inout ASN1Reader, of bytes: Span<UInt8>) throws(ASN1Error) {
        let start = reader.position
        self.tbs = try reader.element()
        let outerStart = reader.position
        algorithm = try AlgorithmIdentifier(reading: &reader)
        var tbs = ASN1Reader(bytes, in: self.tbs)
        let inner = try tbs.constructed(.sequence, "tbsCertList") { (reader) throws(ASN1Error) in
            try read(&reader, of: bytes)
        }
        guard tbs.leniencies.isEmpty else { throw ASN1Error(.notDER, at: start) }
        guard algorithm.isSame(as: inner) else { throw ASN1Error(.unexpectedValue, at: outerStart) }
        if algorithm.certificateSignature.map({ $0.digest == .sha1 }) ?? true { note(.algorithm) }
        signature = try reader.signature("signature", of: bytes)
    }

    private mutating func note(_ fault: RevocationListFault?) { self.fault = self.fault ?? fault }

    private mutating func read(
        _ reader: inout ASN1Reader, of bytes: Span<UInt8>
    ) throws(ASN1Error) -> AlgorithmIdentifier {
        if reader.nextTag == .integer { try reader.expectVersion(1) } else { note(.version) }
        let algorithm = try AlgorithmIdentifier(reading: &reader)
        let issuerStart = reader.position
        issuer = try reader.constructed(.sequence, "issuer") { (reader) throws(ASN1Error) in
            // RFC 5280, 5.1.2.3: "The issuer field MUST contain a non-empty X.500 distinguished name".
            repeat { _ = try reader.element() } while !reader.isAtEnd
            return issuerStart..<reader.position
        }
        issuedAt = try Self.time(&reader, of: bytes, "thisUpdate")
        if reader.nextTag?.isTime == true {
            let next = try Self.time(&reader, of: bytes, "nextUpdate")
            guard next >= issuedAt else { throw ASN1Error(.unexpectedValue, at: reader.position) }
            nextUpdate = next
        } else {
            note(.noNextUpdate)
        }
        if reader.nextTag == .sequence {
            entries = try reader.constructed(.sequence) { (reader) throws(ASN1Error) in
                let content = reader.unreadOctets
                reader.skip(to: content.upperBound)
                return content
            }
            do throws(ASN1Error) {
                try checkEntries(of: bytes)
            } catch {
                throw error.within("revokedCertificates[\(count)]")
            }
        }
        if reader.nextTag == .context(0) {
            try reader.constructed(.context(0), "crlExtensions") { (reader) throws(ASN1Error) in
                try readExtensions(&reader, of: bytes)
            }
        }
        return algorithm
    }

    private static func time(
        _ reader: inout ASN1Reader, of bytes: Span<UInt8>, _ name: StaticString
    ) throws(ASN1Error) -> Timestamp {
        try reader.field(name) { (reader) throws(ASN1Error) in
            let start = reader.position
            guard let time = try reader.time(bytes) else { throw ASN1Error(.unexpectedValue, at: start) }
            return time
        }
    }

    /// Reads all entries once. A million of them takes some 20 ms.
    private mutating func checkEntries(of bytes: Span<UInt8>) throws(ASN1Error) {
        var position = entries.lowerBound
        while position < entries.upperBound {
            guard let entry = RevocationEntryFields(at: position, of: bytes, before: entries.upperBound),
                entry.isValid(in: bytes)
            else { throw ASN1Error(.unexpectedValue, at: position) }
            if let range = entry.extensions {
                guard let extensions = RevocationEntryExtensions(range, of: bytes) else {
                    throw ASN1Error(.unexpectedValue, at: range.lowerBound)
                }
                note(extensions.fault)
            }
            position = entry.end
            count += 1
        }
    }

    private mutating func readExtensions(
        _ reader: inout ASN1Reader, of bytes: Span<UInt8>
    ) throws(ASN1Error) {
        for found in try reader.revocationExtensions(of: bytes) {
            switch (found.identifier, found.isCritical) {
            case (.issuingDistributionPoint, _):
                scope = try RevocationScope(found.value, of: bytes)
                note(scope.fault)
            case (.deltaCRLIndicator, _): note(.delta)
            case (_, true): note(.criticalExtension(found.identifier.description))
            case (_, false): break
            }
        }
    }
}

extension ASN1Tag {
    /// Whether this is UTCTime or GeneralizedTime.
    var isTime: Bool { rawValue == 0x17 || rawValue == 0x18 }
}

extension ASN1Reader {
    /// Reads a SEQUENCE of extensions.
    mutating func revocationExtensions(of bytes: Span<UInt8>) throws(ASN1Error) -> [RevocationExtension] {
        let start = position
        let extensions = try constructed(.sequence) { (reader) throws(ASN1Error) in
            try reader.elements(atMost: 64) { (reader) throws(ASN1Error) in
                try reader.constructed(.sequence) { (reader) throws(ASN1Error) in
                    let identifier = try reader.objectIdentifier()
                    var isCritical = false
                    let boolean = ASN1Tag(rawValue: 0x01)
                    if reader.nextTag == boolean {
                        let offset = reader.position
                        let content = try reader.primitive(boolean)
                        // DER omits the default value, FALSE (X.690, 11.5).
                        guard content.count == 1, bytes[content.lowerBound] == 0xFF else {
                            throw ASN1Error(.unexpectedValue, at: offset)
                        }
                        isCritical = true
                    }
                    return RevocationExtension(
                        identifier: identifier, isCritical: isCritical,
                        value: try reader.primitive(.octetString))
                }
            }
        }
        // RFC 5280, 4.2: "MUST NOT include more than one instance of a particular extension."
        guard !extensions.isEmpty, Set(extensions.map(\.identifier)).count == extensions.count else {
            throw ASN1Error(.unexpectedValue, at: start)
        }
        return extensions
    }
}

extension ASN1ObjectIdentifier {
    /// 2.5.29.27, 28 and 31
    fileprivate static let deltaCRLIndicator = ASN1ObjectIdentifier([0x55, 0x1D, 0x1B])
    fileprivate static let issuingDistributionPoint = ASN1ObjectIdentifier([0x55, 0x1D, 0x1C])
    static let distributionPoints = ASN1ObjectIdentifier([0x55, 0x1D, 0x1F])
}
