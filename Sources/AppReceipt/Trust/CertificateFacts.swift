import CReceiptCrypto
import ReceiptASN1

/// What a certificate says of itself. Whether that is true depends on where it was found.
public struct CertificateFacts: Hashable, Sendable {
    /// Names as in RFC 4514, in the certificate's order, control characters escaped, cut after 1,023 bytes of UTF-8;
    /// `unreadable` for what is no name.
    public let subject: String
    /// Who signed it, written as ``subject`` is.
    public let issuer: String
    /// Lower-case hexadecimal digits, of 127 bytes at most; with `-` in front where it is negative.
    public let serialNumber: String
    /// Validity, both ends inclusive; empty where a time is none of RFC 5280's.
    public let notBefore: Timestamp
    /// The last instant of its validity.
    public let notAfter: Timestamp
    /// Of the DER bytes; empty where OpenSSL failed.
    public let sha256: [UInt8]

    /// Nobody need have signed the certificate: OpenSSL only hashes it.
    init(_ certificate: Certificate, of bytes: Span<UInt8>, in context: CryptoContext) {
        subject = NameText.text(of: certificate.subject, in: bytes)
        issuer = NameText.text(of: certificate.issuer, in: bytes)
        serialNumber = hexadecimal(ofInteger: certificate.serialNumber.map { bytes[$0] })
        let validity = Validity(of: certificate, in: bytes)
        notBefore = validity.notBefore
        notAfter = validity.notAfter
        sha256 = (try? context.digest(.sha256, of: bytes.extracting(certificate.der)))?.bytes ?? []
    }

    /// Nil where the bytes are no certificate.
    init?(der: [UInt8], in context: CryptoContext) {
        guard let certificate = Certificate(der: der) else { return nil }
        self.init(certificate, of: der.span, in: context)
    }
}

extension Certificate {
    /// A certificate that stands alone; nil where the bytes are none.
    init?(der: [UInt8]) {
        var reader = ASN1Reader(der.span)
        guard let certificate = try? Certificate(reading: &reader, of: der.span, maximumCount: .max),
            (try? reader.finish()) != nil
        else { return nil }
        self = certificate
    }
}

/// The digits of the magnitude, without leading zeros.
private func hexadecimal(ofInteger content: [UInt8]) -> String {
    let isNegative = content.first.map { $0 >= 0x80 } ?? false
    var magnitude = content
    if isNegative {
        // Two's complement: all bits but those behind the last one that is set.
        var carry = true
        for index in magnitude.indices.reversed() {
            magnitude[index] = ~magnitude[index] &+ (carry ? 1 : 0)
            carry = carry && magnitude[index] == 0
        }
    }
    let digits = magnitude.dropLast().drop { $0 == 0 } + magnitude.suffix(1)
    return (isNegative ? "-" : "")
        + digits.prefix(127).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}
