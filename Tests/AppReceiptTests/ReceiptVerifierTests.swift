import AppReceipt
import ReceiptASN1
import ReceiptForge
import Testing

struct ReceiptVerifierTests {
    let authority: Authority
    let verifier: ReceiptVerifier

    init() throws {
        authority = try .test()
        verifier = try ReceiptVerifier(anchors: .custom(authority.root.certificate.der))
    }

    // MARK: - Content

    @Test
    func readsEveryAttribute() throws {
        var content = ReceiptContent()
        content.receiptType = "ProductionVPP"
        content.appItemID = .max
        content.expirationDate = "4001-01-01T00:00:00Z"
        content.creationDate = "2024-06-01T12:00:00.250+0200"
        var purchase = PurchaseContent(
            productID: "com.example.forge.naïve", transactionID: "1", purchaseDate: "2024-05-01T00:00:00Z")
        purchase.quantity = 3
        content.purchases = [purchase]
        let receipt = try verifier.verify(
            ReceiptRecipe(content, authority: authority).forge().bytes, for: .any)
        let payload = receipt.payload
        #expect(payload.receiptType == "ProductionVPP")
        #expect(payload.environment == .production)
        #expect(payload.bundleID == "com.example.forge")
        #expect(payload.applicationVersion == "2.5.8")
        #expect(payload.originalApplicationVersion == "1.0")
        #expect(payload.appItemID == .max)
        #expect(payload.downloadID == 63_950_712_884_401)
        #expect(payload.versionExternalIdentifier == 847_120_556)
        #expect(payload.creationDate.rfc3339 == "2024-06-01T10:00:00.250Z")
        #expect(receipt.verifiedAt == payload.creationDate)
        #expect(payload.originalPurchaseDate?.rfc3339 == "2022-03-14T08:21:55Z")
        #expect(payload.expirationDate?.rfc3339 == "4001-01-01T00:00:00Z")
        #expect(payload.opaqueValue == content.opaqueValue)
        #expect(payload.sha1Hash?.count == 20)
        #expect(payload.unknownAttributes.map(\.type).sorted() == [6, 7, 8, 9, 10, 11, 13, 14, 20, 25])
        #expect(payload.inAppPurchases.count == 1)
        #expect(payload.inAppPurchases.first?.productID == "com.example.forge.naïve")
        #expect(payload.inAppPurchases.first?.quantity == 3)
        #expect(payload.inAppPurchases.first?.expiresDate == nil)
        #expect(receipt.digestAlgorithm == .sha256)
        #expect(receipt.certificates.count == 3)
        #expect(receipt.leniencies.isEmpty)
        #expect(receipt.realm == .custom)
    }

    struct Wrapping: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let change: @Sendable (inout ReceiptRecipe) throws(ForgeError) -> Void

