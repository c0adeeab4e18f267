public import ReceiptASN1
public import StrictJSON

/// Why a receipt was refused: a code for scripts, a reason with its facts, and the place.
public struct ReceiptError: Error, Hashable, Sendable {
    /// The refusal codes of the JSON contract.
    public enum Code: String, Sendable, CaseIterable {
        /// The bytes are no receipt, or a damaged one: they do not follow the grammar, or a value does not read as it
        /// should.
        case malformed
        /// One of the ``ReceiptLimits`` is exceeded.
        case tooLarge = "too_large"
        /// No chain of valid certificates leads from the signer to an anchor that may vouch for this receipt.
        case untrustedChain = "untrusted_chain"
        /// The chain ends at an anchor, and its certificates are not made for receipts of the App Store.
        case wrongPurpose = "wrong_purpose"
        /// The signature does not fit the content, or is of an algorithm that is not on the closed list.
        case badSignature = "bad_signature"
        /// Genuine, and of another app than the audience's.
        case wrongBundleID = "wrong_bundle_id"
        /// Genuine, and of another environment than the audience's, or of none that is known.
        case wrongEnvironment = "wrong_environment"
        /// Genuine, and made for another device than the one demanded.
        case wrongDevice = "wrong_device"
        /// OpenSSL failed, for example out of memory: the receipt was not judged, and may be tried again.
        case unreadable
    }

    /// What kind of refusal it is: for scripts, and to switch over.
    public let code: Code
    /// What exactly was found, as facts.
    public let reason: Reason

    /// Index of the first byte of the element at fault: in the DER container, in the decoded header or payload of a JWS
    /// that ``field`` names, or, for a fault of the text that encodes it, in the input. Nil where no byte is to blame.
    public let offset: Int?

    /// The field at fault, for example `signerInfos[0].signature`.
    public let field: String?

    /// The certificate at fault, where trust failed.
    public let certificate: CertificateFacts?

    /// What an input looks like that is no receipt, where that is known.
    public let resemblance: InputResemblance?

    init(
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
    /// The receipt was not made for this device, or does not say for which.
    package static let wrongDevice = ReceiptError(.wrongDevice, .deviceHash, field: "payload.sha1_hash")

    /// The same error, blamed on another field.
    func at(_ field: String) -> ReceiptError {
        ReceiptError(
            code, reason, offset: offset, field: field, certificate: certificate, resemblance: resemblance)
    }

    /// What was found, as facts.
    public enum Reason: Hashable, Sendable {
        /// The bytes do not follow the grammar.
        case encoding(ASN1Fault)
        /// The input is no text encoding of a receipt either.
        case text(InputEncoding.Fault)
        /// The JSON of a JWS or an API answer does not follow the grammar, or holds another type than is documented.
        case json(JSONFault)
        /// What is wrong with a JWS beside its JSON.
        case jws(JWSFault)
        /// A fault of a transaction receipt.
        case transactionReceipt(TransactionReceiptFault)
        /// The input has more bytes than the limit allows.
        case inputTooLarge(limit: Int)
        /// The certificate that SignerInfo names is not in the container.
        case signerNotFound
        /// The container holds different certificates with the issuer and serial that SignerInfo names.
        case signerAmbiguous
        /// There is no path to an anchor.
        /// - Parameters:
        ///   - code: X509_V_ERR_* of OpenSSL.
        ///   - openSSL: OpenSSL's words for that code.
        case noPath(code: Int32, openSSL: String)
        /// The signer of a transaction receipt names an issuer that is not among the known ones of its version.
        case signerIssuerUnknown
        /// The root that comes with a JWS is none of the trusted ones, byte for byte.
        case notAnAnchor
        /// A certificate of the chain was not valid at the receipt's creation date, which is given.
        case notValid(at: Timestamp)
        /// A certificate is not as RFC 5280 has it; the field at fault.
        case certificateUndecodable(openSSL: String)
        /// A certificate is signed by an algorithm that is not on the closed list, or names two.
        case certificateAlgorithm
        /// A certificate's key is not on the closed list: RSA of 2,048 to 8,192 bits, P-256 or P-384; for JWS signers P-256
        /// alone.
        case certificateKey
        /// No chain was found within ``ReceiptLimits/signatureChecks``.
        case signatureChecks(limit: Int)
        /// An issuer in the chain is no certificate authority (RFC 5280, 4.2.1.9).
        case notAnAuthority
        /// The chain is not signer, intermediate, root.
        case pathLength
        /// A certificate lacks the extension by which Apple marks those that take part in signing receipts.
        case markerMissing(Marker)
        /// The signer's certificate has neither of the key usages digitalSignature and nonRepudiation (RFC 5280,
        /// 4.2.1.3).
        case keyUsage
        /// The signer's certificate is one of a certificate authority (RFC 5280, 4.2.1.9).
        case signerIsAuthority
        /// The chain ends at an anchor of this realm, which does not vouch for the environment that the object names: a
        /// StoreKit Test certificate vouches for Xcode's alone, and a root of any other realm for all but Xcode's.
        case realm(TrustRealm)
        /// Not on the closed list; dotted decimal.
        case digestAlgorithm(String)
        /// The signature's algorithm is not RSA PKCS #1 v1.5 or ECDSA over the digest that SignerInfo names, or it does not
        /// fit the signer's key; dotted decimal.
        case signatureAlgorithm(String)
        /// SHA-1, by a certificate of which it is not taken; see ``SHA1Signatures``.
        case sha1(notAfter: Timestamp)
        /// RFC 5652, 11.1: signed attributes carry the content type data, once.
        case contentTypeAttribute
        /// RFC 5652, 11.2: signed attributes carry the digest of the content, once.
        case messageDigestAttribute
        /// The signer's key did not make this signature over this content.
        case signatureMismatch
        /// OpenSSL's own PKCS #7 code does not agree.
        case secondOpinion(openSSL: String)
        /// The object is of the app `found`, nil where it names none, which is not among those that are `expected`.
        case bundleID(expected: [String], found: String?)
        /// The object names the app by the `appAppleId` `found`, nil where it names none, which is not among those that are
        /// `expected`.
        case appAppleID(expected: [Int64], found: Int64?)
        /// The object names no `appAppleId`, of which some are `expected`. Its bundle ID would prove the app, and none is
        /// expected.
        case appAppleIDWithoutBundleID(expected: [Int64])
        /// The object is of the environment `found`, nil where it names none that is known, which is not among those that
        /// are `expected`.
        case environment(expected: [ReceiptEnvironment], found: ReceiptEnvironment?)
        /// The device hash is another one, or the receipt holds none.
        case deviceHash
        /// The object does not prove to be for the device.
        case deviceVerification(DeviceVerificationFault)
        /// OpenSSL failed where the receipt is not to blame, for example out of memory.
        case cryptographyUnavailable
    }

    /// Which of Apple's marker extensions.
    public enum Marker: Hashable, Sendable {
        /// 1.2.840.113635.100.6.11.1: signs receipts of the App Store.
        case signer
        /// 1.2.840.113635.100.6.2.1: Apple's authority for developer relations.
        case intermediate
    }
}
