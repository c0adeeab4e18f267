import CReceiptCrypto
import ReceiptASN1

// AlgorithmIdentifier ::= SEQUENCE {
//     algorithm  OBJECT IDENTIFIER,
//     parameters ANY DEFINED BY algorithm OPTIONAL }
//
// RFC 5280, 4.1.1.2. Parameters of allowed RSA and digest algorithms are NULL or absent (RFC 3370, 2.1; RFC
// 5754, 2). Parameters of ECDSA are absent (RFC 5758, 3.2). Identifiers with other parameters are not
// allowed.

/// The identifier of an algorithm, before any check that it is allowed.
struct AlgorithmIdentifier {
    let identifier: ASN1ObjectIdentifier
    let offset: Int
    private let parameters: Parameters

    private enum Parameters { case absent, null, other }

    private var hasParameters: Bool { parameters == .other }

    init(reading reader: inout ASN1Reader) throws(ASN1Error) {
        offset = reader.position
        (identifier, parameters) = try reader.constructed(.sequence) { (reader) throws(ASN1Error) in
            let identifier = try reader.objectIdentifier()
            if reader.isAtEnd { return (identifier, .absent) }
            let isNull = reader.nextTag == .null
            let parameters = try reader.element()
            return (identifier, isNull && parameters.count == 2 ? .null : .other)
        }
    }

    /// The digest algorithm, if it is on the allowed list.
    var digest: DigestAlgorithm? {
        hasParameters ? nil : DigestAlgorithm.allCases.first { $0.identifiers.digest == identifier }
    }

    /// Returns whether both are equal, including parameters. NULL and absent parameters have the same
    /// meaning, but two copies of one identifier must match exactly.
    func isSame(as other: AlgorithmIdentifier) -> Bool {
        identifier == other.identifier && parameters == other.parameters
    }

    /// The digest algorithm of a certificate's signature, and whether it is ECDSA. Nil if the identifier is
    /// not on the allowed list.
    var certificateSignature: (digest: DigestAlgorithm, isECDSA: Bool)? {
        if hasParameters { return nil }
        for digest in DigestAlgorithm.allCases {
            if identifier == digest.identifiers.rsa { return (digest, false) }
            if identifier == digest.identifiers.ecdsa, parameters == .absent { return (digest, true) }
        }
        return nil
    }

    /// Returns whether this identifies a signature over a digest of that algorithm. RSA PKCS #1 v1.5
    /// signatures have the identifier rsaEncryption, which Apple and Xcode write, or the combined identifier.
    /// ECDSA signatures have the combined identifier (RFC 5753, 7.1.3).
    func isSignature(over digest: DigestAlgorithm) -> Bool {
        !hasParameters
            && (identifier == .rsaEncryption || identifier == digest.identifiers.rsa
                || (identifier == digest.identifiers.ecdsa && parameters == .absent))
    }

    /// Whether this identifies an ECDSA signature.
    var isECDSA: Bool { certificateSignature?.isECDSA ?? false }
}

/// The allowed digest algorithms.
public enum DigestAlgorithm: String, Sendable, CaseIterable {
    /// SHA-1, in receipts until January 2025.
    case sha1
    /// SHA-256, as Apple signs today.
    case sha256
    /// SHA-384.
    case sha384
    /// SHA-512.
    case sha512

    var crypto: receipt_crypto_digest_algorithm {
        switch self {
        case .sha1: RECEIPT_CRYPTO_SHA1
        case .sha256: RECEIPT_CRYPTO_SHA256
        case .sha384: RECEIPT_CRYPTO_SHA384
        case .sha512: RECEIPT_CRYPTO_SHA512
        }
    }

    /// The identifiers of the digest, and of RSA PKCS #1 v1.5 and ECDSA with it. Apple never signed with ECDSA
    /// and SHA-1.
    fileprivate var identifiers:
        (digest: ASN1ObjectIdentifier, rsa: ASN1ObjectIdentifier, ecdsa: ASN1ObjectIdentifier?)
    {
        switch self {
        case .sha1: (.sha1, .sha1WithRSAEncryption, nil)
        case .sha256: (.sha256, .sha256WithRSAEncryption, .ecdsaWithSHA256)
        case .sha384: (.sha384, .sha384WithRSAEncryption, .ecdsaWithSHA384)
        case .sha512: (.sha512, .sha512WithRSAEncryption, .ecdsaWithSHA512)
        }
    }
}

extension ASN1ObjectIdentifier {
    /// 1.3.14.3.2.26
    fileprivate static let sha1 = ASN1ObjectIdentifier([0x2B, 14, 3, 2, 26])
    /// 2.16.840.1.101.3.4.2.1, 2 and 3
    fileprivate static let sha256 = ASN1ObjectIdentifier([0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 1])
    fileprivate static let sha384 = ASN1ObjectIdentifier([0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 2])
    fileprivate static let sha512 = ASN1ObjectIdentifier([0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 3])
    /// 1.2.840.10045.4.3.2, 3 and 4
    fileprivate static let ecdsaWithSHA256 = ASN1ObjectIdentifier([0x2A, 0x86, 0x48, 0xCE, 0x3D, 4, 3, 2])
    fileprivate static let ecdsaWithSHA384 = ASN1ObjectIdentifier([0x2A, 0x86, 0x48, 0xCE, 0x3D, 4, 3, 3])
    fileprivate static let ecdsaWithSHA512 = ASN1ObjectIdentifier([0x2A, 0x86, 0x48, 0xCE, 0x3D, 4, 3, 4])
    fileprivate static let rsaEncryption = pkcs1(1)
    fileprivate static let sha1WithRSAEncryption = pkcs1(5)
    fileprivate static let sha256WithRSAEncryption = pkcs1(11)
    fileprivate static let sha384WithRSAEncryption = pkcs1(12)
    fileprivate static let sha512WithRSAEncryption = pkcs1(13)

    /// Returns 1.2.840.113549.1.1 and a number.
    private static func pkcs1(_ number: UInt8) -> ASN1ObjectIdentifier {
        ASN1ObjectIdentifier([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, number])
    }
}
