import CReceiptCrypto
import ReceiptForge
import Testing

@testable import AppReceipt

/// C2SP's Wycheproof signatures, checked as signatures of certificates. The test puts a vector's signature on
/// an unreadable certificate. The error of the search then shows whether the signature is valid.
@Suite(.enabled(if: Outside.folder != nil, "external vectors are missing"))
struct WycheproofTests {
    private struct Vectors: Decodable {
        let testGroups: [Group]
    }

    private struct Group: Decodable {
        let publicKeyDer: String
        let sha: String
        let tests: [Vector]
    }

    private struct Vector: Decodable {
        let tcId: Int
        let msg: String
        let sig: String
        let result: String
        let flags: [String]
    }

    /// The format of a signature: as in certificates, of fixed length (IEEE P1363), or as in JWS with P-256.
    /// The test encodes fixed-length signatures of other curves in DER.
    enum Form: Sendable { case rsa, elliptic, fixed(Int), es256 }

    @Test(
        arguments: [
            ("rsa_signature_2048_sha256", .rsa), ("rsa_signature_2048_sha384", .rsa),
            ("rsa_signature_2048_sha512", .rsa), ("rsa_signature_3072_sha256", .rsa),
            ("rsa_signature_4096_sha256", .rsa), ("rsa_signature_4096_sha384", .rsa),
            ("rsa_signature_4096_sha512", .rsa), ("ecdsa_secp256r1_sha256", .elliptic),
            ("ecdsa_secp384r1_sha384", .elliptic), ("ecdsa_secp256r1_sha256_p1363", .es256),
            ("ecdsa_secp384r1_sha384_p1363", .fixed(48)),
        ] as [(String, Form)])
    func agrees(name: String, form: Form) throws {
        var count = 0
        for group in try Outside.decode(Vectors.self, "wycheproof_\(name)").testGroups {
            let key = try Key([UInt8](hexadecimal: group.publicKeyDer))
            // A key that has signed many objects has a different check.
            let frequentKey = try Key([UInt8](hexadecimal: group.publicKeyDer))
            if case .es256 = form { try frequentKey.acceptOften() }
            for vector in group.tests {
                var signature = [UInt8](hexadecimal: vector.sig)
                var isElliptic = true
                switch form {
                case .rsa: isElliptic = false
                case .elliptic, .es256: break
                case .fixed(let size): signature = Self.der(ofFixed: signature, size)
                }
                let message = [UInt8](hexadecimal: vector.msg)
                let holds =
                    if case .es256 = form {
                        try key.holds(es256: signature, over: message)
                    } else {
                        key.holds(signature, isElliptic: isElliptic, digest: group.sha, over: message)
                    }
                // Vectors marked acceptable lack the NULL of DigestInfo, which RFC 8017, 9.2, note 1 allows
                // for old implementations only. The verifier compares the whole encoding, so it refuses them.
                if vector.result == "acceptable" { #expect(vector.flags == ["MissingNull"]) }
                #expect(holds == (vector.result == "valid"), "\(name) \(vector.tcId)")
                if case .es256 = form {
                    let frequent = try frequentKey.holds(es256: signature, over: message)
                    #expect(frequent == holds, "\(name) \(vector.tcId)")
                }
                // With the known intermediate's key, which has a different check after a few refusals.
                if case .elliptic = form {
                    let known = key.holds(
                        signature, isElliptic: true, digest: group.sha, over: message, isKnown: true)
                    #expect(known == holds, "\(name) \(vector.tcId)")
                }
                count += 1
            }
        }
        #expect(count > 200)
    }

    /// Returns the DER encoding of a fixed-length signature, or an empty array if the length is wrong.
    private static func der(ofFixed signature: [UInt8], _ size: Int) -> [UInt8] {
        guard signature.count == 2 * size else { return [] }
        let numbers = [signature.prefix(size), signature.suffix(size)].map { number in
            let digits = Array(number.drop { $0 == 0 })
            return BER.element(
                BER.Tag.integer, digits.first.map { $0 < 0x80 } ?? false ? digits : [0] + digits)
        }
        return BER.sequence(numbers[0], numbers[1])
    }
}

/// A trusted key in a minimal certificate.
@safe
private final class Key {
    private static let name = DistinguishedName(commonName: "Wycheproof").encoded

    private let context: CryptoContext
    private let anchors: OpaquePointer
    /// Another anchor, for which the certificate is the known intermediate.
    private let knowing: OpaquePointer
    private let tbs: [UInt8]
    private let certificate: [UInt8]
    /// The chain of the certificate alone, nil before its first use.
    private var chain: OpaquePointer?

    init(_ publicKey: [UInt8]) throws {
        context = try CryptoContext()
        let algorithm = BER.sequence(([1, 2, 840, 113549, 1, 1, 11] as OID).encoded, BER.null)
        let times = BER.sequence(
            BER.element(0x18, Array("20000101000000Z".utf8)), BER.element(0x18, Array("20500101000000Z".utf8))
        )
        func tbs(_ publicKey: [UInt8]) -> [UInt8] {
            BER.sequence(BER.integer(1), algorithm, Self.name, times, Self.name, publicKey)
        }
        func signed(_ tbs: [UInt8]) -> [UInt8] { BER.sequence(tbs, algorithm, BER.bitString([1])) }
        let certificate = signed(tbs(publicKey))
        let other = signed(tbs(try PrivateKey.generateEC(.p256).subjectPublicKeyInfo))
        let knowing = unsafe try Self.anchors(other, in: context)
        let status = unsafe certificate.span.withSlice {
            unsafe receipt_crypto_anchors_know(knowing, $0, 0)
        }
        unsafe self.knowing = knowing
        unsafe anchors = try Self.anchors(certificate, in: context)
        self.tbs = tbs(publicKey)
        self.certificate = certificate
        try #require(status == RECEIPT_CRYPTO_OK)
    }

