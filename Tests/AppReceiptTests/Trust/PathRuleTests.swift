import AppReceipt
import ReceiptForge
import Testing

/// The rules for certificates of a path (RFC 5280, 4.2 and 6), one rule a row. The test authority signed all
/// certificates, so each would be genuine without the rule.
struct PathRuleTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The X509_V_ERR_* code, 0 for an unreadable certificate, or nil for a genuine receipt.
        let code: Int32?
        let edit: @Sendable (inout Authority.Profiles) -> Void

        init(_ name: String, _ code: Int32?, _ edit: @escaping @Sendable (inout Authority.Profiles) -> Void) {
            (testDescription, self.code, self.edit) = (name, code, edit)
        }
    }

    private static let name = DistinguishedName(commonName: "X", organization: "Forge")

    static let rows: [Row] = [
        Row("unchanged", nil) { _ in },
        // 4.2: "A certificate-using system MUST reject the certificate if it encounters a critical extension
        // it does not recognize". Other extensions are ignored.
        Row("unknown", nil) { $0.leaf.extensions.append(CertificateExtension([1, 2, 3], value: BER.null)) },
        Row("unknown and critical, signer", 34) {
            $0.leaf.extensions.append(CertificateExtension([1, 2, 3], critical: true, value: BER.null))
        },
        // 4.2: "A certificate MUST NOT include more than one instance of a particular extension."
        Row("twice", 0) {
            for _ in 0..<2 { $0.leaf.extensions.append(CertificateExtension([1, 2, 3], value: BER.null)) }
        },
        // 4.2.1.11. The verifier knows no policies, so it cannot satisfy a required one.
        Row("policy constraints", 34) {
            $0.intermediate.extensions.append(
                CertificateExtension(
                    [2, 5, 29, 36], critical: true, value: BER.sequence(BER.element(0x80, [0]))))
        },
        // 4.2.1.12: SIZE (1..MAX)
        Row("an empty list of purposes", 0) { $0.leaf.extensions.append(.extendedKeyUsage([])) },
        Row("a purpose", nil) { $0.leaf.extensions.append(.extendedKeyUsage([[1, 2, 3]], critical: true)) },
        // 4.2.1.9
        Row("path length 0 above another authority", 25) {
            $0.root[CertificateExtension.basicConstraintsOID] = .basicConstraints(isCA: true, pathLength: 0)
        },
        Row("path length 1", nil) {
            $0.root[CertificateExtension.basicConstraintsOID] = .basicConstraints(isCA: true, pathLength: 1)
        },
        Row("path length 0 above a self-issued authority", nil) {
            $0.root[CertificateExtension.basicConstraintsOID] = .basicConstraints(isCA: true, pathLength: 0)
            $0.intermediate.subject = $0.root.subject
        },
        // 4.2.1.3
        Row("issuer without keyCertSign", 32) {
            $0.intermediate[CertificateExtension.keyUsageOID] = .keyUsage(.digitalSignature)
        },
        // X.690, 11.2.1: unused bits of a BIT STRING are zero.
        Row("key usage only in unused bits", 0) {
            $0.intermediate[CertificateExtension.keyUsageOID] = CertificateExtension(
                CertificateExtension.keyUsageOID, critical: true, value: [3, 2, 7, 4])
        },
        Row("key usage with nonzero unused bits", 0) {
            $0.intermediate[CertificateExtension.keyUsageOID] = CertificateExtension(
                CertificateExtension.keyUsageOID, critical: true, value: [3, 2, 7, 0x84])
        },
        // 4.2.1.1
        Row("issuer with another key identifier", 30) {
            $0.leaf.hasKeyIdentifiers = false
            $0.leaf.extensions.append(.authorityKeyIdentifier([1, 2, 3]))
        },
        // 4.2.1.10. The verifier compares no names, so it refuses all constraints on them.
        Row("excluded", 34) {
            $0.intermediate.extensions.append(.nameConstraints(excluded: [$0.leaf.subject]))
        },
        Row("not excluded", 34) { $0.intermediate.extensions.append(.nameConstraints(excluded: [name])) },
        Row("not permitted", 34) {
            $0.intermediate.extensions.append(.nameConstraints(permitted: [name]))
        },
        Row("permitted", 34) {
            $0.intermediate.extensions.append(.nameConstraints(permitted: [$0.leaf.subject]))
        },
        Row("name constraints in a signer's certificate", 34) {
            $0.leaf.extensions.append(.nameConstraints(excluded: [name]))
        },
        Row("name constraints that are not critical", 34) {
            $0.intermediate.extensions.append(
                CertificateExtension(
                    [2, 5, 29, 30], value: CertificateExtension.nameConstraints(excluded: [name]).value))
        },
        Row("unreadable name constraints", 34) {
            $0.intermediate.extensions.append(CertificateExtension([2, 5, 29, 30], value: BER.null))
        },
    ]

    @Test(arguments: rows)
    func path(row: Row) throws {
        let authority = try Authority.test { profiles in row.edit(&profiles) }
        let verifier = try ReceiptVerifier(anchors: .custom(authority.root.certificate.der))
        let bytes = try ReceiptRecipe(authority: authority).forge().bytes
        var code: Int32?
        do throws(ReceiptError) {
            _ = try verifier.verify(bytes, for: .any)
        } catch {
            switch error.reason {
            case .noPath(let number, _): code = number
            case .certificateUndecodable: code = 0
            default: code = -1
            }
        }
        #expect(code == row.code)
    }

    /// Checks that a root with an extension that no path could satisfy is refused before any receipt.
    @Test(arguments: [
        CertificateExtension([1, 2, 3], critical: true, value: BER.null),
        .nameConstraints(excluded: [name]),
    ])
    func rootWithUnsupportedExtension(extension: CertificateExtension) throws {
        let authority = try Authority.test { $0.root.extensions.append(`extension`) }
        let error = #expect(throws: ReceiptError.self) {
            try ReceiptVerifier(anchors: .custom(authority.root.certificate.der))
        }
        #expect(error?.reason == .certificateUndecodable(openSSL: "an unsupported critical extension"))
    }

    /// Checks 4.1.2.9: extensions "MUST only appear if the version is 3". The roots are the test authority's
    /// root with other versions.
    @Test(arguments: [
        [0xA0, 0x03, 0x02, 0x01, 0x00], [0xA0, 0x03, 0x02, 0x01, 0x01], [0xA0, 0x03, 0x02, 0x01, 0x03],
    ])
    func onlyVersion3HasExtensions(version: [UInt8]) throws {
        var root = try Authority.test().root.certificate.der
        let place = try #require(
            root.indices.first { root[$0...].starts(with: [0xA0, 0x03, 0x02, 0x01, 0x02]) })
        root.replaceSubrange(place..<place + 5, with: version)
        let error = #expect(throws: ReceiptError.self) { try ReceiptVerifier(anchors: .custom(root)) }
        guard case .certificateUndecodable = error?.reason else {
            Issue.record("\(error)")
            return
        }
    }

    // MARK: - Keys

    private static let modulus: [UInt8] = [0xC5] + [UInt8](repeating: 0x5A, count: 254) + [0x0B]
    private static let p256 = [1, 2, 840, 10045, 3, 1, 7] as OID
    private static let generator: [UInt8] = [
        0x6B, 0x17, 0xD1, 0xF2, 0xE1, 0x2C, 0x42, 0x47, 0xF8, 0xBC, 0xE6, 0xE5, 0x63, 0xA4, 0x40, 0xF2, 0x77,
        0x03, 0x7D,
        0x81, 0x2D, 0xEB, 0x33, 0xA0, 0xF4, 0xA1, 0x39, 0x45, 0xD8, 0x98, 0xC2, 0x96, 0x4F, 0xE3, 0x42, 0xE2,
        0xFE, 0x1A,
        0x7F, 0x9B, 0x8E, 0xE7, 0xEB, 0x4A, 0x7C, 0x0F, 0x9E, 0x16, 0x2B, 0xCE, 0x33, 0x57, 0x6B, 0x31, 0x5E,
        0xCE, 0xCB,
        0xB6, 0x40, 0x68, 0x37, 0xBF, 0x51, 0xF5,
    ]

    private static let generator384: [UInt8] = [
        0xAA, 0x87, 0xCA, 0x22, 0xBE, 0x8B, 0x05, 0x37, 0x8E, 0xB1, 0xC7, 0x1E, 0xF3, 0x20, 0xAD, 0x74,
        0x6E, 0x1D, 0x3B, 0x62, 0x8B, 0xA7, 0x9B, 0x98, 0x59, 0xF7, 0x41, 0xE0, 0x82, 0x54, 0x2A, 0x38,
        0x55, 0x02, 0xF2, 0x5D, 0xBF, 0x55, 0x29, 0x6C, 0x3A, 0x54, 0x5E, 0x38, 0x72, 0x76, 0x0A, 0xB7,
        0x36, 0x17, 0xDE, 0x4A, 0x96, 0x26, 0x2C, 0x6F, 0x5D, 0x9E, 0x98, 0xBF, 0x92, 0x92, 0xDC, 0x29,
        0xF8, 0xF4, 0x1D, 0xBD, 0x28, 0x9A, 0x14, 0x7C, 0xE9, 0xDA, 0x31, 0x13, 0xB5, 0xF0, 0xB8, 0xC0,
        0x0A, 0x60, 0xB1, 0xCE, 0x1D, 0x7E, 0x81, 0x9D, 0x7A, 0x43, 0x1D, 0x7C, 0x90, 0xEA, 0x0E, 0x5F,
    ]

    private static func rsa(_ modulus: [UInt8], _ exponent: [UInt8]) -> [UInt8] {
        BER.sequence(
            BER.sequence(([1, 2, 840, 113549, 1, 1, 1] as OID).encoded, BER.null),
            BER.bitString(BER.sequence(BER.element(2, [0] + modulus), BER.element(2, exponent))))
    }

    private static func elliptic(_ curve: OID, _ point: [UInt8]) -> [UInt8] {
        BER.sequence(
            BER.sequence(([1, 2, 840, 10045, 2, 1] as OID).encoded, curve.encoded), BER.bitString(point))
    }

    @Test(
        arguments: [
            ("usual", rsa(modulus, [1, 0, 1]), true), ("three", rsa(modulus, [3]), true),
            ("64 bits", rsa(modulus, [0] + [UInt8](repeating: 0xFF, count: 8)), true),
            // RFC 8017, 3.1: an exponent is "between 3 and n - 1" and coprime to even numbers, so it is odd.
            ("one", rsa(modulus, [1]), false), ("even", rsa(modulus, [1, 0, 0]), false),
            ("zero", rsa(modulus, [0]), false), ("negative", rsa(modulus, [0x81]), false),
            // The cost of a check grows with the exponent.
            ("65 bits", rsa(modulus, [1] + [UInt8](repeating: 1, count: 8)), false),
            ("2,040 bits", rsa([UInt8](repeating: 0xFF, count: 255), [1, 0, 1]), false),
            ("even modulus", rsa(modulus.dropLast() + [0x0A], [1, 0, 1]), false),
            ("P-256", elliptic(p256, [4] + generator), true),
            ("a point that is not on the curve", elliptic(p256, [4] + generator.dropLast() + [0xF4]), false),
            ("compressed", elliptic(p256, [3] + generator.prefix(32)), false),
            ("infinity", elliptic(p256, [0]), false),
            ("secp256k1", elliptic([1, 3, 132, 0, 10], [4] + generator), false),
            ("P-384", elliptic([1, 3, 132, 0, 34], [4] + generator384), true),
            // Also a 384-bit curve. The point is on P-384.
            ("brainpoolP384r1", elliptic([1, 3, 36, 3, 3, 2, 8, 1, 1, 11], [4] + generator384), false),
            ("an unknown curve", elliptic([1, 2, 3], [4] + generator384), false),
        ] as [(String, [UInt8], Bool)])
    func key(name: String, key: [UInt8], isAllowed: Bool) throws {
        let name = DistinguishedName(commonName: "Root").encoded
        let algorithm = BER.sequence(([1, 2, 840, 113549, 1, 1, 11] as OID).encoded, BER.null)
        let times = BER.sequence(BER.time("2010-01-01T00:00:00Z"), BER.time("2040-01-01T00:00:00Z"))
        let tbs = BER.sequence(BER.integer(1), algorithm, name, times, name, key)
        let root = BER.sequence(tbs, algorithm, BER.bitString([1]))
        if isAllowed {
            _ = try ReceiptVerifier(anchors: .custom(root))
        } else {
            let error = #expect(throws: ReceiptError.self) { try ReceiptVerifier(anchors: .custom(root)) }
            #expect(error?.reason == .certificateKey)
        }
    }

    // MARK: - Signatures

    /// Checks RFC 8017, 5.2.2: a representative that is not below the modulus is out of range, although it
    /// verifies.
    @Test
    func representativeIsBelowTheModulus() throws {
        let authority = try Authority.test()
        let modulus = Array(authority.leaf.key.subjectPublicKeyInfo.dropLast(5).suffix(256))
        let verifier = try ReceiptVerifier(anchors: .custom(authority.root.certificate.der))
        var content = ReceiptContent()
        for number in 0..<64 {
            content.applicationVersion = "\(number)"
            var recipe = ReceiptRecipe(content, authority: authority)
            var sum: [UInt8] = []
            var carry = 0
            let signature = try SignerInfo(
                signing: content.encoded(), by: authority.leaf, digest: .sha256, scheme: .pkcs1,
                signedAttributes: nil
            ).signature
            for (left, right) in zip(signature.reversed(), modulus.reversed()) {
                carry += Int(left) + Int(right)
                sum.append(UInt8(carry & 0xFF))
                carry >>= 8
            }
            guard carry == 0 else { continue }
            #expect(verifier.answer(to: try recipe.forge().bytes) == "genuine")
            let other = Array(sum.reversed())
            recipe.editContainer { $0.signerInfos[0].signature = other }
            #expect(verifier.answer(to: try recipe.forge().bytes) == "bad_signature")
            return
        }
        Issue.record("no suitable signature found")
    }

    /// Checks RFC 3279, 2.2.3: one SEQUENCE of two numbers, without trailing bytes.
    @Test(arguments: [PrivateKey.Curve.p256, .p384])
    func ellipticSignatureIsOneSequence(curve: PrivateKey.Curve) throws {
        let authority = try Authority.test { profiles throws(ForgeError) in
            profiles.root.key = try .generateEC(curve)
        }
        let verifier = try ReceiptVerifier(anchors: .custom(authority.root.certificate.der))
        var recipe = ReceiptRecipe(authority: authority)
        #expect(verifier.answer(to: try recipe.forge().bytes) == "genuine")
        let intermediate = try #require(authority.intermediate).certificate.der
        // tbsCertificate: its header has four bytes, after the certificate's four.
        let count = 4 + Int(intermediate[6]) << 8 + Int(intermediate[7])
        let tbs = Array(intermediate[4..<4 + count])
        let algorithm = SignatureAlgorithm.identifier(for: authority.root.key, digest: .sha256)
        let signature = try authority.root.key.sign(tbs, digest: .sha256)
        for (behind, answer) in [([], "genuine"), ([0], "untrusted_chain")] as [([UInt8], String)] {
            let other = BER.sequence(tbs, algorithm, BER.bitString(signature + behind))
            recipe.editContainer { $0.certificates?[1] = other }
            #expect(verifier.answer(to: try recipe.forge().bytes) == answer)
        }
    }
}
