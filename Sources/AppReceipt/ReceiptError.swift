public import ReceiptASN1
public import StrictJSON

/// The error for a refused receipt: a code for scripts, a reason with details, and the place.
public struct ReceiptError: Error, Hashable, Sendable {
    /// The refusal codes of the JSON contract.
    public enum Code: String, Sendable, CaseIterable {
        /// The bytes are not a receipt, or are damaged: they violate the grammar, or a value is invalid.
        case malformed
        /// A limit of ``ReceiptLimits`` is exceeded.
        case tooLarge = "too_large"
        /// No chain of valid certificates leads from the signer to a trust anchor that is allowed for this
        /// receipt.
        case untrustedChain = "untrusted_chain"
        /// The chain ends at a trust anchor, but its certificates are not meant for App Store receipts.
        case wrongPurpose = "wrong_purpose"
        /// The signature does not match the content, or its algorithm is not on the allowed list.
        case badSignature = "bad_signature"
        /// A certificate of the chain was revoked, or the caller distrusts it; see ``RevocationSettings``.
        case revoked
        /// No revocation list shows the status of a certificate, and the policy is ``RevocationPolicy/require``.
        case revocationUnknown = "revocation_unknown"
        /// Genuine, but for another app than the policy expects.
        case wrongBundleID = "wrong_bundle_id"
        /// Genuine, but for another environment than the policy expects, or for an unknown one.
        case wrongEnvironment = "wrong_environment"
        /// Genuine, but for another device than expected.
        case wrongDevice = "wrong_device"
        /// The receipt was not verified. Either OpenSSL failed, for example out of memory, or the input could
        /// not be read. Callers may retry if ``ReceiptError/isTransient`` is true.
        case unreadable
    }

    /// The kind of refusal, for scripts and switch statements.
    public let code: Code
    /// The exact reason, with details.
    public let reason: Reason

    /// The offset of the first byte of the faulty element, in bytes. It is relative to the DER container, or
    /// to the decoded header or payload of a JWS that ``field`` names. For a fault of the text encoding, it
    /// is relative to the input. Nil if no byte is the cause.
    public let offset: Int?

    /// The faulty field, for example `signerInfos[0].signature`.
    public let field: String?

    /// The faulty certificate, if the chain is not trusted.
    public let certificate: CertificateFacts?

    /// The format that the input resembles, if it is not a receipt and the format is known.
    public let resemblance: InputResemblance?

    /// Creates an error in the caller's own words, for example for a file that cannot be read.
    /// - Parameters:
    ///   - code: the kind of refusal.
    ///   - message: one line for people.
    ///   - offset: the offset of the faulty element in bytes, or nil.
    ///   - field: the faulty field, or nil.
    public init(_ code: Code, message: String, offset: Int? = nil, field: String? = nil) {
        self.init(code, .input(message), offset: offset, field: field)
    }

    package init(
        _ code: Code, _ reason: Reason, offset: Int? = nil, field: String? = nil,
        certificate: CertificateFacts? = nil, resemblance: InputResemblance? = nil
    ) {
        self.code = code
        self.reason = reason
        self.offset = offset
        self.field = field
        self.certificate = certificate
        self.resemblance = resemblance
    }

    init(_ error: ASN1Error, resemblance: InputResemblance? = nil) {
        let code: Code =
            switch error.fault {
            case .tooMany, .tooLong: .tooLarge
            default: .malformed
            }
        self.init(
            code, .encoding(error.fault), offset: error.offset, field: error.path.isEmpty ? nil : error.path,
            resemblance: resemblance)
    }
}

extension ReceiptError {
    /// Whether the machine lacked a resource: the input was not evaluated, and a retry may succeed.
    public var isTransient: Bool {
        switch reason {
        case .cryptographyUnavailable, .shortage: true
        default: false
        }
    }

    /// The error for a receipt that is for another device or names none.
    package static let wrongDevice = ReceiptError(.wrongDevice, .deviceHash, field: "payload.sha1_hash")

    /// Returns the same error for another field.
    package func at(_ field: String?) -> ReceiptError {
        ReceiptError(
            code, reason, offset: offset, field: field, certificate: certificate, resemblance: resemblance)
    }

