import CReceiptCrypto
import ReceiptASN1

/// The claims of a certificate. They are proven only if the certificate is part of a verified chain.
public struct CertificateFacts: Hashable, Sendable {
    /// The subject as in RFC 4514, in the certificate's order, with control characters escaped, and cut off
    /// after 1,023 bytes of UTF-8. `unreadable` if it is not a valid name.
    public let subject: String
    /// The issuer, in the same form as ``subject``.
    public let issuer: String
    /// The serial number in lower-case hexadecimal, at most 127 bytes; a negative one starts with `-`.
    public let serialNumber: String
    /// The first instant of the validity. If RFC 5280 does not allow the format of one of the times, the
    /// validity is empty.
    public let notBefore: Timestamp
    /// The last instant of the validity.
    public let notAfter: Timestamp
    /// The SHA-256 of the DER bytes, or empty if OpenSSL failed.
    public let sha256: [UInt8]

    /// Reads the claims of a certificate. It may be unsigned, so OpenSSL only hashes it.
    init(_ certificate: Certificate, of bytes: Span<UInt8>, in context: CryptoContext) {
        subject = NameText.text(of: certificate.subject, in: bytes)
        issuer = NameText.text(of: certificate.issuer, in: bytes)
        serialNumber = hexadecimal(ofInteger: certificate.serialNumber.map { bytes[$0] })
        let validity = Validity(of: certificate, in: bytes)
        notBefore = validity.notBefore
        notAfter = validity.notAfter
        sha256 = (try? context.digest(.sha256, of: bytes.extracting(certificate.der)))?.bytes ?? []
    }

    /// Reads the claims of a certificate in DER. Returns nil if the bytes are not a certificate.
    init?(der: [UInt8], in context: CryptoContext) {
        guard let certificate = Certificate(der: der) else { return nil }
        self.init(certificate, of: der.span, in: context)
    }
}

extension Certificate {
    /// Parses bytes that consist of one certificate. Returns nil for other bytes.
    init?(der: [UInt8]) {
        let certificate = try? Certificate(whole: der.span, in: 0..<der.count, maximumCount: .max)
        guard let certificate else { return nil }
        self = certificate
    }
}

/// Returns the digits of the magnitude without leading zeros, after `-` if the number is negative.
private func hexadecimal(ofInteger content: [UInt8]) -> String {
    let isNegative = content.first.map { $0 >= 0x80 } ?? false
    var magnitude = content
    if isNegative {
        // Negates in two's complement: inverts all bits above the lowest set bit.
        var carry = true
        for index in magnitude.indices.reversed() {
            magnitude[index] = ~magnitude[index] &+ (carry ? 1 : 0)
            carry = carry && magnitude[index] == 0
        }
    }
    let digits = magnitude.dropLast().drop { $0 == 0 } + magnitude.suffix(1)
    return (isNegative ? "-" : "") + hexadecimal(digits.prefix(127))
}
