import ReceiptASN1

extension Certificate {
    /// Returns this certificate with the other valid signature. If (r, s) is a valid ECDSA signature, (r, n - s)
    /// is another one for the same content. Anyone can compute it, and the digest of the certificate changes.
    ///
    /// The issuer's curve is not known here, so there is a form for each curve whose order n is above s. A form
    /// for the wrong curve has no valid signature, so no digest of a certificate is its own. Empty if the
    /// signature is not ECDSA.
    /// - Parameter der: the certificate.
    func twins(of der: [UInt8]) -> [[UInt8]] {
        guard signatureAlgorithm?.isECDSA == true, let value = signatureValue(of: der.span) else { return [] }
        return [p256Order, p384Order].compactMap { order -> [UInt8]? in
            guard let other = difference(order, value.s) else { return nil }
            let integer = derHeader(0x02, other.count) + other
            let numbers = derHeader(0x30, value.r.count + integer.count) + value.r + integer
            let bits = derHeader(0x03, numbers.count + 1) + [0] + numbers
            let content = der[tbs] + der[value.algorithm] + bits
            return derHeader(0x30, content.count) + content
        }
    }

    /// Returns the range of the outer algorithm, the whole element of r, and the magnitude of s.
    private func signatureValue(
        of bytes: Span<UInt8>
    ) -> (algorithm: Range<Int>, r: [UInt8], s: [UInt8])? {
        var outer = ASN1Reader(bytes, in: tbs.upperBound..<bytes.count)
        var reader = ASN1Reader(bytes, in: signature)
        guard let algorithm = try? outer.element() else { return nil }
        let numbers = try? reader.constructed(.sequence) { (reader) throws(ASN1Error) in
            let r = try reader.element()
            return (r, try reader.primitive(.integer))
        }
        guard let (r, s) = numbers else { return nil }
        return (algorithm, r.map { bytes[$0] }, Array(s.map { bytes[$0] }.drop { $0 == 0 }))
    }
}

/// Returns the content of the INTEGER order - number, or nil if it is not positive.
private func difference(_ order: [UInt8], _ number: [UInt8]) -> [UInt8]? {
    guard number.count <= order.count else { return nil }
    var result = order
    var borrow = 0
    let padded = [UInt8](repeating: 0, count: order.count - number.count) + number
    for index in order.indices.reversed() {
        let digit = Int(order[index]) - Int(padded[index]) - borrow
        borrow = digit < 0 ? 1 : 0
        result[index] = UInt8(truncatingIfNeeded: digit)
    }
    let magnitude = Array(result.drop { $0 == 0 })
    guard borrow == 0, let first = magnitude.first else { return nil }
    return first >= 0x80 ? [0] + magnitude : magnitude
}

// The orders of the curves' groups (SEC 2, 2.4.2 and 2.5.1).
private let p256Order: [UInt8] = [
    0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xBC,
    0xE6,
    0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
]
private let p384Order: [UInt8] =
    [UInt8](repeating: 0xFF, count: 24) + [
        0xC7, 0x63, 0x4D, 0x81, 0xF4, 0x37, 0x2D, 0xDF, 0x58, 0x1A, 0x0D, 0xB2, 0x48, 0xB0, 0xA7, 0x7A, 0xEC,
        0xEC, 0x19, 0x6A, 0xCC, 0xC5, 0x29, 0x73,
    ]