    /// The reason for a refusal, with details.
    public enum Reason: Hashable, Sendable {
        /// The bytes do not follow the grammar.
        case encoding(ASN1Fault)
        /// The input is not a text encoding of a receipt.
        case text(InputEncoding.Fault)
        /// The JSON of a JWS or an API response violates the grammar, or has a value of another type than
        /// documented.
        case json(JSONFault)
        /// A fault of a JWS other than its JSON.
        case jws(JWSFault)
        /// A fault of a transaction receipt.
        case transactionReceipt(TransactionReceiptFault)
        /// The input is longer than the limit, in bytes.
        case inputTooLarge(limit: Int)
        /// The container does not have the certificate that SignerInfo names.
        case signerNotFound
        /// The container has different certificates with the issuer and serial number that SignerInfo names.
        case signerAmbiguous
        /// No path leads to a trust anchor.
        /// - Parameters:
        ///   - code: OpenSSL's X509_V_ERR_* code.
        ///   - openSSL: OpenSSL's text for that code.
        case noPath(code: Int32, openSSL: String)
        /// The signer of a transaction receipt names an issuer that is not known for its version.
        case signerIssuerUnknown
        /// The root in a JWS is not byte for byte one of the trusted roots.
        case notAnAnchor
        /// A certificate of the chain was not valid at the receipt's creation date.
        case notValid(at: Timestamp)
        /// A certificate violates RFC 5280 in the named field.
        case certificateUndecodable(openSSL: String)
        /// The signature algorithm of a certificate is not on the allowed list, or the certificate names two
        /// different ones.
        case certificateAlgorithm
        /// The key of a certificate is not on the allowed list: RSA of 2,048 to 8,192 bits, P-256 or P-384;
        /// only P-256 for JWS signers.
        case certificateKey
        /// No chain was found within ``ReceiptLimits/signatureChecks``.
        case signatureChecks(limit: Int)
        /// An issuer in the chain is not a certificate authority (RFC 5280, 4.2.1.9).
        case notAnAuthority
        /// The chain does not consist of signer, intermediate and root.
        case pathLength
        /// A certificate lacks Apple's marker extension for certificates that sign receipts.
        case markerMissing(Marker)
        /// The signer's certificate has neither of the key usages digitalSignature and nonRepudiation (RFC
        /// 5280, 4.2.1.3).
        case keyUsage
        /// The signer's certificate belongs to a certificate authority (RFC 5280, 4.2.1.9).
        case signerIsAuthority
        /// The chain ends at a trust anchor of this kind, which is not allowed for the object's environment.
        /// StoreKit Test certificates are allowed only for receipts of type Xcode and for JWS of Xcode or
        /// local testing. JWS of these environments are allowed only under StoreKit Test certificates.
        case realm(TrustAnchorKind)
        /// A certificate was revoked or is distrusted.
        case revoked(RevokedCertificate)
        /// No revocation list shows the status of the certificate at this depth, counted from the signer at 0.
        /// The caveat is the reason, if a list names the certificate for later dates.
        case revocationUnknown(depth: Int, RevocationStatus.Caveat?)
        /// The digest algorithm, in dotted decimal, is not on the allowed list.
        case digestAlgorithm(String)
        /// The signature algorithm, in dotted decimal, is not allowed or does not match the signer's key.
        /// Allowed are RSA PKCS #1 v1.5 and ECDSA over the digest that SignerInfo names.
        case signatureAlgorithm(String)
        /// SHA-1 signatures of this certificate are not accepted; see ``SHA1Signatures``.
        case sha1(notAfter: Timestamp)
        /// Signed attributes must contain the content type data exactly once (RFC 5652, 11.1).
        case contentTypeAttribute
        /// Signed attributes must contain the digest of the content exactly once (RFC 5652, 11.2).
        case messageDigestAttribute
        /// The signature was not made over this content with the signer's key.
        case signatureMismatch
        /// OpenSSL's own PKCS #7 verification disagrees.
        case crossCheck(openSSL: String)
        /// The object is for the app `found`, but the policy expects one of `expected`. `found` is nil if the
        /// object names no app.
        case bundleID(expected: [String], found: String?)
        /// The object names the `appAppleId` `found`, but the policy expects one of `expected`. `found` is
        /// nil if the object names none.
        case appAppleID(expected: [Int64], found: Int64?)
        /// The object names no `appAppleId`, but the policy expects one of `expected`. Its bundle ID would
        /// identify the app, but the policy expects no bundle ID.
        case appAppleIDWithoutBundleID(expected: [Int64])
        /// The object is for the environment `found`, but the policy expects one of `expected`. `found` is
        /// nil if the object names no known environment.
        case environment(expected: [ReceiptEnvironment], found: ReceiptEnvironment?)
        /// The device hash does not match, or is missing.
        case deviceHash
        /// The object does not prove that it is for the device.
        case deviceVerification(DeviceVerificationFault)
        /// OpenSSL failed for a reason other than the receipt, for example out of memory.
        case cryptographyUnavailable
        /// The input could not be read or used, in the words of the code that read it.
        case input(String)
        /// The machine lacked a resource to read the input, for example file descriptors.
        case shortage(String)
    }

    /// A marker extension of Apple's certificates.
    public enum Marker: Hashable, Sendable {
        /// 1.2.840.113635.100.6.11.1, in certificates that sign App Store receipts.
        case signer
        /// 1.2.840.113635.100.6.2.1, in Apple's Worldwide Developer Relations intermediates.
        case intermediate
    }
}
