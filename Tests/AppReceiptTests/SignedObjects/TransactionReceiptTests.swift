import AppReceipt
import ReceiptForge
import Testing

/// Transaction receipts under a test authority that has an intermediate for each version.
struct TransactionReceiptTests {
    struct Edit<Value>: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let fault: TransactionReceiptFault?
        let edit: @Sendable (inout Value) -> Void

        init(
            _ name: String, _ fault: TransactionReceiptFault? = nil,
            _ edit: @escaping @Sendable (inout Value) -> Void
        ) {
            (testDescription, self.fault, self.edit) = (name, fault, edit)
        }
    }

    private struct Bench {
        let verifier: ReceiptVerifier
        let issuers: TransactionReceiptIssuers
        let signers: [UInt8: Identity]
    }

    private static let oldMarker: OID = [1, 2, 840, 113635, 100, 6, 5, 1]
    private static let oldIntermediateMarker: OID = [1, 2, 840, 113635, 100, 6, 2, 2]

    /// Returns a signer and an issuer of version 2 like Apple's, with the given changes.
    private static func versionTwo(
        under root: Identity, issuerBits: Int = 2048, signerMarker: OID = oldMarker,
        issuerMarker: OID = oldIntermediateMarker
    ) throws -> (signer: Identity, issuer: Identity) {
        func profile(_ name: String, _ bits: Int, _ extensions: [CertificateExtension]) throws
            -> CertificateProfile
        {
            CertificateProfile(
                subject: DistinguishedName(commonName: name, organization: "Forge", country: "US"),
                serialNumber: 7, key: try .generateRSA(bits: bits), extensions: extensions)
        }
        let issuer = try profile(
            "Old Store", issuerBits, [.basicConstraints(isCA: true), .marker(issuerMarker)]
        ).signed(by: root)
        let signer = try profile(
            "Purchases", 1024,
            [.basicConstraints(isCA: false), .keyUsage(.digitalSignature), .marker(signerMarker)]
        ).signed(by: issuer)
        return (signer, issuer)
    }

    private static let bench = known { () throws -> Bench in
        let three = try Authority.test()
        let root = three.root.certificate.der
        let two = try versionTwo(under: three.root)
        return Bench(
            verifier: try ReceiptVerifier(anchors: .custom(root)),
            issuers: .custom(
                root: root, versionTwo: two.issuer.certificate.der,
                laterVersions: [two.issuer.certificate.der, try #require(three.intermediate).certificate.der]),
            signers: [2: two.signer, 3: three.leaf, 4: three.leaf])
    }

    /// Checks that only the signer may have a 1,024-bit key, and that the markers must be those of version 2.
    @Test(
        arguments: [
            (2048, oldMarker, oldIntermediateMarker, nil),
            (1024, oldMarker, oldIntermediateMarker, .untrustedChain),
            (2048, .receiptSigningMarker, oldIntermediateMarker, .wrongPurpose),
            (2048, oldMarker, .developerRelationsMarker, .wrongPurpose),
        ] as [(Int, OID, OID, ReceiptError.Code?)])
    func chainsOfVersionTwo(
        issuerBits: Int, signerMarker: OID, issuerMarker: OID, code: ReceiptError.Code?
    ) throws {
        let root = try Authority.test().root
        let two = try Self.versionTwo(
            under: root, issuerBits: issuerBits, signerMarker: signerMarker, issuerMarker: issuerMarker)
        let der = root.certificate.der
        let bytes = Array(try TransactionReceiptRecipe(version: 2, signer: two.signer).forge().utf8)
        let issuer = two.issuer.certificate.der
        do throws(ReceiptError) {
            _ = try ReceiptVerifier(anchors: .custom(der)).verify(
                transactionReceipt: bytes, for: .any,
                issuers: .custom(root: der, versionTwo: issuer, laterVersions: [issuer]))
            #expect(code == nil)
        } catch {
            #expect(error.code == code)
        }
    }

    private func recipe(_ version: UInt8) throws -> TransactionReceiptRecipe {
        TransactionReceiptRecipe(version: version, signer: try #require(Self.bench.signers[version]))
    }

    private func verify(_ recipe: TransactionReceiptRecipe) throws -> VerifiedTransactionReceipt {
        let bytes = Array(try recipe.forge().utf8)
        return try Self.bench.verifier.verify(
            transactionReceipt: bytes, for: .any, issuers: Self.bench.issuers)
    }

    private func error(_ recipe: TransactionReceiptRecipe) -> ReceiptError? {
        #expect(throws: ReceiptError.self) { _ = try verify(recipe) }
    }

    @Test(
        arguments: [(2, [.rsa1024], .sha1), (3, [], .sha1), (4, [], .sha256)]
            as [(UInt8, [VerifiedTransactionReceipt.Caveat], DigestAlgorithm)])
    func isGenuine(
        version: UInt8, caveats: [VerifiedTransactionReceipt.Caveat], digest: DigestAlgorithm
    ) throws {
        let receipt = try verify(recipe(version))
        #expect(receipt.caveats == caveats)
        #expect(receipt.digestAlgorithm == digest)
        #expect(receipt.environment == nil)
        #expect(receipt.quantity == 2)
        #expect(receipt.productID == "com.example.app.coins")
        #expect(receipt.transactionID == "1000000000000002")
        #expect(receipt.verifiedAt.rfc3339 == "2012-10-01T18:40:00Z")
        #expect(receipt.expiresDate?.rfc3339 == "2012-11-01T18:40:00Z")
        #expect(receipt.isTrialPeriod == nil)
        #expect(receipt.certificates.count == 3)
        #expect(throws: Never.self) { try receipt.require(.app("com.example.app", .anyEnvironment)) }
        for environment in ReceiptEnvironment.allCases {
            let error = #expect(throws: ReceiptError.self) {
                try receipt.require(.anyApp(.only(environment)))
            }
            #expect(error?.code == .wrongEnvironment)
        }
    }

    /// Checks app-item-id, with the results for app 77 with and without an expected bundle ID.
    @Test(
        arguments: [
            ("77", true, true), ("78", false, false), (nil, true, false), ("0", true, false),
            // A present but invalid number is not the same as an absent one.
            ("x", false, false), ("9223372036854775808", false, false),
        ] as [(String?, Bool, Bool)])
    func namesAppAppleIDInAppItemID(id: String?, withBundleID: Bool, without: Bool) throws {
        var recipe = try recipe(4)
        recipe.purchaseInfo.removeAll { $0.name == "app-item-id" }
        if let id { recipe.purchaseInfo.append(("app-item-id", id)) }
        let receipt = try verify(recipe)
        for (policy, isAccepted) in [
            (VerificationPolicy.app("com.example.app", .anyEnvironment), withBundleID), (.any, without),
        ] {
            do throws(ReceiptError) {
                try receipt.require(policy.expecting(appAppleIDs: [77]))
                #expect(isAccepted)
            } catch {
                #expect(!isAccepted)
                #expect(error.field == "purchase-info.app-item-id")
            }
        }
    }

    static let blobEdits: [Edit<[UInt8]>] = [
        Edit("no bytes", .blob, { $0 = [] }), Edit("a byte at the end", .blob, { $0.append(0) }),
        Edit("the last byte is missing", .blob, { $0.removeLast() }),
        Edit("version 1", .version, { $0[0] = 1 }),
        // The first byte of a PKCS #7 payload, which the signer of version 3 also signs.
        Edit("version 0x31", .version, { $0[0] = 0x31 }),
        Edit("version 3, as long as 2", .blob, { $0[0] = 3 }),
        Edit("version 4, as long as 2", .blob, { $0[0] = 4 }),
        Edit("version 5", .version, { $0[0] = 5 }),
        Edit("no certificate", .blob, { $0.removeLast($0.count - 129) }),
        Edit("length", .blob, { $0[129] = 0xFF }),
    ]

    /// Checks the blob, which has no optional fields and no trailing bytes.
    @Test(arguments: blobEdits)
    func blobs(edit: Edit<[UInt8]>) throws {
        var recipe = try recipe(2)
        recipe.editBlob = { edit.edit(&$0) }
        #expect(error(recipe)?.reason == edit.fault.map { .transactionReceipt($0) })
    }

    @Test(arguments: [1, 64, 128])
    func signaturesAreChecked(index: Int) throws {
        var recipe = try recipe(2)
        recipe.editBlob = { $0[index] ^= 1 }
        #expect(error(recipe)?.code == .badSignature)
    }

    /// Checks that a signature of version 3 is invalid for version 4 and vice versa: the version is signed,
    /// and the digest differs.
    @Test(arguments: [(3, 4), (4, 3)] as [(UInt8, UInt8)])
    func versionIsSigned(version: UInt8, claimed: UInt8) throws {
        var recipe = try recipe(version)
        recipe.editBlob = { $0[0] = claimed }
        #expect(error(recipe)?.code == .badSignature)
    }

    /// Checks that a date in milliseconds takes precedence over a formatted date. Receipts from 2011 have
    /// only the formatted one.
    @Test(
        arguments: [
            // purchase-date-ms, purchase-date, resulting purchase date
            (nil, "2012-10-01 18:40:05 Etc/GMT", "2012-10-01T18:40:05Z"),
            ("1349116800000", "2012-10-01 18:40:05 Etc/GMT", "2012-10-01T18:40:00Z"),
            // unused, so not parsed
            ("1349116800000", "2012-02-30 18:40:05 Etc/GMT", "2012-10-01T18:40:00Z"),
            (nil, nil, nil),
            // another zone, no zone, an impossible day, RFC 3339
            (nil, "2012-10-01 11:40:05 America/Los_Angeles", nil), (nil, "2012-10-01 18:40:05", nil),
            (nil, "2012-02-30 18:40:05 Etc/GMT", nil), (nil, "2012-10-01T18:40:05 Etc/GMT", nil),
        ] as [(String?, String?, String?)])
    func purchaseDate(milliseconds: String?, words: String?, date: String?) throws {
        var recipe = try recipe(3)
        recipe.purchaseInfo.removeAll { $0.name == "purchase-date-ms" }
        if let milliseconds { recipe.purchaseInfo.append(("purchase-date-ms", milliseconds)) }
        if let words { recipe.purchaseInfo.append(("purchase-date", words)) }
        guard let date else {
            #expect(error(recipe)?.code == .malformed)
            return
        }
        let receipt = try verify(recipe)
        #expect(receipt.purchaseDate?.rfc3339 == date)
        #expect(receipt.verifiedAt.rfc3339 == date)
    }

    /// Checks members that only old or only new receipts have.
    @Test
    func membersOfEveryYear() throws {
        var recipe = try recipe(4)
        recipe.purchaseInfo.removeAll { ["original-purchase-date-ms", "expires-date"].contains($0.name) }
        recipe.purchaseInfo += [
            ("original-purchase-date", "2011-10-12 20:05:52 Etc/GMT"),
            ("expires-date-formatted", "2012-11-01 18:40:00 Etc/GMT"),
            ("in-app-ownership-type", "FAMILY_SHARED"), ("subscription-group-identifier", "21000001"),
            ("web-order-line-item-id", "7"),
        ]
        let receipt = try verify(recipe)
        #expect(receipt.originalPurchaseDate?.rfc3339 == "2011-10-12T20:05:52Z")
        #expect(receipt.expiresDate?.rfc3339 == "2012-11-01T18:40:00Z")
        #expect(receipt.inAppOwnershipType == "FAMILY_SHARED")
        #expect(receipt.subscriptionGroupIdentifier == "21000001")
        #expect(receipt.webOrderLineItemID == "7")
    }

    /// Checks that the policy on SHA-1 also covers versions 2 and 3.
    @Test(arguments: [(2, false), (3, false), (4, true)] as [(UInt8, Bool)])
    func sha1PolicyCoversTransactionReceipts(version: UInt8, isGenuine: Bool) throws {
        let bytes = Array(try recipe(version).forge().utf8)
        let root = try Authority.test().root.certificate.der
        let verifier = try ReceiptVerifier(anchors: .custom(root), sha1Signatures: .none)
        do throws(ReceiptError) {
            _ = try verifier.verify(transactionReceipt: bytes, for: .any, issuers: Self.bench.issuers)
            #expect(isGenuine)
        } catch {
            #expect(!isGenuine)
            #expect(error.code == .badSignature)
        }
    }

    /// Checks that a transaction receipt, which names no device, is for no expected device.
    @Test
    func policyNamesADevice() throws {
        let bytes = Array(try recipe(4).forge().utf8)
        let error = #expect(throws: ReceiptError.self) {
            try Self.bench.verifier.verify(
                transactionReceipt: bytes, for: .any.expecting(deviceID: [1]), issuers: Self.bench.issuers)
        }
        #expect(error?.code == .wrongDevice)
    }

    /// Checks that each version requires its own signer and issuer.
    @Test
    func signersAreAcceptedOnlyForTheirVersion() throws {
        var recipe = try recipe(2)
        recipe.signer = try #require(Self.bench.signers[3])
        #expect(error(recipe)?.code == .malformed)
        let untrusted = try CertificateProfile(
            subject: DistinguishedName(commonName: "Stranger", organization: "Forge", country: "US"),
            serialNumber: 1,
            key: .generateRSA(bits: 1024), extensions: [.marker(Self.oldMarker)]
        ).signed()
        recipe.signer = untrusted
        #expect(error(recipe)?.code == .untrustedChain)
    }

    /// Checks that Apple's intermediates are not accepted under another root.
    @Test
    func intermediatesNeedApplesRoot() throws {
        let bytes = Array(try recipe(3).forge().utf8)
        let error = #expect(throws: ReceiptError.self) {
            _ = try Self.bench.verifier.verify(signedObject: bytes, for: .any)
        }
        #expect(error?.reason == .notAnAnchor)
        // Not even if the caller trusts Apple's root as a custom root.
        let verifier = try ReceiptVerifier(anchors: .custom(AppleCertificate.roots[0].der))
        let again = #expect(throws: ReceiptError.self) {
            _ = try verifier.verify(signedObject: bytes, for: .any)
        }
        #expect(again?.reason == .notAnAnchor)
    }

    static let listEdits: [Edit<String>] = [
        Edit("a letter at the end", nil, { $0 += "x" }), Edit("a second list", nil, { $0 += "{}" }),
        Edit("no closing brace", nil, { $0.removeLast() }),
        Edit("a comment", nil, { $0.replaceFirst(of: "{", with: "{ /* */") }),
        Edit("a bare word", nil, { $0.replaceFirst(of: "\"100\"", with: "100") }),
        Edit("an escape", nil, { $0.replaceFirst(of: "\"100\"", with: "\"1\\060\"") }),
        Edit("a line end in a string", nil, { $0.replaceFirst(of: "100", with: "1\n") }),
        Edit("no semicolon", nil, { $0.replaceFirst(of: "\"100\";", with: "\"100\"") }),
        Edit("an array", nil, { $0.replaceFirst(of: "\"100\"", with: "(\"1\")") }),
        Edit("a duplicate member", nil, { $0.replaceFirst(of: "\"pod\"", with: "\"environment\"") }),
        Edit("no signature", nil, { $0.replaceFirst(of: "\"signature\"", with: "\"signaturE\"") }),
        Edit(
            "base64 with a line end", nil,
            { $0.replaceFirst(of: "\"signature\" = \"", with: "\"signature\" = \"\n") }),
        Edit("empty", nil, { $0 = "{}" }), Edit("nothing", nil, { $0 = "" }),
    ]

    /// Checks that the property list contains only quoted strings.
    @Test(arguments: listEdits)
    func lists(edit: Edit<String>) throws {
        var recipe = try recipe(3)
        recipe.editList = { edit.edit(&$0) }
        #expect(error(recipe)?.code == .malformed)
    }

    /// Checks that the unsigned environment has no effect.
    @Test
    func environmentIsNotSigned() throws {
        var recipe = try recipe(3)
        recipe.editList = { $0.replaceFirst(of: "Sandbox", with: "Production") }
        #expect(try verify(recipe).environment == nil)
    }

    /// Checks that a known member with an invalid value is refused.
    @Test(arguments: [
        ("purchase-date-ms", "x"), ("purchase-date-ms", "-1"), ("purchase-date-ms", "9223372036854775807"),
        ("quantity", "two"), ("expires-date", "2012-10-01"),
        ("purchase-date-ms", "2012-10-01 18:40:05 Etc/GMT"),
        ("is-trial-period", "1"),
    ])
    func values(member: String, text: String) throws {
        var recipe = try recipe(3)
        recipe.purchaseInfo.removeAll { $0.name == member }
        recipe.purchaseInfo.append((member, text))
        #expect(error(recipe)?.code == .malformed)
        #expect(error(recipe)?.field == "purchase-info.\(member)")
    }

    /// Checks that the chain must be valid at the purchase date.
    @Test(arguments: ["1262303999999", "2208988801000"])
    func chainsAreValidAtThePurchase(date: String) throws {
        var recipe = try recipe(3)
        recipe.purchaseInfo.removeAll { $0.name == "purchase-date-ms" }
        recipe.purchaseInfo.append(("purchase-date-ms", date))
        #expect(error(recipe)?.code == .untrustedChain)
    }
}
