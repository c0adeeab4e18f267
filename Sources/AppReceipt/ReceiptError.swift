public import ReceiptASN1

/// Why a receipt was refused: a code for scripts, a reason with its facts, and the place.
public struct ReceiptError: Error, Hashable, Sendable {
    /// The refusal codes of the JSON contract.
    public enum Code: String, Sendable, CaseIterable {
        case malformed
        case tooLarge = "too_large"
        case untrustedChain = "untrusted_chain"
        case wrongPurpose = "wrong_purpose"
        case badSignature = "bad_signature"
        case wrongBundleID = "wrong_bundle_id"
        case wrongEnvironment = "wrong_environment"
        case wrongDevice = "wrong_device"
        case unreadable
    }

    public let code: Code
    public let reason: Reason

    /// Index of the first byte of the element at fault: in the DER container, or, for a fault of the text
    /// that encodes it, in the input. Nil where no byte is to blame.
    public let offset: Int?

    /// The field at fault, for example `signerInfos[0].signature`.
    public let field: String?

    /// The certificate at fault, where trust failed.
    public let certificate: CertificateFacts?

    init(
        _ code: Code, _ reason: Reason, offset: Int? = nil, field: String? = nil,
        certificate: CertificateFacts? = nil
    ) {
        self.code = code
        self.reason = reason
        self.offset = offset
        self.field = field
        self.certificate = certificate
    }

    init(_ error: ASN1Error) {
        let code: Code =
            switch error.fault {
            case .tooMany, .tooLong: .tooLarge
            default: .malformed
            }
        self.init(
            code, .encoding(error.fault), offset: error.offset, field: error.path.isEmpty ? nil : error.path)
    }
}

extension ReceiptError {
    /// What was found, as facts.
    public enum Reason: Hashable, Sendable {
        /// The bytes do not follow the grammar.
        case encoding(ASN1Fault)
        /// The input is no text encoding of a receipt either.
        case text(InputEncoding.Fault)
        /// The input has more bytes than the limit allows.
        case inputTooLarge(limit: Int)
        /// The certificate that SignerInfo names is not in the container.
        case signerNotFound
        /// The container holds different certificates with the issuer and serial that SignerInfo names.
        case signerAmbiguous
        /// OpenSSL found no path to an anchor.
        /// - Parameters:
        ///   - code: X509_V_ERR_* of OpenSSL.
        ///   - openSSL: what OpenSSL said beside, drained from its error queue.
        case noPath(code: Int32, openSSL: String)
        case notValid(at: Timestamp)
        case certificateUndecodable(openSSL: String)
        case certificateAlgorithm
        case certificateKey
        /// No chain was found within ``ReceiptLimits/signatureChecks``.
        case signatureChecks(limit: Int)
        case notAnAuthority
        case pathLength
        case markerMissing(Marker)
        case keyUsage
        /// The anchor is a StoreKit Test certificate and the receipt is not of type Xcode.
        case realm
        /// Not on the closed list; dotted decimal.
        case digestAlgorithm(String)
        case signatureAlgorithm(String)
        /// SHA-1, by a certificate of which it is not taken; see ``SHA1Signatures``.
        case sha1(notAfter: Timestamp)
        /// RFC 5652, 11.1: signed attributes carry the content type data, once.
        case contentTypeAttribute
        /// RFC 5652, 11.2: signed attributes carry the digest of the content, once.
        case messageDigestAttribute
        case signatureMismatch
        /// OpenSSL's own PKCS #7 code does not agree.
        case secondOpinion(openSSL: String)
        case bundleID(expected: String, found: String)
        case environment(expected: ReceiptEnvironment, found: ReceiptEnvironment?)
        /// The device hash is another one, or the receipt holds none.
        case deviceHash
        /// OpenSSL failed where the receipt is not to blame, for example out of memory.
        case cryptographyUnavailable
    }

    public enum Marker: Hashable, Sendable { case signer, intermediate }
}
