import AppReceipt
import ReceiptASN1
import ReceiptForge
import Testing

/// Attacks with certificates and signatures that are read before any trust is established.
struct HostileCertificateTests {
    let authority: Authority
    let verifier: ReceiptVerifier
    let crossChecking: ReceiptVerifier

    init() throws {
        authority = try .test()
        let anchors = TrustAnchors.custom(authority.root.certificate.der)
        verifier = try ReceiptVerifier(anchors: anchors)
        crossChecking = try ReceiptVerifier(anchors: anchors, isCrossChecking: true)
    }

    private func forge(_ edit: @escaping ReceiptRecipe.Edit<SignedData>) throws -> [UInt8] {
        var recipe = ReceiptRecipe(authority: authority)
        recipe.editContainer(edit)
        return try recipe.forge().bytes
    }

    private func error(of bytes: [UInt8]) -> ReceiptError? {
        #expect(throws: ReceiptError.self) { try verifier.verify(bytes, for: .any) }
    }

    /// Checks that a certificate with a non-minimal length is refused. The container's encoding is not
    /// signed.
    @Test(arguments: 0..<3)
    func certificatesAreDER(index: Int) throws {
        let bytes = try forge { container in
            guard let der = container.certificates?[index] else { return }
            container.certificates?[index] = [0x30, 0x83, 0x00] + der.dropFirst(2)
        }
        #expect(error(of: bytes)?.reason == .encoding(.notDER))
        #expect(error(of: bytes)?.field == "certificates[\(index)]")
    }

    @Test
    func certificatesAreSmall() throws {
        let bytes = try forge { container in
            container.certificates?.append(BER.sequence([UInt8](repeating: 0, count: 9_000)))
        }
        #expect(error(of: bytes)?.code == .tooLarge)
        #expect(error(of: bytes)?.field == "certificates[3]")
    }

    /// Checks RFC 8017, 8.2.2: a signature is exactly as long as the modulus, even if it begins with a zero.
    @Test
    func signatureHasTheLengthOfTheModulus() throws {
        var content = ReceiptContent()
        var receipt: ForgedReceipt?
        var number = 0
        while receipt == nil {
            content.applicationVersion = "\(number)"
            number += 1
            var recipe = ReceiptRecipe(content, authority: authority)
            let forged = try recipe.forge()
            let signature = try SignerInfo(
                signing: content.encoded(), by: authority.leaf, digest: .sha256, scheme: .pkcs1,
                signedAttributes: nil
            ).signature
            guard signature.first == 0 else { continue }
            #expect(verifier.answer(to: forged.bytes) == "genuine")
            recipe.editContainer { $0.signerInfos[0].signature = Array(signature.dropFirst()) }
            receipt = try recipe.forge()
        }
        #expect(verifier.answer(to: try #require(receipt).bytes) == "bad_signature")
    }

    /// Checks RFC 5754, 2: the parameters of a digest algorithm are NULL or absent.
    @Test
    func digestHasNoParameters() throws {
        let odd = BER.sequence(Digest.sha256.oid.encoded, BER.integer(1))
        let bytes = try forge { container in
            container.digestAlgorithms = [odd]
            container.signerInfos[0].digestAlgorithm = odd
        }
        #expect(error(of: bytes)?.reason == .digestAlgorithm("2.16.840.1.101.3.4.2.1"))
    }

    /// Checks RFC 5652, 11.1: only one content-type attribute is allowed, even with equal values.
    @Test
    func onlyOneContentTypeAttributeIsAllowed() throws {
        let leaf = authority.leaf
        let bytes = try forge { container throws(ForgeError) in
            let content = container.eContent ?? []
            let usual = try CMSAttribute.usual(for: content, digest: .sha256, signingTime: nil)
            container.signerInfos[0] = try SignerInfo(
                signing: content, by: leaf, digest: .sha256, scheme: .pkcs1,
                signedAttributes: usual + usual.prefix(1))
        }
        #expect(error(of: bytes)?.reason == .contentTypeAttribute)
    }

