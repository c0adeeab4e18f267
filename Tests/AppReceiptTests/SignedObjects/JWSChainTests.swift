import AppReceipt
import ReceiptForge
import Testing

/// The chain of a JWS: keys, markers, authorities and trust anchor kinds.
struct JWSChainTests {
    /// Checks that a custom root is not accepted for Xcode, and that the message does not mention StoreKit
    /// Test.
    @Test(arguments: ["Xcode", "LocalTesting"])
    func customRootIsNotAcceptedForXcode(environment: String) throws {
        let authority = try Authority.testJWS()
        var payload = JSONMembers.transaction
        payload["environment"] = "\"\(environment)\""
        let jws = try JWSRecipe(payload, authority: authority).forge()
        let verifier = try ReceiptVerifier(anchors: .custom(authority.root.certificate.der))
        let error = #expect(throws: ReceiptError.self) { try verifier.verify(jws: jws, for: .any) }
        #expect(error?.reason == .realm(.custom))
        #expect(error?.message.contains("StoreKit Test") == false)
    }

    private func answer(
        _ authority: Authority, payload: JSONMembers = .transaction, anchors: TrustAnchors? = nil
    ) throws -> String {
        let verifier = try ReceiptVerifier(anchors: anchors ?? .custom(authority.root.certificate.der))
        var recipe = JWSRecipe(payload, authority: authority)
        // A key of another type cannot make a 64-byte signature, and the JWS would be refused for its length.
        let key = authority.leaf.key
        if key.isRSA || key.bits != 256 { recipe.signer = try .generateEC() }
        let jws = try recipe.forge()
        do throws(ReceiptError) {
            return try "\(verifier.verify(jws: jws, for: .any).object.realm)"
        } catch {
            return error.code.rawValue
        }
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let code: String
        let change: @Sendable (inout Authority.Profiles) throws(ForgeError) -> Void

        init(
            _ name: String, _ code: String,
            _ change: @escaping @Sendable (inout Authority.Profiles) throws(ForgeError) -> Void
        ) {
            (testDescription, self.code, self.change) = (name, code, change)
        }
    }

    static let rows: [Row] = [
        Row("like Apple's", "custom") { _ throws(ForgeError) in },
        Row("no key identifiers", "custom") { profiles throws(ForgeError) in
            for certificate in [\Authority.Profiles.root, \.intermediate, \.leaf] {
                profiles[keyPath: certificate].hasKeyIdentifiers = false
            }
        },
        // ES256 requires P-256.
        Row("a leaf on P-384", "untrusted_chain") { profiles throws(ForgeError) in
            profiles.leaf.key = try .generateEC(.p384)
        },
        Row("an RSA leaf", "untrusted_chain") { profiles throws(ForgeError) in
            profiles.leaf.key = try .generateRSA()
        },
        Row("a leaf without its marker", "wrong_purpose") { profiles throws(ForgeError) in
            profiles.leaf[.receiptSigningMarker] = nil
        },
        Row("an intermediate without its marker", "wrong_purpose") { profiles throws(ForgeError) in
            profiles.intermediate[.developerRelationsMarker] = nil
        },
        Row("an intermediate that is not an authority", "untrusted_chain") { profiles throws(ForgeError) in
            profiles.intermediate[CertificateExtension.basicConstraintsOID] = .basicConstraints(isCA: false)
        },
        Row("a leaf that may not sign data", "wrong_purpose") { profiles throws(ForgeError) in
            profiles.leaf[CertificateExtension.keyUsageOID] = .keyUsage(.keyEncipherment)
        },
        Row("a leaf that expired before signedDate", "untrusted_chain") { profiles throws(ForgeError) in
            profiles.leaf.notAfter = "2026-06-01T09:59:59Z"
        },
        Row("an intermediate that becomes valid after signedDate", "untrusted_chain") {
            profiles throws(ForgeError) in
            profiles.intermediate.notBefore = "2026-06-01T10:00:01Z"
        },
        // Validity ends are inclusive. signedDate is 2026-06-01T10:00:00.123Z, and certificates have whole
        // seconds.
        Row("a leaf that expires in the second of signedDate", "custom") { profiles throws(ForgeError) in
            profiles.leaf.notAfter = "2026-06-01T10:00:00Z"
        },
    ]

