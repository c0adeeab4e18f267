import ReceiptASN1
import StrictJSON

// RFC 7515, 4. Apple and Xcode use only the members "alg", "x5c", "typ" and "kid". An unknown member could
// change the meaning of the signature (4.1.11), so all others are refused.

/// The header of a JWS. Only its certificates are used.
struct JWSHeader {
    /// The certificates in DER, concatenated.
    let bytes: [UInt8]
    let certificates: [Certificate]

    /// The numbers of certificates in a JWS of the App Store, and of StoreKit Test.
    static let appStoreCount = 3
    static let storeKitTestCount = 1

    init(parsing json: Span<UInt8>, limits: ReceiptLimits) throws(ReceiptError) {
        var bytes: [UInt8] = []
        var ranges: [Range<Int>] = []
        var isES256 = false
        var fault: ReceiptError?
        do throws(JSONError) {
            var reader = JSONReader(json)
            try reader.object { (reader, name) throws(JSONError) in
                switch name.ifASCII {
                case "alg": isES256 = try reader.string().isExactly("ES256")
                case "typ":
                    guard try reader.string().isExactly("JWT") else {
                        fault = fault ?? .jws(.headerMember, at: reader.offset, "header.typ")
                        return
                    }
                case "kid": _ = try reader.string()
                case "x5c":
                    try reader.array { (reader, index) throws(JSONError) in
                        guard index < Self.appStoreCount else {
                            fault = fault ?? .jws(.certificateCount, at: reader.offset, "header.x5c")
                            return try reader.skip()
                        }
                        let text = try reader.string(atMost: limits.certificateBytes / 3 * 4 + 4)
                        var at = 0
                        guard let der = StrictBase64.standard.decode(Array(text.utf8).span, fault: &at) else {
                            fault = fault ?? .jws(.base64, at: reader.offset, "header.x5c[\(index)]")
                            return
                        }
                        ranges.append(bytes.count..<bytes.count + der.count)
                        bytes += der
                    }
                default:
                    fault = fault ?? .jws(.headerMember, at: reader.offset, "header.\(name)")
                    try reader.skip()
                }
            }
            try reader.end()
        } catch {
            throw ReceiptError(error, in: "header")
        }
        if let fault { throw fault }
        guard isES256 else { throw .jws(.algorithm, at: nil, "header.alg") }
        guard ranges.count == Self.appStoreCount || ranges.count == Self.storeKitTestCount else {
            throw .jws(.certificateCount, at: nil, "header.x5c")
        }
        var certificates: [Certificate] = []
        for (index, range) in ranges.enumerated() {
            do throws(ASN1Error) {
                certificates.append(
                    try Certificate(whole: bytes.span, in: range, maximumCount: limits.certificateBytes))
            } catch {
                throw ReceiptError(
                    error.moved(to: error.offset - range.lowerBound).within("header.x5c[\(index)]"))
            }
        }
        self.bytes = bytes
        self.certificates = certificates
    }
}

extension Certificate {
    /// Reads the certificate that fills the range.
    init(whole bytes: Span<UInt8>, in range: Range<Int>, maximumCount: Int) throws(ASN1Error) {
        var reader = ASN1Reader(bytes, in: range)
        self = try Certificate(reading: &reader, of: bytes, maximumCount: maximumCount)
        try reader.finish()
    }
}

extension ReceiptError {
    /// Creates an error for a fault in JSON.
    /// - Parameter part: the part with the JSON, for example `payload`. The error's offset is relative to it.
    init(_ error: JSONError, in part: String) {
        let code: Code =
            switch error.fault {
            case .nestingTooDeep, .tooLong: .tooLarge
            default: .malformed
            }
        let dot = error.path.isEmpty || error.path.utf8.first == UInt8(ascii: "[") ? "" : "."
        self.init(code, .json(error.fault), offset: error.offset, field: (part + dot + error.path).cut)
    }
}
