import CReceiptCrypto

extension ReceiptError {
    /// Converts an error of the C module.
    /// - Parameters:
    ///   - limit: the maximum number of signature checks.
    ///   - certificate: the claims of the faulty certificate.
    init(
        _ error: inout receipt_crypto_error, limit: Int = 0, at time: Timestamp?,
        of certificate: CertificateFacts?
    ) {
        let openSSL = ReceiptError.message(of: &error)
        let (code, reason): (Code, Reason) =
            switch error.status {
            case RECEIPT_CRYPTO_NOT_VALID_AT_TIME:
                (.untrustedChain, .notValid(at: time ?? Timestamp(millisecondsSince1970: 0)))
            case RECEIPT_CRYPTO_BAD_CERTIFICATE: (.untrustedChain, .certificateUndecodable(openSSL: openSSL))
            case RECEIPT_CRYPTO_BAD_ALGORITHM: (.untrustedChain, .certificateAlgorithm)
            case RECEIPT_CRYPTO_BAD_KEY: (.untrustedChain, .certificateKey)
            case RECEIPT_CRYPTO_TOO_MANY_CHECKS: (.untrustedChain, .signatureChecks(limit: limit))
            case RECEIPT_CRYPTO_NOT_AN_AUTHORITY: (.untrustedChain, .notAnAuthority)
            case RECEIPT_CRYPTO_BAD_PATH_LENGTH: (.wrongPurpose, .pathLength)
            case RECEIPT_CRYPTO_NO_SIGNER_MARKER: (.wrongPurpose, .markerMissing(.signer))
            case RECEIPT_CRYPTO_NO_INTERMEDIATE_MARKER: (.wrongPurpose, .markerMissing(.intermediate))
            case RECEIPT_CRYPTO_BAD_KEY_USAGE: (.wrongPurpose, .keyUsage)
            case RECEIPT_CRYPTO_SIGNER_IS_AUTHORITY: (.wrongPurpose, .signerIsAuthority)
            case RECEIPT_CRYPTO_UNTRUSTED:
                (.untrustedChain, .noPath(code: error.x509_error, openSSL: openSSL))
            default: (.unreadable, .cryptographyUnavailable)
            }
        self.init(code, reason, field: "certificates", certificate: certificate)
    }

    init(crossCheck error: inout receipt_crypto_error) {
        let openSSL = ReceiptError.message(of: &error)
        let code: Code =
            switch error.status {
            case RECEIPT_CRYPTO_UNTRUSTED: .untrustedChain
            case RECEIPT_CRYPTO_BAD_SIGNATURE: .badSignature
            case RECEIPT_CRYPTO_DISAGREES: .malformed
            default: .unreadable
            }
        self.init(code, code == .unreadable ? .cryptographyUnavailable : .crossCheck(openSSL: openSSL))
    }

    private static func message(of error: inout receipt_crypto_error) -> String {
        unsafe withUnsafeBytes(of: &error.message) {
            unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}
