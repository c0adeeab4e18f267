import CReceiptCrypto

/// What a certificate says of itself. Whether that is true depends on where it was found.
public struct CertificateFacts: Hashable, Sendable {
    /// Names as in RFC 4514, in the certificate's order, control characters escaped.
    public let subject: String
    public let issuer: String
    /// Lower-case hexadecimal digits.
    public let serialNumber: String
    /// Validity, both ends inclusive.
    public let notBefore: Timestamp
    public let notAfter: Timestamp
    /// Of the DER bytes; empty where OpenSSL failed.
    public let sha256: [UInt8]

    init(_ certificate: OpaquePointer, in context: CryptoContext) {
        subject = unsafe name(receipt_crypto_certificate_subject(certificate))
        issuer = unsafe name(receipt_crypto_certificate_issuer(certificate))
        serialNumber = unsafe text(256) { unsafe receipt_crypto_certificate_serial(certificate, $0, $1) }
        var first: Int64 = 0
        var last: Int64 = 0
        unsafe receipt_crypto_certificate_validity(certificate, &first, &last)
        notBefore = Timestamp(clampingSeconds: first)
        notAfter = Timestamp(clampingSeconds: last)
        sha256 = unsafe Array(Digest(receipt_crypto_certificate_sha256(context.pointer, certificate)).bytes)
    }
}

private func name(_ slice: receipt_crypto_slice) -> String {
    let der = unsafe [UInt8](UnsafeBufferPointer(start: slice.bytes, count: slice.count))
    return NameText.text(of: 0..<der.count, in: der.span)
}

private func text(_ size: Int, _ fill: (UnsafeMutablePointer<CChar>, Int) -> Void) -> String {
    var buffer = [CChar](repeating: 0, count: size)
    unsafe buffer.withUnsafeMutableBufferPointer { buffer in
        if let start = buffer.baseAddress { unsafe fill(start, size) }
    }
    return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}

extension Timestamp {
    fileprivate init(clampingSeconds seconds: Int64) {
        let (milliseconds, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        self.init(millisecondsSince1970: overflow ? (seconds < 0 ? .min : .max) : milliseconds)
    }
}
