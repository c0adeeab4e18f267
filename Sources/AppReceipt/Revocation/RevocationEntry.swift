import ReceiptASN1

// revokedCertificates ::= SEQUENCE OF SEQUENCE {
//     userCertificate    CertificateSerialNumber,
//     revocationDate     Time,
//     crlEntryExtensions Extensions OPTIONAL }
//
// RFC 5280, 5.1.2.6 and 5.3.

/// The entry of a list about one certificate.
struct RevocationEntry: Sendable {
    /// The revocation date. If it cannot be read, the earliest date.
    let date: Timestamp
    let invalidityDate: Timestamp?
    let reason: RevocationReason?
    let listIssuedAt: Timestamp
    /// The date by which the list is replaced.
    let listIsDueAt: Timestamp

    init(_ fields: RevocationEntryFields, of bytes: Span<UInt8>, in list: RevocationList) {
        var reader = ASN1Reader(bytes, in: fields.date)
        date = (try? reader.time(bytes)).flatMap { $0 } ?? Timestamp(millisecondsSince1970: .min)
        let extensions = fields.extensions.flatMap { try? RevocationEntryExtensions($0, of: bytes) }
        (invalidityDate, reason) = (extensions?.invalidityDate, extensions?.reason)
        (listIssuedAt, listIsDueAt) = (list.issuedAt, list.nextUpdate ?? list.issuedAt)
    }

    /// The date from which the certificate was not valid.
    var start: Timestamp { min(date, invalidityDate ?? date) }

    /// Returns whether the entry refuses an object of that date.
    func refuses(at date: Timestamp) -> Bool { reason?.isCompromise == true || start <= date }

    /// Whether the entry shows that signatures from before the revocation are not affected.
    var leavesEarlierSignatures: Bool { reason?.leavesEarlierSignatures == true }

    func facts(depth: Int) -> RevokedCertificate {
        RevokedCertificate(
            depth: depth, date: date, invalidityDate: invalidityDate, reason: reason,
            listIssuedAt: listIssuedAt, note: nil)
    }
}

/// The ranges of an entry. This reads only lengths, because a list can have a million entries.
struct RevocationEntryFields {
    /// The content of the INTEGER.
    let serialNumber: Range<Int>
    /// The date, including tag and length.
    let date: Range<Int>
    /// The extensions, including tag and length, or nil if there are none.
    let extensions: Range<Int>?
    let end: Int

    /// Reads the lengths of an entry in DER. Returns nil for anything else.
    @inline(__always)
    init?(at position: Int, of bytes: Span<UInt8>, before limit: Int) {
        guard bytes[position] == 0x30,
            let entry = bytes.smallContent(ofLengthAt: position + 1, before: limit),
            entry.count > 4, bytes[entry.lowerBound] == 0x02,
            let serialNumber = bytes.smallContent(ofLengthAt: entry.lowerBound + 1, before: entry.upperBound),
            serialNumber.upperBound < entry.upperBound,
            ASN1Tag(rawValue: bytes[serialNumber.upperBound]).isTime,
            let date = bytes.smallContent(
                ofLengthAt: serialNumber.upperBound + 1, before: entry.upperBound)
        else { return nil }
        self.serialNumber = serialNumber
        self.date = serialNumber.upperBound..<date.upperBound
        extensions = date.upperBound < entry.upperBound ? date.upperBound..<entry.upperBound : nil
        end = entry.upperBound
    }

    /// Returns whether the serial number and the date have the required form: an INTEGER in DER, and digits followed by
    /// "Z". RFC 5280, 4.1.2.2 restricts serial numbers further, but "certificate users SHOULD be prepared to gracefully
    /// handle" others.
    @inline(__always)
    func isValid(in bytes: Span<UInt8>) -> Bool {
        guard bytes.isInteger(serialNumber) else { return false }
        let digits = bytes[date.lowerBound] == 0x17 ? 12 : 14
        guard date.count == 2 + digits + 1, bytes[date.upperBound - 1] == UInt8(ascii: "Z") else {
            return false
        }
        var areDigits = true
        for index in date.lowerBound + 2..<date.upperBound - 1 {
            areDigits = areDigits && bytes[index] &- 0x30 < 10
        }
        return areDigits
    }

    /// Returns the reason if it is the only extension, in its usual encoding. Otherwise, returns nil.
    @inline(__always)
    func reason(in bytes: Span<UInt8>) -> RevocationReason? {
        let usual = usualReason
        guard let extensions, extensions.count == usual.count + 1 else { return nil }
        for index in usual.indices where bytes[extensions.lowerBound + index] != usual[index] { return nil }
        return RevocationReason(number: bytes[extensions.upperBound - 1])
    }
}

/// The extensions of an entry.
struct RevocationEntryExtensions {
    private(set) var reason: RevocationReason?
    private(set) var invalidityDate: Timestamp?
    /// The reason why the list cannot be used. RFC 5280, 5.3: a list with an unknown critical extension "MUST
    /// NOT" be used "to determine the status of any certificates".
    private(set) var fault: RevocationListFault?

    init(_ range: Range<Int>, of bytes: Span<UInt8>) throws(ASN1Error) {
        var list = ASN1Reader(bytes, in: range)
        for found in try list.revocationExtensions(of: bytes) {
            var reader = ASN1Reader(bytes, in: found.value)
            switch (found.identifier, found.isCritical) {
            case (.reasonCode, _):
                let content = try reader.primitive(ASN1Tag(rawValue: 0x0A))
                guard content.count == 1 else {
                    throw ASN1Error(.unexpectedValue, at: found.value.lowerBound)
                }
                let number = bytes[content.lowerBound]
                reason = RevocationReason(number: number)
                if number == 8 {
                    fault = fault ?? .removal
                } else if reason == nil {
                    throw ASN1Error(.unexpectedValue, at: found.value.lowerBound)
                }
                try reader.finishDER()
            case (.invalidityDate, _):
                // RFC 5280, 5.3.2: GeneralizedTime, also before 2050.
                guard reader.nextTag?.rawValue == 0x18, let time = try reader.time(bytes) else {
                    throw ASN1Error(.unexpectedValue, at: found.value.lowerBound)
                }
                invalidityDate = time
                try reader.finishDER()
            case (.certificateIssuer, _): fault = fault ?? .indirect
            case (_, true): fault = fault ?? .criticalExtension(found.identifier.description)
            case (_, false): break
            }
        }
        try list.finishDER()
    }
}

extension ASN1Reader {
    /// Requires the end of the input, and that everything read was DER.
    func finishDER() throws(ASN1Error) {
        try finish()
        guard leniencies.isEmpty else { throw ASN1Error(.notDER, at: position) }
    }
}

extension Span<UInt8> {
    /// Returns whether the content of an INTEGER is the shortest one (X.690, 8.3.2).
    @inline(__always)
    func isInteger(_ content: Range<Int>) -> Bool {
        guard let first = content.first else { return false }
        guard content.count > 1 else { return true }
        let isNegative = self[first + 1] >= 0x80
        return self[first] != (isNegative ? 0xFF : 0)
    }
}

/// The extensions with only a reasonCode, without the reason's number.
private let usualReason: [UInt8] = [
    0x30, 0x0C, 0x30, 0x0A, 0x06, 0x03, 0x55, 0x1D, 0x15, 0x04, 0x03, 0x0A, 0x01,
]
