/// The encodings in which receipts are transferred.
public enum ReceiptEncoding: String, CaseIterable, Hashable, Sendable {
    /// DER without further encoding.
    case der
    /// Base64 on one line (RFC 4648, 4).
    case base64
    /// Base64 in lines of 64 characters that end with CR LF.
    case base64Wrapped = "base64-wrapped"
    /// PEM (RFC 7468), with BEGIN and END lines.
    case pem
    /// Base64url (RFC 4648, 5) without padding.
    case base64url

    /// The file extension for this encoding, without the dot.
    public var fileExtension: String {
        switch self {
        case .der: "der"
        case .pem: "pem"
        case .base64, .base64Wrapped, .base64url: "b64"
        }
    }

    /// Returns the receipt in this encoding.
    /// - Parameters:
    ///   - receipt: The bytes.
    ///   - label: The label in PEM.
    public func encode(_ receipt: [UInt8], label: String = "PKCS7") -> [UInt8] {
        switch self {
        case .der: receipt
        case .base64: Base64.encode(receipt)
        case .base64Wrapped: Base64.wrapped(receipt, lineEnd: [0x0D, 0x0A])
        case .pem:
            Array("-----BEGIN \(label)-----\n".utf8) + Base64.wrapped(receipt, lineEnd: [0x0A])
                + Array("-----END \(label)-----\n".utf8)
        case .base64url: Base64.encode(receipt, urlSafe: true)
        }
    }
}
