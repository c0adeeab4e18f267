import ReceiptASN1
import StrictJSON

extension ReceiptError: CustomStringConvertible {
    public var description: String {
        let place = [field, offset.map { "offset \($0)" }].compactMap { $0 }.joined(separator: ", ")
        return place.isEmpty ? "\(code.rawValue): \(message)" : "\(code.rawValue): \(message) (\(place))"
    }

    /// The error on one line, for people. Scripts should match ``code`` and ``reason``.
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
        case .inputTooLarge(let limit): "more than \(limit) bytes of input"
        case .signerNotFound: "the container does not hold the signer's certificate"
        case .signerAmbiguous:
            "two certificates have the issuer and serial number that the signer is named by"
        case .noPath(_, let openSSL): with("no chain to a trusted root", openSSL)
        case .signerIssuerUnknown: "the signer's issuer is not one that signs for transaction receipts"
        case .notAnAnchor: "the last certificate is none of the trusted roots, byte for byte"
        case .notValid(let time): "a certificate was not valid at the receipt's creation date \(time)"
        case .certificateUndecodable(let openSSL): with("a certificate does not decode", openSSL)
        case .certificateAlgorithm: "a certificate is signed with an algorithm that is not on the list"
        case .certificateKey:
            "a certificate's key is not RSA of 2048 to 8192 bits with an odd exponent above 1, P-256 or P-384"
        case .signatureChecks(let limit): "no chain to a trusted root within \(limit) signature checks"
        case .notAnAuthority: "an issuer is no certificate authority"
        case .pathLength: "the chain is not signer, intermediate, root"
        case .markerMissing(.signer): "the signer's certificate is not one for App Store receipts"
        case .markerMissing(.intermediate):
            "the intermediate is not Apple's authority for developer relations"
        case .keyUsage: "the signer's certificate may not sign data"
        case .signerIsAuthority: "the signer's certificate is one of a certificate authority"
        case .realm(.storeKitTest): "a StoreKit Test certificate vouches for receipts of type Xcode only"
        case .realm(.appStore), .realm(.custom):
            "the root vouches for environments of the App Store only, not for Xcode's"
        case .digestAlgorithm(let identifier): "digest algorithm \(identifier) is not on the list"
        case .signatureAlgorithm(let identifier):
            "signature algorithm \(identifier) is not on the list, or not for the signer's key"
        case .sha1(let notAfter):
            "a SHA-1 signature is not accepted from a certificate that ends at \(notAfter)"
        case .contentTypeAttribute: "the signed attributes do not say content type data, once"
        case .messageDigestAttribute: "the signed attributes do not carry the content's digest, once"
        case .signatureMismatch: "the signature does not fit the content"
        case .crossCheck(let openSSL): with("OpenSSL's own PKCS #7 verification does not agree", openSSL)
        case .bundleID(let expected, let found): Self.mismatch("bundle id", found, expected)
        case .appAppleID(let expected, let found):
            Self.mismatch("appAppleId", found.map { "\($0)" }, expected.map { "\($0)" })
        case .appAppleIDWithoutBundleID(let expected):
            Self.mismatch("appAppleId", nil, expected.map { "\($0)" })
                + "; the bundle ID proves the app of such an object (--bundle-id)"
        case .environment(let expected, let found):
            Self.mismatch("environment", found?.rawValue, expected.map(\.rawValue))
        case .deviceHash: "the receipt was not made for this device"
        case .deviceVerification(let fault): fault.description
        case .cryptographyUnavailable: "OpenSSL failed; the receipt was not judged"
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