    /// Checks that a signature with unused bits is refused. OpenSSL would drop them and check the rest.
    @Test(arguments: 1..<8 as Range<UInt8>)
    func signatureUsesEveryBit(unusedBits: UInt8) throws {
        let bytes = try forge { container in
            guard var der = container.certificates?[0] else { return }
            // The 2,048-bit BIT STRING ends the certificate. Its first octet is the number of unused bits.
            der[der.count - 257] = unusedBits
            container.certificates?[0] = der
        }
        #expect(error(of: bytes)?.code == .malformed)
        #expect(error(of: bytes)?.field == "certificates[0].signatureValue")
    }

    /// Checks that an unlisted digest algorithm in digestAlgorithms is refused, as OpenSSL does.
    @Test
    func unlistedDigestAlgorithmIsRefused() throws {
        let bytes = try forge { $0.digestAlgorithms.append(Digest.md5.algorithmIdentifier) }
        #expect(error(of: bytes)?.code == .badSignature)
        #expect(error(of: bytes)?.field == "digestAlgorithms")
    }

    /// Checks that the signing intermediate is found in either order among two of the same name without key
    /// identifiers.
    @Test(arguments: [true, false])
    func signingIntermediateIsFoundInEitherOrder(isFirst: Bool) throws {
        let plain = try Authority.test { profiles in profiles.leaf.hasKeyIdentifiers = false }
        let other = try Authority.test { profiles throws(ForgeError) in
            profiles.intermediate.key = try .generateRSA()
        }
        let unrelated = try #require(other.intermediate).certificate.der
        var recipe = ReceiptRecipe(authority: plain)
        recipe.editContainer { $0.certificates?.insert(unrelated, at: isFirst ? 1 : 2) }
        #expect(verifier.answer(to: try recipe.forge().bytes) == "genuine")
    }

    /// Checks that malformed certificates with the intermediate's name are never decoded and do not affect a
    /// genuine chain.
    @Test
    func malformedCertificatesWithTheIntermediatesNameAreIgnored() throws {
        let intermediate = try #require(authority.intermediate).certificate
        let name = intermediate.subject.encoded
        let algorithm = BER.sequence(([1, 2, 840, 113549, 1, 1, 11] as OID).encoded, BER.null)
        let tbs = BER.sequence(
            BER.integer(1), algorithm, authority.root.certificate.subject.encoded, BER.sequence(), name,
            BER.octetString([UInt8](repeating: 0xEE, count: 4_000)))
        let junk = BER.sequence(tbs, algorithm, BER.bitString([UInt8](repeating: 1, count: 256)))
        let bytes = try forge { container in
            for _ in 0..<13 { container.certificates?.insert(junk, at: 0) }
        }
        #expect(verifier.answer(to: bytes) == "genuine")
        #expect(verifier.answer(to: bytes) == "genuine")
    }

    /// Checks that an untrusted certificate with the intermediate's name and an elliptic issuer does not hide
    /// the genuine chain and causes no internal error.
    @Test(
        arguments: [[], [0xFF, 0xFF, 0xFF], [0x30, 0x06, 0x02, 0x01, 0x01, 0x02, 0x01, 0x01]] as [[UInt8]])
    func untrustedEllipticCertificateHasNoEffect(signature: [UInt8]) throws {
        let elliptic = try Authority.test { profiles throws(ForgeError) in
            profiles.root.key = try .generateEC(.p384)
            profiles.root.subject = DistinguishedName(commonName: "Elliptic Root")
        }
        let name = try #require(authority.intermediate).certificate.subject.encoded
        let algorithm = BER.sequence(([1, 2, 840, 10045, 4, 3, 3] as OID).encoded)
        let issuer = elliptic.root.certificate.subject.encoded
        let tbs = BER.sequence(BER.integer(1), algorithm, issuer, BER.sequence(), name)
        let unrelated = BER.sequence(tbs, algorithm, BER.bitString(signature))
        let bytes = try forge { $0.certificates?.insert(unrelated, at: 0) }
        let verifier = try ReceiptVerifier(
            anchors: .custom(authority.root.certificate.der, elliptic.root.certificate.der))
        #expect(verifier.answer(to: bytes) == "genuine")
        // Without the genuine intermediate the chain is not trusted.
        let alone = try forge { $0.certificates?[1] = unrelated }
        #expect(verifier.answer(to: alone) == "untrusted_chain")
    }