    private static func anchors(_ certificate: [UInt8], in context: CryptoContext) throws -> OpaquePointer {
        guard let anchors = unsafe receipt_crypto_anchors_new(context.pointer) else {
            throw ReceiptError.cryptographyUnavailable
        }
        var error = receipt_crypto_error()
        let status = unsafe certificate.span.withSlice {
            unsafe receipt_crypto_anchors_add(anchors, $0, false, &error)
        }
        try #require(status == RECEIPT_CRYPTO_OK)
        return unsafe anchors
    }

    deinit {
        if let chain = unsafe chain { unsafe receipt_crypto_chain_free(chain) }
        unsafe receipt_crypto_anchors_free(anchors)
        unsafe receipt_crypto_anchors_free(knowing)
    }

    /// Accepts so many signatures with a key on P-256 that its check changes. For the digest 0, r and s are
    /// valid if both are the x-coordinate of the key's point, because the point to compare is then the key's.
    func acceptOften() throws {
        var zero = receipt_crypto_digest()
        zero.count = 32
        // The public key is at the end of the certificate's signed part.
        let x = Array(tbs.suffix(64).prefix(32))
        for _ in 0..<1000 { try #require(try holds(es256: x + x, of: zero)) }
    }

    /// Checks a signature with a chain of this certificate alone, as for JWS of StoreKit Test.
    func holds(es256 signature: [UInt8], over message: [UInt8]) throws -> Bool {
        try holds(es256: signature, of: context.digest(.sha256, of: message.span).value)
    }

    private func holds(es256 signature: [UInt8], of digest: receipt_crypto_digest) throws -> Bool {
        var digest = digest
        let chain = unsafe try chain ?? makeChain()
        unsafe self.chain = chain
        let status = unsafe signature.span.withSlice {
            unsafe receipt_crypto_chain_verify_es256(chain, &digest, $0)
        }
        return status == RECEIPT_CRYPTO_OK
    }

    private func makeChain() throws -> OpaquePointer {
        var error = receipt_crypto_error()
        let (tbs, certificate) = (tbs, certificate)
        let found = unsafe certificate.span.withSlice { der in
            unsafe tbs.span.withSlice { tbs in
                unsafe Self.name.span.withSlice { name in
                    var parts = unsafe receipt_crypto_certificate_parts(
                        der: der, tbs: tbs, issuer: name, subject: name, digest: RECEIPT_CRYPTO_SHA256,
                        is_ecdsa: true, signature: der)
                    return unsafe receipt_crypto_chain_of(
                        anchors, 0, RECEIPT_CRYPTO_JWS, &parts, nil, 1_700_000_000, &error)
                }
            }
        }
        guard let chain = unsafe found else { throw ReceiptError(&error, at: nil, of: nil) }
        return unsafe chain
    }

    /// Returns whether the signature is valid, or nil after any other result.
    ///
    /// - Parameter isKnown: Whether the key is the known intermediate's instead of an anchor's.
    func holds(
        _ signature: [UInt8], isElliptic: Bool, digest: String, over message: [UInt8], isKnown: Bool = false
    ) -> Bool? {
        let digests = [
            "SHA-1": RECEIPT_CRYPTO_SHA1, "SHA-256": RECEIPT_CRYPTO_SHA256, "SHA-384": RECEIPT_CRYPTO_SHA384,
            "SHA-512": RECEIPT_CRYPTO_SHA512,
        ]
        guard let digest = digests[digest] else { return nil }
        let nothing: [UInt8] = [0x30, 0]
        var error = receipt_crypto_error()
        var intermediate = 0
        let anchors = unsafe isKnown ? knowing : anchors
        let (tbs, certificate) = (tbs, certificate)
        let chain = unsafe nothing.span.withSlice { der in
            unsafe Self.name.span.withSlice { name in
                unsafe message.span.withSlice { message in
                    unsafe signature.span.withSlice { signature in
                        unsafe tbs.span.withSlice { tbs in
                            unsafe certificate.span.withSlice { certificate in
                                var parts = unsafe receipt_crypto_certificate_parts(
                                    der: der, tbs: message, issuer: name, subject: name, digest: digest,
                                    is_ecdsa: isElliptic, signature: signature)
                                var known = unsafe receipt_crypto_certificate_parts(
                                    der: certificate, tbs: tbs, issuer: name, subject: name, digest: digest,
                                    is_ecdsa: isElliptic, signature: signature)
                                return unsafe receipt_crypto_chain_new(
                                    anchors, &parts, &known, isKnown ? 1 : 0, 1_700_000_000, 8, &intermediate,
                                    &error)
                            }
                        }
                    }
                }
            }
        }
        guard unsafe chain == nil else { return nil }
        // X509_V_ERR_CERT_SIGNATURE_FAILURE
        if error.status == RECEIPT_CRYPTO_UNTRUSTED && error.x509_error == 7 { return false }
        return error.status == RECEIPT_CRYPTO_BAD_CERTIFICATE ? true : nil
    }
}
