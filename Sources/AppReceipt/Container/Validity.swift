import ReceiptASN1

// Validity ::= SEQUENCE {
//     notBefore Time,
//     notAfter  Time }
//
// Time ::= CHOICE { utcTime UTCTime, generalTime GeneralizedTime }
//
// RFC 5280, 4.1.2.5: times have seconds but no fractions, the zone is "Z", and two-digit years are 1950 to
// 2049.

/// The validity of a certificate, both ends inclusive.
struct Validity {
    /// A time that cannot be read makes the validity empty.
    private(set) var notBefore = Timestamp(millisecondsSince1970: .max)
    private(set) var notAfter = Timestamp(millisecondsSince1970: .min)

    init(of certificate: Certificate, in bytes: Span<UInt8>) {
        var reader = ASN1Reader(bytes, in: certificate.validity)
        let times = try? reader.constructed(.sequence) { (reader) throws(ASN1Error) in
            try reader.elements(atMost: 2) { (reader) throws(ASN1Error) in try reader.time(bytes) }
        }
        guard let times, times.count == 2 else { return }
        if let time = times[0] { notBefore = time }
        if let time = times[1] { notAfter = time }
    }
}

extension ASN1Reader {
    /// Reads a Time. Returns nil if RFC 5280 does not allow its format.
    mutating func time(_ bytes: Span<UInt8>) throws(ASN1Error) -> Timestamp? {
        let isUTCTime = nextTag?.rawValue == 0x17
        var text = try primitive(ASN1Tag(rawValue: isUTCTime ? 0x17 : 0x18)).map { bytes[$0] }
        if isUTCTime, let decade = text.first {
            text = Array((decade >= UInt8(ascii: "5") ? "19" : "20").utf8) + text
        }
        guard text.count == 15 else { return nil }
        for (place, mark) in [(12, ":"), (10, ":"), (8, "T"), (6, "-"), (4, "-")] {
            text.insert(contentsOf: Array(mark.utf8), at: place)
        }
        return Timestamp(rfc3339: text.span)
    }
}