    @Test(arguments: rows)
    func chains(row: Row) throws {
        let authority = try Authority.appStoreJWS { (profiles) throws(ForgeError) in try row.change(&profiles)
        }
        #expect(try answer(authority) == row.code)
    }

    /// Checks that a cached chain, which is cached before the signature check, is valid only for its own
    /// dates and proves no signature.
    @Test
    func cachedChainProvesNoSignature() throws {
        let authority = try Authority.appStoreJWS { profiles throws(ForgeError) in
            profiles.leaf.notAfter = "2026-06-02T00:00:00Z"
        }
        let verifier = try ReceiptVerifier(anchors: .custom(authority.root.certificate.der))
        func answer(_ number: Int, isForged: Bool, milliseconds: String) throws -> String {
            var recipe = JWSRecipe(authority: authority)
            // Each header differs, with the same certificates.
            recipe.header["kid"] = "\"\(number)\""
            recipe.payload["signedDate"] = milliseconds
            if isForged { recipe.signer = try .generateEC() }
            let jws = try recipe.forge()
            do throws(ReceiptError) {
                _ = try verifier.verify(jws: jws, for: .any)
                return "genuine"
            } catch {
                return error.code.rawValue
            }
        }
        let (inside, outside) = ("1780308000123", "1780488000000")
        var answers: [String] = []
        for (number, (isForged, date)) in [
            (true, inside), (true, inside), (false, outside), (false, inside), (true, inside),
            (true, outside), (false, inside),
        ].enumerated() { answers.append(try answer(number, isForged: isForged, milliseconds: date)) }
        #expect(
            answers == [
                "bad_signature", "bad_signature", "untrusted_chain", "genuine", "bad_signature",
                "untrusted_chain", "genuine",
            ])
    }

    /// Checks the answers for a key that has signed a thousand genuine objects. It has a faster check from then on.
    @Test
    func frequentKeyProvesNoSignature() throws {
        let authority = try Authority.appStoreJWS()
        let verifier = try ReceiptVerifier(anchors: .custom(authority.root.certificate.der))
        let genuine = try JWSRecipe(authority: authority).forge()
        for _ in 0..<1000 { _ = try verifier.verify(jws: genuine, for: .any) }
        var other = JWSRecipe(authority: authority)
        other.payload["quantity"] = "7"
        let another = try other.forge()
        #expect(throws: Never.self) { try verifier.verify(jws: another, for: .any) }
        // The signature of another key, and that of another object.
        other.signer = try .generateEC()
        let mixed = (another.split(separator: ".").prefix(2) + genuine.split(separator: ".").suffix(1))
            .joined(separator: ".")
        for forged in [try other.forge(), mixed] {
            let error = #expect(throws: ReceiptError.self) { try verifier.verify(jws: forged, for: .any) }
            #expect(error?.code == .badSignature)
        }
        #expect(throws: Never.self) { try verifier.verify(jws: genuine, for: .any) }
    }

    /// Checks that an elliptic chain passes with a limit of zero signature checks. A JWS names every
    /// certificate, so no search takes place.
    @Test
    func ellipticChainNeedsNoSearch() throws {
        let authority = try Authority.appStoreJWS()
        var limits = ReceiptLimits()
        limits.signatureChecks = 0
        let verifier = try ReceiptVerifier(
            anchors: .custom(authority.root.certificate.der), limits: limits)
        let jws = try JWSRecipe(authority: authority).forge()
        #expect(throws: Never.self) { try verifier.verify(jws: jws, for: .any) }
    }

    /// Checks that a leaf issued by the root is refused, whatever certificate is between them in x5c.
    @Test
    func leafUnderTheRootIsUntrusted() throws {
        var authority = try Authority.appStoreJWS()
        let key = try PrivateKey.generateEC()
        var profile = CertificateProfile(
            subject: authority.leaf.certificate.subject, serialNumber: 9, key: key,
            extensions: [.basicConstraints(isCA: false), .marker(.receiptSigningMarker)])
        profile.digest = .sha384
        authority.leaf = try profile.signed(by: authority.root)
        #expect(try answer(authority) == "untrusted_chain")
    }

    /// Checks that a leaf is refused if it names another issuer, even though the intermediate's key signed
    /// it.
    @Test
    func leafWithAnotherIssuerNameIsUntrusted() throws {
        var authority = try Authority.appStoreJWS()
        let intermediate = try #require(authority.intermediate)
        func profile(_ name: DistinguishedName, _ key: PrivateKey) -> CertificateProfile {
            var profile = CertificateProfile(
                subject: name, serialNumber: 9, key: key, extensions: [.marker(.receiptSigningMarker)])
            profile.digest = .sha384
            return profile
        }
        let namesake = try profile(
            DistinguishedName(commonName: "Another Name", organization: "Forge", country: "US"),
            intermediate.key
        ).signed(by: authority.root)
        for (issuer, code) in [(intermediate, "custom"), (namesake, "untrusted_chain")] {
            authority.leaf = try profile(authority.leaf.certificate.subject, authority.leaf.key)
                .signed(by: issuer)
            #expect(try answer(authority) == code)
        }
    }

    /// Checks each environment with each trust anchor kind.
    @Test(arguments: [
        (#""Xcode""#, "storeKitTest", "untrusted_chain"),
        (#""LocalTesting""#, "storeKitTest", "untrusted_chain"),
        (#""Sandbox""#, "untrusted_chain", "custom"), (#""Production""#, "untrusted_chain", "custom"),
        (#""Other""#, "untrusted_chain", "custom"),
    ])
    func anchorKindsAcceptOnlyTheirEnvironments(environment: String, storeKitTest: String, appStore: String)
        throws
    {
        var payload = JSONMembers.transaction
        payload["environment"] = environment
        let xcode = try Authority.storeKitTestJWS()
        let store = try Authority.appStoreJWS()
        let both = TrustAnchors.custom(store.root.certificate.der)
            .adding(storeKitTest: try Authority.storeKitTest().root.certificate.der)
            .adding(storeKitTest: xcode.root.certificate.der)
        #expect(try answer(xcode, payload: payload, anchors: both) == storeKitTest)
        #expect(try answer(store, payload: payload, anchors: both) == appStore)
        // Without a StoreKit Test anchor, and with only the other kind of anchor.
        #expect(try answer(xcode, payload: payload, anchors: .apple) == "untrusted_chain")
        #expect(
            try answer(xcode, payload: payload, anchors: .custom(xcode.root.certificate.der))
                == "untrusted_chain")
        #expect(
            try answer(store, payload: payload, anchors: .storeKitTest(store.root.certificate.der))
                == "untrusted_chain")
    }

    /// Checks that only Xcode may sign dates with fractions or before 1970, and only dates.
    @Test(arguments: [
        ("purchaseDate", "1697679936049.7297", true, 1_697_679_936_049),
        ("originalPurchaseDate", "-62135769600000", true, -62_135_769_600_000), ("quantity", "1.0", false, 0),
        ("purchaseDate", "1e12", false, 0),
    ])
    func onlyXcodeMaySignFractions(member: String, value: String, isGood: Bool, milliseconds: Int64) throws {
        var payload = JSONMembers.transaction
        payload["environment"] = #""Xcode""#
        payload[member] = value
        let xcode = try Authority.storeKitTestJWS()
        let verifier = try ReceiptVerifier(anchors: .storeKitTest(xcode.root.certificate.der))
        let jws = try JWSRecipe(payload, authority: xcode).forge()
        guard isGood else {
            let error = #expect(throws: ReceiptError.self) { try verifier.verify(jws: jws, for: .any) }
            #expect(error?.code == .malformed)
            #expect(error?.field == "payload.\(member)")
            return
        }
        guard case .transaction(let transaction) = try verifier.verify(jws: jws, for: .any) else {
            Issue.record("no transaction")
            return
        }
        let date = member == "purchaseDate" ? transaction.purchaseDate : transaction.originalPurchaseDate
        #expect(date?.millisecondsSince1970 == milliseconds)
    }
}
