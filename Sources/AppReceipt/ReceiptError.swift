public import ReceiptASN1
public import StrictJSON

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

    /// Index of the first byte of the element at fault: in the DER container, in the decoded
    /// header or payload of a JWS that ``field`` names, or, for a fault of the text that encodes it, in the input. Nil where no byte is to blame.
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
    /// The object was not made for this device, or does not say for which.
    package static let wrongDevice = ReceiptError(.wrongDevice, .deviceHash, field: "payload.sha1_hash")

    /// The same error, blamed on another field.
    func at(_ field: String) -> ReceiptError {
        ReceiptError(code, reason, offset: offset, field: field, certificate: certificate)
    }

    /// What was found, as facts.
    public enum Reason: Hashable, Sendable {
        /// The bytes do not follow the grammar.
        case encoding(ASN1Fault)
        /// The input is no text encoding of a receipt either.
        case text(InputEncoding.Fault)
        /// The JSON of a JWS or an API answer does not follow the grammar, or holds another type than is documented.
        case json(JSONFault)
        case jws(JWSFault)
        case transactionReceipt(TransactionReceiptFault)
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
        /// The root that comes with a JWS is none of the trusted ones, byte for byte.
        case notAnAnchor
        case notValid(at: Timestamp)
        case certificateUndecodable(openSSL: String)
        case certificateAlgorithm
        case certificateKey
        case notAnAuthority
        case pathLength
        case markerMissing(Marker)
        case keyUsage
        /// A StoreKit Test certificate signed for another environment than Xcode's, or Apple's for Xcode's.
        case realm
        /// Not on the closed list; dotted decimal.
        case digestAlgorithm(String)
        case signatureAlgorithm(String)
        /// RFC 5652, 11.1: signed attributes carry the content type data, once.
        case contentTypeAttribute
        /// RFC 5652, 11.2: signed attributes carry the digest of the content, once.
        case messageDigestAttribute
        case signatureMismatch
        /// OpenSSL's own PKCS #7 code does not agree.
        case secondOpinion(openSSL: String)
        case bundleID(expected: String, found: String?)
        case environment(expected: ReceiptEnvironment, found: ReceiptEnvironment?)
        /// The device hash is another one, or the receipt holds none.
        case deviceHash
        /// OpenSSL failed where the receipt is not to blame, for example out of memory.
        case cryptographyUnavailable
    }

    public enum Marker: Hashable, Sendable { case signer, intermediate }
}
