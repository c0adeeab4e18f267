// BASE64URL(UTF8(JWS Protected Header)) || '.' ||
// BASE64URL(JWS Payload) || '.' ||
// BASE64URL(JWS Signature)
//
// RFC 7515, 7.1. The "JWS Signing Input" (5.1) is the unchanged text before the second period.

/// The ranges of the three parts in a compact JWS.
struct CompactJWS {
    let header: Range<Int>
    let payload: Range<Int>
    let signature: Range<Int>

    var signingInput: Range<Int> { header.lowerBound..<payload.upperBound }

    /// The length of an ES256 signature in bytes: r and s of 32 bytes each (RFC 7518, 3.4).
    static let signatureBytes = 64

    init(_ text: Span<UInt8>, limits: ReceiptLimits) throws(ReceiptError) {
        guard text.count <= limits.signedTextBytes else {
            throw ReceiptError(.tooLarge, .inputTooLarge(limit: limits.signedTextBytes))
        }
        let first = text.index(of: ".", from: 0)
        let second = text.index(of: ".", from: first + 1)
        guard second < text.count else {
            // A purchase token of Google Play has a single period.
            throw ReceiptError(
                .malformed, .jws(.parts), offset: text.count,
                resemblance: text.starts(with: ".AO-J1".utf8, at: first) ? .googlePlayToken : nil)
        }
        let third = text.index(of: ".", from: second + 1)
        guard third >= text.count else { throw .jws(.parts, at: third) }
        header = 0..<first
        payload = first + 1..<second
        signature = second + 1..<text.count
    }

    func bytes(_ part: Range<Int>, of text: Span<UInt8>, field: String) throws(ReceiptError) -> [UInt8] {
        var fault = 0
        guard let bytes = StrictBase64.url.decode(text.extracting(part), fault: &fault) else {
            throw .jws(.base64, at: part.lowerBound + fault, field)
        }
        return bytes
    }

    func signatureBytes(of text: Span<UInt8>) throws(ReceiptError) -> [UInt8] {
        let bytes = try bytes(signature, of: text, field: "signature")
        guard bytes.count == Self.signatureBytes else {
            throw .jws(.signatureLength, at: signature.lowerBound, "signature")
        }
        return bytes
    }
}

extension ReceiptError {
    static func jws(_ fault: JWSFault, at offset: Int?, _ field: String? = nil) -> ReceiptError {
        ReceiptError(.malformed, .jws(fault), offset: offset, field: field)
    }
}
