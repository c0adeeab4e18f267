import ReceiptASN1
import StrictJSON

extension ReceiptError: CustomStringConvertible {
    public var description: String {
        let place = [field, offset.map { "offset \($0)" }].compactMap { $0 }.joined(separator: ", ")
        return place.isEmpty ? "\(code.rawValue): \(message)" : "\(code.rawValue): \(message) (\(place))"
    }

    /// The error on one line, for a person. Scripts should match ``code`` and ``reason``.
    public var message: String {
        let advice = resemblance.map { "; " + $0.advice } ?? ""
        guard let certificate else { return reason.message + advice }
        return "\(reason.message): \(certificate.subject)\(advice)"
    }
}

extension ReceiptError.Reason {
    var message: String {
        switch self {
        case .encoding(let fault): fault.description
        case .text(let fault): fault.description
        case .json(let fault): fault.description
        case .jws(let fault): fault.description
        case .transactionReceipt(let fault): fault.description
        case .inputTooLarge(let limit): "input larger than the limit of \(limit) bytes"
        case .signerNotFound: "the container does not contain the signer's certificate"
        case .signerAmbiguous:
            "two certificates have the issuer and serial number of the signer"
        case .noPath(_, let openSSL): with("no chain to a trusted root", openSSL)
        case .signerIssuerUnknown: "the signer's issuer does not sign transaction receipts"
        case .notAnAnchor: "the last certificate is not a trusted root"
        case .notValid(let time): "a certificate was not valid on the receipt's creation date \(time)"
        case .certificateUndecodable(let openSSL): with("invalid certificate", openSSL)
        case .certificateAlgorithm: "a certificate is signed with an unsupported algorithm"
        case .certificateKey:
            "unsupported certificate key: must be RSA of 2048 to 8192 bits with an odd exponent above 1, P-256 or P-384"
        case .signatureChecks(let limit): "no chain to a trusted root within \(limit) signature checks"
        case .notAnAuthority: "an issuer is not a certificate authority"
        case .pathLength: "the chain is not signer, intermediate, root"
        case .markerMissing(.signer): "the signer's certificate is not for App Store receipts"
        case .markerMissing(.intermediate):
            "the intermediate is not Apple's Worldwide Developer Relations authority"
        case .keyUsage: "the signer's certificate does not allow digital signatures"
        case .signerIsAuthority: "the signer's certificate is a certificate authority"
        case .realm(.storeKitTest): "a StoreKit Test certificate is trusted for the environment Xcode only"
        case .realm(.appStore), .realm(.custom):
            "the root is trusted for App Store environments only, not for Xcode"
        case .revoked(let certificate): certificate.description
        case .revocationUnknown(let depth, let caveat):
            "certificate \(depth): \(caveat?.words ?? "no revocation list covers it at the object's date")"
        case .digestAlgorithm(let identifier): "unsupported digest algorithm \(identifier)"
        case .signatureAlgorithm(let identifier):
            "signature algorithm \(identifier) is unsupported or does not fit the signer's key"
        case .sha1(let notAfter):
            "SHA-1 signature under a certificate that is valid until \(notAfter); see --sha1-signatures"
        case .contentTypeAttribute: "the signed attributes must have content type data exactly once"
        case .messageDigestAttribute: "the signed attributes must have the content's digest exactly once"
        case .signatureMismatch: "the signature does not match the content"
        case .crossCheck(let openSSL): with("OpenSSL's own PKCS #7 verification does not agree", openSSL)
        case .bundleID(let expected, let found): Self.mismatch("bundle ID", found, expected)
        case .appAppleID(let expected, let found):
            Self.mismatch("appAppleId", found.map { "\($0)" }, expected.map { "\($0)" })
        case .appAppleIDWithoutBundleID(let expected):
            Self.mismatch("appAppleId", nil, expected.map { "\($0)" })
                + "; use the bundle ID to prove the app of such an object (--bundle-id)"
        case .environment(let expected, let found):
            Self.mismatch("environment", found?.rawValue, expected.map(\.rawValue))
        case .deviceHash: "the receipt was created for another device"
        case .deviceVerification(let fault): fault.description
        case .cryptographyUnavailable: "OpenSSL failed; the receipt was not verified"
        case .input(let message), .shortage(let message): message
        }
    }

    /// Returns a message with the value found and the allowed values, up to a maximum number.
    private static func mismatch(_ name: String, _ found: String?, _ expected: [String]) -> String {
        let shown = 8
        var allowed = expected.prefix(shown).map { "'\($0)'" }.joined(separator: ", ")
        if expected.count > shown { allowed += " and \(expected.count - shown) more" }
        let found = "\(name) is \(found.map { "'\($0)'" } ?? "not named")"
        return switch expected.count {
        case 0: "\(found), and none is allowed"
        case 1: "\(found), not \(allowed)"
        default: "\(found), not one of \(allowed)"
        }
    }

    private func with(_ message: String, _ openSSL: String) -> String {
        openSSL.isEmpty ? message : "\(message) [\(openSSL)]"
    }
}
