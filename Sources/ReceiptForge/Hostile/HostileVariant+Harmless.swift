// Unusual but genuine receipts. A verifier must accept them.
extension HostileVariant {
    static let harmless: [HostileVariant] = [
        HostileVariant("valid", "nothing is wrong", .genuine) { _ in },
        container("bag-reversed", "the certificates in reverse order", .genuine) {
            $0.certificates?.reverse()
        },
        container("bag-without-root", "the root is not in the bag", .genuine) {
            $0.certificates?.removeLast()
        },
        container("bag-with-repetition", "every certificate twice", .genuine) { container in
            container.certificates = container.certificates.map { $0 + $0 }
        },
        container("bag-with-stranger", "an unrelated certificate first", .genuine) {
            container throws(ForgeError) in
            container.certificates?.insert(try Authority.storeKitTest().root.certificate.der, at: 0)
        },
        profiles("leaf-expired-since", "the leaf expired after the creation date", .genuine) {
            $0.leaf.notAfter = "2024-06-01T10:00:01Z"
        },
        profiles("leaf-fresh", "the leaf becomes valid in the second of the creation date", .genuine) {
            $0.leaf.notBefore = "2024-06-01T10:00:00Z"
        },
        profiles("intermediate-expired-since", "the intermediate expired after the creation date", .genuine) {
            $0.intermediate.notAfter = "2024-07-01T00:00:00Z"
        },
        profiles("leaf-rsa-4096", "the leaf's key has 4,096 bits", .genuine) { profiles throws(ForgeError) in
            profiles.leaf.key = try TestKey.rsa4096.key
        },
        profiles("leaf-exponent-3", "the leaf's public exponent is 3, and the signature is valid", .genuine) {
            profiles throws(ForgeError) in
            profiles.leaf.key = try TestKey.exponent3.key
        },
        profiles("leaf-ec-p256", "the leaf's key is on an elliptic curve", .genuine) {
            profiles throws(ForgeError) in
            profiles.leaf.key = try TestKey.p256.key
        },
        profiles("certificates-sha1", "the certificates are signed with SHA-1, as Apple's were", .genuine) {
            $0.setDigest(.sha1)
        },
        profiles("certificates-sha384", "the certificates are signed with SHA-384", .genuine) {
            $0.setDigest(.sha384)
        },
        profiles("certificates-sha512", "the certificates are signed with SHA-512", .genuine) {
            $0.setDigest(.sha512)
        },
        HostileVariant("digest-sha1", "signed with SHA-1, as until January 2025", .genuine) {
            $0.digest = .sha1
        },
        HostileVariant("digest-sha384", "signed with SHA-384", .genuine) { $0.digest = .sha384 },
        HostileVariant("digest-sha512", "signed with SHA-512", .genuine) { $0.digest = .sha512 },
        signerInfo(
            "signature-oid-sha256-with-rsa", "signatureAlgorithm names the digest too", .genuine
        ) { signer throws(ForgeError) in
            signer.signatureAlgorithm = SignatureAlgorithm.identifier(
                for: try TestKey.leaf.key, digest: .sha256)
        },
        HostileVariant("signed-attributes", "contentType, messageDigest and signingTime", .genuine) {
            $0.signedAttributes = .usual(signingTime: "2024-06-01T10:00:00Z")
        },
        HostileVariant("signed-attributes-two", "contentType and messageDigest", .genuine) {
            $0.signedAttributes = .usual(signingTime: nil)
        },
        HostileVariant("signed-attributes-time-off", "signingTime long before the chain's validity", .genuine)
        {
            $0.signedAttributes = .usual(signingTime: "1999-12-31T23:59:59Z")
        },
        HostileVariant("ber-form", "indefinite lengths and chunks, as Xcode writes", .genuine) {
            $0.form = .ber(chunkSize: 100)
        },
        HostileVariant("ber-single-bytes", "the content in chunks of one byte", .genuine) {
            $0.form = .ber(chunkSize: 1)
        },
        content("no-purchases", "no purchases", .genuine) { $0.purchases = [] },
        content("purchases-5000", "5,000 purchases", .genuine) { content in
            content.purchases = (0..<5_000).map { number in
                PurchaseContent(
                    productID: "com.example.forge.coins", transactionID: String(530_002_000_000_000 + number),
                    purchaseDate: "2024-01-01T00:00:00Z", type: 1)
            }
        },
        content("unknown-attributes", "unknown attributes", .genuine) { content in
            content.otherAttributes += [
                ReceiptAttribute(77, value: [0xDE, 0xAD, 0xBE, 0xEF]), .utf8String(4_711, "future"),
                ReceiptAttribute(90, version: 3, value: []),
            ]
        },
        added(
            "purchase-attribute-outside", "a purchase's attribute type among the receipt's attributes",
            .integer(1701, 9), .genuine),
        content("purchase-unknown-attributes", "unknown attributes inside a purchase", .genuine) {
            content throws(ForgeError) in
            guard !content.purchases.isEmpty else {
                throw .specification(entry: "", reason: "purchase-unknown-attributes needs a purchase")
            }
            content.purchases[0].otherAttributes += [
                .utf8String(1799, "future"), .utf8String(2, "com.example.other"),
            ]
        },
        content("unsorted", "the SETs are not in DER's order", .genuine) { $0.sorted = false },
        content("device-hash-of-no-device", "attribute 5 matches no device", .genuine) {
            $0.sha1Hash = [UInt8](repeating: 0x5A, count: 20)
        },
        content("sandbox", "a receipt of the sandbox", .genuine) { $0 = .sandbox(purchases: $0.purchases) },
        content("dates-with-milliseconds", "a creation date with a fraction", .genuine) {
            $0.creationDate = "2024-06-01T10:00:00.123Z"
        },
    ]
}

extension Authority.Profiles {
    mutating func setDigest(_ digest: Digest) {
        (root.digest, intermediate.digest, leaf.digest) = (digest, digest, digest)
    }

    /// Replaces the keys with the attacker's.
    mutating func setAttacker(signsJWS: Bool = false) throws(ForgeError) {
        root.key = try TestKey.attacker.key
        intermediate.key = root.key
        leaf.key = signsJWS ? try TestKey.jwsAttacker.key : root.key
    }
}
