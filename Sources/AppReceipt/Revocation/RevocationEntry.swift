import ReceiptASN1

// revokedCertificates ::= SEQUENCE OF SEQUENCE {
//     userCertificate    CertificateSerialNumber,
//     revocationDate     Time,
//     crlEntryExtensions Extensions OPTIONAL }
//
// RFC 5280, 5.1.2.6 and 5.3.

/// The entry of a list about one certificate.
struct RevocationEntry: Sendable {
    /// The revocation date. If the entry has an impossible one, such as February 30, the earliest date.
    let date: Timestamp
    let invalidityDate: Timestamp?
    let reason: RevocationReason?
    let listIssuedAt: Timestamp
    /// The date by which the list is replaced.
    let listIsDueAt: Timestamp

    init(_ fields: RevocationEntryFields, of bytes: Span<UInt8>, in list: RevocationList) {
        let extensions = fields.extensions.flatMap { RevocationEntryExtensions($0, of: bytes) }
        date = bytes.time(fields.date)
        invalidityDate = extensions?.invalidityDate.map { bytes.time($0) }
        reason = extensions?.reason
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
        guard let entry = bytes.content(0x30, at: position, before: limit),
            let serialNumber = bytes.content(0x02, at: entry.lowerBound, before: entry.upperBound),
            let date = bytes.content(0x17, at: serialNumber.upperBound, before: entry.upperBound)
                ?? bytes.content(0x18, at: serialNumber.upperBound, before: entry.upperBound)
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
    func isValid(in bytes: Span<UInt8>) -> Bool { bytes.isInteger(serialNumber) && bytes.isTime(date) }
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

    /// Returns the content of an element in DER, or nil if there is no element with this tag.
    @inline(__always)
    fileprivate func content(_ tag: UInt8, at position: Int, before end: Int) -> Range<Int>? {
        guard position < end, self[position] == tag else { return nil }
        return smallContent(ofLengthAt: position &+ 1, before: end)
    }

    /// Returns whether a Time with a length of one octet consists of the required number of digits and "Z".
    @inline(__always)
    fileprivate func isTime(_ element: Range<Int>) -> Bool {
        let digits = self[element.lowerBound] == 0x17 ? 12 : 14
        guard element.count == 2 + digits + 1, self[element.upperBound - 1] == UInt8(ascii: "Z") else {
            return false
        }
        var areDigits = true
        for index in element.lowerBound + 2..<element.upperBound - 1 {
            areDigits = areDigits && self[index] &- 0x30 < 10
        }
        return areDigits
    }
}

/// The extensions of an entry. This allocates no memory, because a list can have a million entries.
struct RevocationEntryExtensions {
    private(set) var reason: RevocationReason?
    /// The date, including tag and length.
    private(set) var invalidityDate: Range<Int>?
    /// The reason why the list cannot be used. RFC 5280, 5.3: a list with an unknown critical extension "MUST
    /// NOT" be used "to determine the status of any certificates".
    private(set) var fault: RevocationListFault?
    private var hasReason = false

    /// Reads extensions in DER. Returns nil for anything else, and if one of the known extensions is invalid or
    /// occurs twice.
    init?(_ range: Range<Int>, of bytes: Span<UInt8>) {
        guard let list = bytes.content(0x30, at: range.lowerBound, before: range.upperBound),
            list.upperBound == range.upperBound, !list.isEmpty
        else { return nil }
        var position = list.lowerBound
        while position < list.upperBound {
            guard let item = bytes.content(0x30, at: position, before: list.upperBound),
                let identifier = bytes.content(0x06, at: item.lowerBound, before: item.upperBound)
            else { return nil }
            var next = identifier.upperBound
            let critical = bytes.content(0x01, at: next, before: item.upperBound)
            if let critical {
                // DER omits the default value, FALSE (X.690, 11.5).
                guard critical.count == 1, bytes[critical.lowerBound] == 0xFF else { return nil }
                next = critical.upperBound
            }
            guard let value = bytes.content(0x04, at: next, before: item.upperBound),
                value.upperBound == item.upperBound,
                take(identifier, isCritical: critical != nil, value, of: bytes)
            else { return nil }
            position = item.upperBound
        }
    }

    @inline(__always)
    private mutating func take(
        _ identifier: Range<Int>, isCritical: Bool, _ value: Range<Int>, of bytes: Span<UInt8>
    ) -> Bool {
        let isStandard =
            identifier.count == 3 && bytes[identifier.lowerBound] == 0x55
            && bytes[identifier.lowerBound + 1] == 0x1D
        switch isStandard ? bytes[identifier.lowerBound + 2] : 0 {
        case 21:  // reasonCode
            guard !hasReason, value.count == 3,
                let content = bytes.content(0x0A, at: value.lowerBound, before: value.upperBound),
                content.count == 1
            else { return false }
            hasReason = true
            let number = bytes[content.lowerBound]
            reason = RevocationReason(number: number)
            if number == 8 { fault = fault ?? .removal }
            return number == 8 || reason != nil
        case 24:  // invalidityDate. RFC 5280, 5.3.2: GeneralizedTime, also before 2050.
            guard invalidityDate == nil, value.count == 17, bytes[value.lowerBound] == 0x18,
                bytes.content(0x18, at: value.lowerBound, before: value.upperBound) != nil,
                bytes.isTime(value)
            else { return false }
            invalidityDate = value
        case 29: fault = fault ?? .indirect  // certificateIssuer
        default:
            guard (1...ASN1ObjectIdentifier.maximumCount).contains(identifier.count) else { return false }
            if isCritical { fault = fault ?? .criticalExtension(bytes.identifier(identifier)) }
        }
        return true
    }
}

extension Span<UInt8> {
    /// Returns a Time, or the earliest one if it is impossible.
    fileprivate func time(_ element: Range<Int>) -> Timestamp {
        var reader = ASN1Reader(self, in: element)
        return (try? reader.time(self)).flatMap { $0 } ?? Timestamp(millisecondsSince1970: .min)
    }

    /// Returns an identifier in dotted decimal notation.
    fileprivate func identifier(_ content: Range<Int>) -> String {
        ASN1ObjectIdentifier(content.map { self[$0] }).description
    }
}
