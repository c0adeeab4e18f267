import ReceiptForge
import Testing

@testable import AppReceipt

/// Receipts with an elliptic chain that is embedded in advance, like Apple's WWDR G6 under Root CA - G3.
struct EllipticReceiptTests {
    private let rsa: Authority
    private let elliptic: Authority

    init() throws {
        rsa = try .test()
        elliptic = try .test { profiles throws(ForgeError) in
            profiles.root.subject = DistinguishedName(commonName: "Elliptic Root")
            profiles.root.key = try .generateEC(.p384)
            profiles.intermediate.subject = DistinguishedName(commonName: "Elliptic Intermediate")
            profiles.intermediate.key = try .generateEC(.p384)
        }
    }

    private func verifier(knowing intermediate: TrustAnchors.KnownIntermediate?) throws -> ReceiptVerifier {
        try ReceiptVerifier(
            anchors: TrustAnchors(
                anchors: [rsa.root, elliptic.root].map { .init(der: $0.certificate.der, realm: .appStore) },
                knownIntermediate: intermediate))
    }

    /// Returns a verifier that knows the elliptic intermediate.
    ///
    /// - Parameter refusals: The number of refused leaves that name the known intermediate but have another
    ///   signature. After six, the verifier checks with precomputed multiples of the key.
    private func knownVerifier(after refusals: Int = 0) throws -> ReceiptVerifier {
        let intermediate = try #require(elliptic.intermediate).certificate
        let verifier = try verifier(
            knowing: .init(der: intermediate.der, anchor: elliptic.root.certificate.der))
        let attacker = Identity(certificate: intermediate, key: try .generateEC(.p384))
        for number in 0..<refusals {
            let authority = try authority(under: attacker) { profiles throws(ForgeError) in
                profiles.leaf.serialNumber = [2, UInt8(number)]
            }
            #expect(
                verifier.answer(to: try ReceiptRecipe(authority: authority).forge().bytes)
                    == "untrusted_chain")
        }
        return verifier
    }

    /// Checks leaves under the known intermediate with keys and digests of each kind, before and after
    /// refusals.
    @Test(
        arguments: [
            (.p256, .sha256), (.p256, .sha384), (.p256, .sha512), (.p384, .sha256), (.p384, .sha384),
            (nil, .sha256), (nil, .sha512),
        ] as [(PrivateKey.Curve?, ReceiptForge.Digest)], [0, 8])
    func leafKeys(of leaf: (curve: PrivateKey.Curve?, digest: ReceiptForge.Digest), refusals: Int) throws {
        let (curve, digest) = leaf
        let authority = try authority { profiles throws(ForgeError) in
            if let curve { profiles.leaf.key = try .generateEC(curve) }
        }
        var recipe = ReceiptRecipe(authority: authority)
        recipe.digest = digest
        let bytes = try recipe.forge().bytes
        let known = try knownVerifier(after: refusals)
        // Twice: by search and from the cache.
        #expect(known.answer(to: bytes) == "genuine")
        #expect(known.answer(to: bytes) == "genuine")
        #expect(try verifier(knowing: nil).answer(to: bytes) == "untrusted_chain")
    }

    /// Checks that a verifier with refusals accepts each leaf that the known intermediate signed. It must
    /// refuse the leaf with a changed bit in the signature, or with another leaf's signature.
    @Test
    func multiplesOfTheKeyGiveTheSameAnswers() throws {
        let verifier = try knownVerifier(after: 8)
        var signature: ArraySlice<UInt8>?
        for number in 0..<200 {
            let authority = try authority { profiles throws(ForgeError) in
                profiles.leaf.serialNumber = [3, UInt8(number)]
            }
            let recipe = ReceiptRecipe(authority: authority)
            let leaf = authority.leaf.certificate.der
            var changed = leaf
            changed[leaf.count - 1 - number * 7 % 95] ^= 1 << (number % 8)
            let another = leaf.dropLast(96) + (signature ?? changed.suffix(96))
            signature = leaf.suffix(96)
            for forged in [changed, Array(another)] {
                var recipe = recipe
                recipe.editContainer { $0.certificates?[0] = forged }
                #expect(verifier.answer(to: try recipe.forge().bytes) == "untrusted_chain")
            }
            #expect(verifier.answer(to: try recipe.forge().bytes) == "genuine")
        }
    }

    /// Returns an authority with another leaf under this test's elliptic root and, by default, its
    /// intermediate.
    private func authority(
        under issuer: Identity? = nil,
        _ change: (inout Authority.Profiles) throws(ForgeError) -> Void
    ) throws -> Authority {
        var leaf: CertificateProfile?
        _ = try Authority.test { profiles throws(ForgeError) in
            try change(&profiles)
            leaf = profiles.leaf
        }
        let intermediate = try issuer ?? #require(elliptic.intermediate)
        return Authority(
            root: elliptic.root, intermediate: intermediate,
            leaf: try #require(leaf).signed(by: intermediate))
    }

    /// Checks that SignerInfo must name an algorithm for the signer's type of key.
    @Test(arguments: [true, false])
    func algorithmMustFitTheKey(isElliptic: Bool) throws {
        let authority = try authority { profiles throws(ForgeError) in
            if isElliptic { profiles.leaf.key = try .generateEC(.p256) }
        }
        var recipe = ReceiptRecipe(authority: authority)
        recipe.editContainer {
            $0.signerInfos[0].signatureAlgorithm =
                isElliptic
                ? SignatureAlgorithm.rsaEncryption
                : BER.sequence(([1, 2, 840, 10045, 4, 3, 2] as OID).encoded)
        }
        #expect(try knownVerifier().answer(to: try recipe.forge().bytes) == "bad_signature")
    }

    /// Checks that ECDSA with SHA-1 is refused.
    @Test
    func sha1IsRefused() throws {
        let authority = try authority { profiles throws(ForgeError) in
            profiles.leaf.key = try .generateEC(.p256)
        }
        var recipe = ReceiptRecipe(authority: authority)
        recipe.digest = .sha1
        #expect(try knownVerifier().answer(to: try recipe.forge().bytes) == "bad_signature")
    }

    /// Checks that the known intermediate with the equivalent signature (r, n - s) is refused without a
    /// signature check.
    @Test
    func otherSignatureOfTheKnownIntermediateIsRefused() throws {
        var authority = try Authority.appStoreJWS()
        let (root, intermediate) = (authority.root.certificate.der, try #require(authority.intermediate))
        let verifier = try ReceiptVerifier(
            anchors: TrustAnchors(
                anchors: [.init(der: root, realm: .appStore)],
                knownIntermediate: .init(der: intermediate.certificate.der, anchor: root)))
        #expect(throws: Never.self) {
            try verifier.verify(jws: JWSRecipe(authority: authority).forge(), for: .any)
        }
        let variant = try Self.variant(of: intermediate.certificate.der)
        authority.intermediate?.certificate.der = variant
        let jws = try JWSRecipe(authority: authority).forge()
        let error = #expect(throws: ReceiptError.self) { try verifier.verify(jws: jws, for: .any) }
        #expect(error?.code == .untrustedChain)
        // Without a known intermediate, the signature is checked.
        #expect(throws: Never.self) {
            try ReceiptVerifier(anchors: TrustAnchors(anchors: [.init(der: root, realm: .appStore)]))
                .verify(jws: jws, for: .any)
        }
    }

    /// Returns the certificate with n - s instead of s, where n is the order of P-384.
    private static func variant(of der: [UInt8]) throws -> [UInt8] {
        let certificate = try AppReceipt.Certificate(
            whole: der.span, in: 0..<der.count, maximumCount: der.count)
        // Ecdsa-Sig-Value ::= SEQUENCE { r INTEGER, s INTEGER }, each with one octet of length.
        let value = Array(der[certificate.signature])
        let middle = 4 + Int(value[3])
        let s = Array(value[(middle + 2)...].drop { $0 == 0 })
        var (difference, borrow) = (order, 0)
        for index in 0..<48 {
            let place = 47 - index
            let digit = index < s.count ? Int(s[s.count - 1 - index]) : 0
            let rest = Int(order[place]) - digit - borrow
            borrow = rest < 0 ? 1 : 0
            difference[place] = UInt8(truncatingIfNeeded: rest)
        }
        // DER has no leading zeros, except for the sign.
        let digits = difference.drop { $0 == 0 }
        let sign: [UInt8] = digits.first.map { $0 >= 0x80 } == true ? [0] : []
        let signature = BER.sequence(
            Array(value[2..<middle]), BER.element(BER.Tag.integer, sign + digits))
        // The bytes between are the algorithm identifier.
        let header = BER.bitString(value).count - value.count
        let algorithm = Array(der[certificate.tbs.upperBound..<(certificate.signature.lowerBound - header)])
        return BER.sequence(Array(der[certificate.tbs]), algorithm, BER.bitString(signature))
    }

    private static let order: [UInt8] =
        [UInt8](repeating: 0xFF, count: 24) + [
            0xC7, 0x63, 0x4D, 0x81, 0xF4, 0x37, 0x2D, 0xDF, 0x58, 0x1A, 0x0D, 0xB2, 0x48, 0xB0, 0xA7, 0x7A,
            0xEC,
            0xEC, 0x19, 0x6A, 0xCC, 0xC5, 0x29, 0x73,
        ]

    /// Checks that changed content, signatures and leaves are refused under the known intermediate, too.
    @Test(arguments: [0, 8])
    func signaturesAreChecked(after refusals: Int) throws {
        let authority = try authority { profiles throws(ForgeError) in
            profiles.leaf.key = try .generateEC(.p256)
        }
        let verifier = try knownVerifier(after: refusals)
        let bytes = try ReceiptRecipe(authority: authority).forge().bytes
        var genuine = 0
        for index in stride(from: 30, to: bytes.count, by: 7) {
            var changed = bytes
            changed[index] ^= 1
            if verifier.answer(to: changed) == "genuine" { genuine += 1 }
        }
        // The root in the bag is not used, as in every container.
        let root = elliptic.root.certificate.der.count
        #expect(genuine <= root / 7 + 1)
        #expect(verifier.answer(to: bytes) == "genuine")
    }

    /// Checks that the known intermediate is trusted only under the root that signed it, not under another
    /// root of that name.
    @Test
    func knownIntermediateNeedsItsRoot() throws {
        let authority = try authority { profiles throws(ForgeError) in
            profiles.leaf.key = try .generateEC(.p256)
        }
        let bytes = try ReceiptRecipe(authority: authority).forge().bytes
        let intermediate = try #require(elliptic.intermediate).certificate.der
        // A root of the same name with another key.
        let other = try Authority.test { profiles throws(ForgeError) in
            profiles.root.subject = DistinguishedName(commonName: "Elliptic Root")
            profiles.root.key = try .generateEC(.p384)
        }
        for root in [other.root, rsa.root] {
            let verifier = try ReceiptVerifier(
                anchors: TrustAnchors(
                    anchors: [.init(der: root.certificate.der, realm: .appStore)],
                    knownIntermediate: .init(der: intermediate, anchor: elliptic.root.certificate.der)))
            for _ in 0..<2 { #expect(verifier.answer(to: bytes) == "untrusted_chain") }
        }
    }

    /// Checks that an intermediate with the known name and another key, or the known one with another
    /// signature, is not accepted.
    @Test
    func lookAlikesAreNotTheKnownIntermediate() throws {
        let attacker = try Authority.test { profiles throws(ForgeError) in
            profiles.root.subject = DistinguishedName(commonName: "Elliptic Root")
            profiles.root.key = try .generateEC(.p384)
            profiles.intermediate.subject = DistinguishedName(commonName: "Elliptic Intermediate")
            profiles.intermediate.key = try .generateEC(.p384)
            profiles.leaf.key = try .generateEC(.p256)
        }
        let verifier = try knownVerifier()
        var recipe = ReceiptRecipe(authority: attacker)
        #expect(verifier.answer(to: try recipe.forge().bytes) == "untrusted_chain")
        // The attacker's leaf with the known intermediate, which did not sign it.
        let known = try #require(elliptic.intermediate).certificate.der
        recipe.editContainer { $0.certificates?[1] = known }
        #expect(verifier.answer(to: try recipe.forge().bytes) == "untrusted_chain")
    }

    /// Checks that a check with the known key counts as five. After three wrong issuers, the remaining budget
    /// is just enough.
    @Test(arguments: [(wrong: 3, isFound: true), (4, false)])
    func checkWithTheKnownKeyCountsAsFive(wrong: Int, isFound: Bool) throws {
        let authority = try authority { profiles throws(ForgeError) in
            profiles.leaf.key = try .generateEC(.p256)
        }
        let subject = DistinguishedName(commonName: "Elliptic Intermediate")
        let unrelated = try (0..<wrong).map { number in
            var profile = CertificateProfile(subject: subject, serialNumber: 100 + number, key: rsa.leaf.key)
            profile.issuer = rsa.root.certificate.subject
            return try profile.signed().certificate.der
        }
        var recipe = ReceiptRecipe(authority: authority)
        recipe.editContainer { $0.certificates?.insert(contentsOf: unrelated, at: 1) }
        #expect(
            try knownVerifier().answer(to: recipe.forge().bytes) == (isFound ? "genuine" : "untrusted_chain"))
    }
}