    /// Checks that the valid one of two roots with the same name and key is used, in either order.
    @Test(arguments: [true, false])
    func validOneOfTwoRootsIsUsed(isFirst: Bool) throws {
        let old = try Authority.test { profiles in profiles.root.notAfter = "2015-01-01T00:00:00Z" }
        let roots = [old.root.certificate.der, authority.root.certificate.der]
        let anchors = isFirst ? TrustAnchors.custom(roots[0], roots[1]) : .custom(roots[1], roots[0])
        let verifier = try ReceiptVerifier(anchors: anchors)
        #expect(verifier.answer(to: try forge { _ in }) == "genuine")
    }

    /// Checks that each receipt finds the valid one of two intermediates with the same key, in any order and
    /// with a cache.
    @Test
    func cacheDistinguishesValidityPeriods() throws {
        let early = try Authority.test { profiles in profiles.intermediate.notAfter = "2020-01-01T00:00:00Z" }
        let late = try Authority.test { profiles in
            profiles.intermediate.notBefore = "2020-01-01T00:00:01Z"
            profiles.intermediate.serialNumber = [0x55]
        }
        let both = try [#require(early.intermediate), #require(late.intermediate)].map(\.certificate.der)
        for date in [
            "2019-06-01T00:00:00Z", "2021-06-01T00:00:00Z", "2019-07-01T00:00:00Z", "2021-07-01T00:00:00Z",
        ] {
            var content = ReceiptContent()
            content.creationDate = date
            var recipe = ReceiptRecipe(content, authority: authority)
            recipe.editContainer { $0.certificates?.replaceSubrange(1..<2, with: both) }
            let isLate = date > "2020"
            let read = try? verifier.verify(recipe.forge().bytes, for: .any)
            #expect(
                read?.certificates.dropFirst().first?.serialNumber == (isLate ? "55" : early.serial),
                "\(date)")
        }
    }

    /// Checks that out-of-range limits are clamped.
    @Test(arguments: [Int.min, -1, 0, Int.max])
    func limitsAreClamped(limit: Int) throws {
        var limits = ReceiptLimits()
        limits.inputBytes = limit
        limits.nesting = limit
        limits.certificates = limit
        limits.certificateBytes = limit
        limits.purchases = limit
        let verifier = try ReceiptVerifier(anchors: .custom(authority.root.certificate.der), limits: limits)
        let answer = verifier.answer(to: try ReceiptRecipe(authority: authority).forge().bytes)
        #expect(answer == (limit == .max ? "genuine" : "too_large"))
        limits.inputBytes = 1 << 20
        limits.nesting = 32
        limits.certificates = 16
        limits.certificateBytes = 1 << 20
        let purchase = PurchaseContent(
            productID: "p", transactionID: "1", purchaseDate: "2024-05-01T00:00:00Z")
        let forged = try ReceiptRecipe(ReceiptContent(purchases: [purchase]), authority: authority).forge()
            .bytes
        let other = try ReceiptVerifier(anchors: .custom(authority.root.certificate.der), limits: limits)
        #expect(other.answer(to: forged) == (limit == .max ? "genuine" : "too_large"))
    }

    /// Checks that leniencies in attribute 12, which is read separately, and in Xcode's wrapper are reported.
    @Test
    func leniencyOfTheCreationDateIsReported() throws {
        var content = ReceiptContent()
        content.omittedTypes = [12]
        content.otherAttributes.append(
            ReceiptAttribute(
                12,
                value: BER.element(
                    BER.Tag.ia5String, Array("2024-06-01T10:00:00Z".utf8), length: .padded(octets: 2))))
        content.omittedTypes = []
        content.creationDate = nil
        let receipt = try verifier.verify(
            ReceiptRecipe(content, authority: authority).forge().bytes, for: .any)
        #expect(receipt.leniencies == .nonMinimalLength)
    }
}

extension Authority {
    /// The intermediate's serial number in the verifier's format.
    fileprivate var serial: String { intermediate?.certificate.serialNumber.hexadecimal ?? "" }
}
