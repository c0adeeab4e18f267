//     version      1 byte
//     signature    RSA, PKCS #1 v1.5: 128 bytes in version 2, 256 in versions 3 and 4;
//                  over SHA-256 in version 4, else SHA-1
//     length       4 bytes, big endian
//     certificate  the signer's certificate of that length, without its issuer
//
// Source: observed receipts. The signature covers the version byte, then purchase-info. The leaves of
// versions 3 and 4 also sign the payloads of PKCS #7 receipts. The version byte distinguishes the formats:
// - Payloads of the App Store begin with 0x31.
// - Payloads of Xcode begin with 0x04, a length and 0x31. They are refused under Apple's roots.
// - The signed bytes of version 4 begin with 0x04 and a brace, in place of that length.

/// The parsed `signature` of a transaction receipt.
struct TransactionReceiptSignature {
    enum Version: UInt8 {
        case two = 2
        case three = 3
        case four = 4

        fileprivate var signatureBytes: Int { self == .two ? 128 : 256 }
        var purpose: SigningPurpose { self == .two ? .oldTransactionReceipts : .receipts }
        var digest: DigestAlgorithm { self == .four ? .sha256 : .sha1 }
    }

    let version: Version
    let signature: Range<Int>
    let certificate: Range<Int>

    init(parsing blob: Span<UInt8>) throws(ReceiptError) {
        func fail(_ fault: TransactionReceiptFault, at offset: Int) -> ReceiptError {
            ReceiptError(.malformed, .transactionReceipt(fault), offset: offset, field: "signature")
        }
        guard !blob.isEmpty else { throw fail(.blob, at: 0) }
        guard let version = Version(rawValue: blob[0]) else { throw fail(.version, at: 0) }
        let length = 1 + version.signatureBytes
        guard blob.count - length >= 4 else { throw fail(.blob, at: blob.count) }
        let count = (0..<4).reduce(0) { $0 << 8 | Int(blob[length + $1]) }
        guard blob.count - length - 4 == count else { throw fail(.blob, at: length) }
        self.version = version
        signature = 1..<length
        certificate = length + 4..<blob.count
    }
}