        init(
            _ description: String,
            _ change: @escaping @Sendable (inout ReceiptRecipe) throws(ForgeError) -> Void
        ) {
            testDescription = description
            self.change = change
        }
    }

    /// Checks that `contentDigest` depends only on the signed content.
    @Test(arguments: [
        Wrapping("as Apple writes") { (_) throws(ForgeError) in },
        Wrapping("one more copy of the root") { (recipe) throws(ForgeError) in
            let root = recipe.authority.root.certificate.der
            recipe.editContainer { $0.certificates?.append(root) }
        },
        Wrapping("in chunks") { (recipe) throws(ForgeError) in recipe.form = .ber(chunkSize: 100) },
        Wrapping("signed attributes") { (recipe) throws(ForgeError) in
            recipe.signedAttributes = .usual(signingTime: "2024-06-01T00:00:00Z")
        },
        // The content's SHA-256 digest is computed when it is requested, because the signature uses another digest.
        Wrapping("SHA-1") { (recipe) throws(ForgeError) in recipe.digest = .sha1 },
        Wrapping("SHA-384") { (recipe) throws(ForgeError) in recipe.digest = .sha384 },
        Wrapping("SHA-512 and signed attributes") { (recipe) throws(ForgeError) in
            recipe.digest = .sha512
            recipe.signedAttributes = .usual(signingTime: nil)
        },
    ])
    func contentDigestCoversTheSignedContent(_ wrapping: Wrapping) throws {
        var recipe = ReceiptRecipe(authority: authority)
        try wrapping.change(&recipe)
        let receipt = try verifier.verify(recipe.forge().bytes, for: .any)
        let content = try recipe.content.encoded()
        #expect(receipt.payload.bytes == content)
        #expect(try receipt.contentDigest == verifier.sha256(of: content))
        #expect(try receipt.contentDigest.count == 32)
    }

    /// Checks that unknown attributes keep version, bytes, order and duplicates.
    @Test
    func keepsUnknownAttributes() throws {
        var content = ReceiptContent()
        content.otherAttributes = [
            ReceiptAttribute(4_000_000_000, version: 7, value: []),
            ReceiptAttribute(99, value: [0xFF, 0x00]),
            ReceiptAttribute(99, value: [UInt8](repeating: 1, count: 70_000)),
        ]
        content.sorted = false
        let payload = try verifier.verify(
            ReceiptRecipe(content, authority: authority).forge().bytes, for: .any
        ).payload
        let unknown = payload.unknownAttributes
        #expect(unknown.map(\.type) == [4_000_000_000, 99, 99])
        #expect(unknown.map(\.version) == [7, 1, 1])
        #expect(unknown.map(\.value.count) == [0, 2, 70_000])
    }

    /// Checks that each purchase keeps its unknown attributes, even far into the payload and in a payload
    /// that Xcode wrapped twice.
    @Test(arguments: [false, true])
    func keepsUnknownAttributesOfEachRecord(isWrapped: Bool) throws {
        var recipe = try ReceiptRecipe.xcode()
        recipe.doubleWrapped = isWrapped
        recipe.content.purchases = (0..<4).map { index in
            var purchase = PurchaseContent(
                productID: "p", transactionID: "\(index)", purchaseDate: "2024-05-01T00:00:00Z")
            purchase.otherAttributes = (0..<index).map {
                ReceiptAttribute(1709, value: [UInt8](repeating: UInt8(10 * index + $0), count: 30_000))
            }
            return purchase
        }
        recipe.content.otherAttributes = [ReceiptAttribute(99, value: [0x99])]
        let verifier = try ReceiptVerifier(anchors: .apple.adding(storeKitTest: recipe.forge().anchor))
        let payload = try verifier.verify(recipe.forge().bytes, for: .any).payload
        #expect(payload.unknownAttributes.filter { $0.type == 99 }.map(\.value) == [[0x99]])
        for purchase in payload.inAppPurchases {
            let index = try #require(purchase.transactionID.flatMap(Int.init))
            let own = purchase.unknownAttributes.filter { $0.type == 1709 && $0.value.count == 30_000 }
            #expect(own.map { $0.value.first } == (0..<index).map { UInt8(10 * index + $0) })
        }
    }

    /// Checks the environment of each receipt type. Unknown types have none.
    @Test(
        arguments: [
            ("Production", .production), ("ProductionVPP", .production), ("ProductionSandbox", .sandbox),
            ("ProductionVPPSandbox", .sandbox), ("Xcode", .xcode), ("production", nil), ("", nil),
            ("Sandbox", nil),
            (nil, nil),
        ] as [(String?, ReceiptEnvironment?)])
    func namesEnvironment(type: String?, environment: ReceiptEnvironment?) throws {
        var content = ReceiptContent()
        content.receiptType = type
        let receipt = try verifier.verify(
            ReceiptRecipe(content, authority: authority).forge().bytes, for: .any)
        #expect(receipt.payload.environment == environment)
    }

    /// Checks attributes with lengths around the limits of the fast path.
    @Test(arguments: [0, 1, 100, 117, 118, 119, 120, 121, 122, 126, 127, 128, 255, 256])
    func readsAttributesOfEveryLength(count: Int) throws {
        var content = ReceiptContent()
        content.otherAttributes = [3, 300, 70_000].map {
            ReceiptAttribute($0, value: [UInt8](repeating: 5, count: count))
        }
        content.omittedTypes = [3]
        content.sorted = false
        content.otherAttributes.removeFirst()
        let forged = try ReceiptRecipe(content, authority: authority).forge().bytes
        #expect(
            try verifier.verify(forged, for: .any).payload.unknownAttributes.map(\.value.count) == [
                count, count,
            ])
    }

    @Test
    func refusesAttributesTruncatedAnywhere() throws {
        // SEQUENCE { 02 02 01 2C, 02 01 01, 04 01 05 } and its prefixes, each the only element of the SET.
        let whole: [UInt8] = [0x02, 0x02, 0x01, 0x2C, 0x02, 0x01, 0x01, 0x04, 0x01, 0x05]
        for count in 0..<whole.count {
            var recipe = ReceiptRecipe(authority: authority)
            recipe.editPayload { payload in
                payload = BER.set(of: [BER.element(BER.Tag.sequence, Array(whole.prefix(count)))])
            }
            #expect(verifier.answer(to: try recipe.forge().bytes) == "malformed")
        }
    }

    // MARK: - Trust anchor kinds

    @Test
    func storeKitTestIsAcceptedOnlyForXcode() throws {
        var recipe = try ReceiptRecipe.xcode()
        let anchor = try recipe.forge().anchor
        let verifier = try ReceiptVerifier(anchors: .apple.adding(storeKitTest: anchor))
        let receipt = try verifier.verify(recipe.forge().bytes, for: .any)
        #expect(receipt.realm == .storeKitTest)
        #expect(receipt.payload.environment == .xcode)
        #expect(receipt.leniencies.contains(.indefiniteLength))
        // Some versions of Xcode wrap the payload twice.
        recipe.doubleWrapped = true
        #expect(try verifier.verify(recipe.forge().bytes, for: .any).realm == .storeKitTest)
        // The same key cannot sign an App Store receipt.
        recipe.content.receiptType = "Production"
        let error = #expect(throws: ReceiptError.self) {
            try verifier.verify(recipe.forge().bytes, for: .any)
        }
        #expect(error?.code == .untrustedChain)
        #expect(error?.reason == .realm(.storeKitTest))
    }

    /// Checks that a StoreKit Test certificate is not accepted as a custom root, because custom roots have
    /// the same requirements as Apple's.
    @Test
    func storeKitTestIsNotACustomRoot() throws {
        let forged = try ReceiptRecipe.xcode().forge()
        #expect(
            try ReceiptVerifier(anchors: .custom(forged.anchor)).answer(to: forged.bytes) == "wrong_purpose")
    }

    /// Checks that a receipt that chains to the custom root is verified under it, even if a StoreKit Test
    /// anchor is also configured.
    @Test
    func payloadDoesNotChooseTheAnchor() throws {
        let storeKit = try ReceiptRecipe.xcode().forge().anchor
        let both = try ReceiptVerifier(
            anchors: .custom(authority.root.certificate.der).adding(storeKitTest: storeKit))
        let receipt = try both.verify(
            ReceiptRecipe(.xcode(), authority: authority).forge().bytes, for: .any)
        #expect(receipt.realm == .custom)
    }

    @Test(arguments: [[], [0x30, 0x00], Array("no certificate".utf8)] as [[UInt8]])
    func refusesOtherAnchors(der: [UInt8]) {
        #expect(throws: ReceiptError.self) { try ReceiptVerifier(anchors: .custom(der)) }
    }

    // MARK: - Chains

    /// Checks that the validity of a cached chain is checked at each receipt's creation date.
    @Test
    func cachedChainKeepsItsValidity() throws {
        let dates = [
            ("2023-12-31T23:59:59Z", "untrusted_chain"), ("2024-01-01T00:00:00Z", "genuine"),
            ("2024-06-01T00:00:00Z", "genuine"), ("2025-01-01T00:00:00.999Z", "genuine"),
            ("2025-01-01T00:00:01Z", "untrusted_chain"), ("2024-06-01T00:00:00Z", "genuine"),
        ]
        let short = try Authority.test { profiles in
            profiles.leaf.notBefore = "2024-01-01T00:00:00Z"
            profiles.leaf.notAfter = "2025-01-01T00:00:00Z"
        }
        for (date, answer) in dates {
            var content = ReceiptContent()
            content.creationDate = date
            #expect(
                verifier.answer(to: try ReceiptRecipe(content, authority: short).forge().bytes) == answer,
                "\(date)")
        }
    }

    /// Checks that results stay the same with more chains than the cache holds.
    @Test
    func cacheOverflows() throws {
        let forged = try (0..<80).map { number throws in
            let authority = try Authority.test { profiles in profiles.leaf.serialNumber = [1, UInt8(number)] }
            return try ReceiptRecipe(authority: authority).forge().bytes
        }
        let bad = try HostileVariant.named("leaf-marker-missing").forge().bytes
        for bytes in forged + forged {
            #expect(verifier.answer(to: bytes) == "genuine")
            #expect(verifier.answer(to: bad) == "wrong_purpose")
        }
    }

    /// Checks that an old and a renewed intermediate with the same name are accepted together, in either
    /// order.
    @Test(arguments: [true, false])
    func toleratesRenewedIntermediates(isFirst: Bool) throws {
        let renewed = try Authority.test { profiles throws(ForgeError) in
            profiles.intermediate.serialNumber = [0x77]
            profiles.intermediate.key = try .generateRSA()
        }
        let intermediate = try #require(renewed.intermediate).certificate.der
        var recipe = ReceiptRecipe(authority: authority)
        recipe.editContainer { $0.certificates?.insert(intermediate, at: isFirst ? 0 : 2) }
        #expect(verifier.answer(to: try recipe.forge().bytes) == "genuine")
    }

    // MARK: - Limits

    @Test
    func limitsPurchases() throws {
        var limits = ReceiptLimits()
        limits.purchases = 2
        let verifier = try ReceiptVerifier(anchors: .custom(authority.root.certificate.der), limits: limits)
        let purchase = PurchaseContent(
            productID: "p", transactionID: "1", purchaseDate: "2024-05-01T00:00:00Z")
        for (count, answer) in [(2, "genuine"), (3, "too_large")] {
            let content = ReceiptContent(purchases: Array(repeating: purchase, count: count))
            #expect(
                verifier.answer(to: try ReceiptRecipe(content, authority: authority).forge().bytes) == answer)
        }
    }

    // MARK: - Threads

    /// Checks that eight threads can share one verifier. ThreadSanitizer runs this test.
    @Test
    func isSharedByThreads() async throws {
        let receipts = try ["valid", "digest-sha1", "signature-zero", "leaf-expired", "attacker-root"].map {
            let variant = try HostileVariant.named($0)
            return (bytes: try variant.forge().bytes, answer: variant.expected.rawValue)
        }
        let verifier = self.verifier
        await withTaskGroup(of: Bool.self) { group in
            for thread in 0..<8 {
                group.addTask {
                    (0..<50).allSatisfy { round in
                        let receipt = receipts[(thread + round) % receipts.count]
                        return verifier.answer(to: receipt.bytes) == receipt.answer
                    }
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }
}
