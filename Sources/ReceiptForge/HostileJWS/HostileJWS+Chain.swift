// Chains that do not lead to the trusted root, or that contain a link that is not allowed. The attacker uses
// their own key.
extension HostileJWS {
    static let chain: [HostileJWS] = [
        signedByAttacker(
            "jws-attacker-root-same-name", "a complete authority with the names of the trusted one"),
        signedByAttacker("jws-attacker-root", "a complete untrusted authority") {
            $0.root.subject = DistinguishedName(commonName: "Other Root")
            $0.intermediate.subject = DistinguishedName(commonName: "Other Relations")
            $0.leaf.subject = DistinguishedName(commonName: "Other JWS Signing")
        },
        mixed("jws-attacker-below-the-root", "the attacker's leaf and intermediate, the trusted root") {
            [$1[0], $1[1], $0[2]]
        },
        mixed("jws-attacker-leaf", "the attacker's leaf, the trusted intermediate and root") {
            [$1[0], $0[1], $0[2]]
        },
        mixed("jws-attacker-intermediate", "the attacker's intermediate between trusted leaf and root") {
            [$0[0], $1[1], $0[2]]
        },
        mixed("jws-attacker-root-behind", "the attacker's root after the genuine chain") {
            [$0[0], $0[1], $1[2]]
        },
        HostileJWS("jws-leaf-self-signed", "the leaf is self-signed, but has its marker", .untrustedChain) {
            recipe throws(ForgeError) in
            recipe.authority.leaf = try Authority.Profiles.testJWS().leaf.signed()
        },
        HostileJWS(
            "jws-leaf-as-authority", "a genuine leaf issued the attacker's certificate", .untrustedChain
        ) {
            recipe throws(ForgeError) in
            var profile = try Authority.Profiles.testJWS().leaf
            profile.key = try TestKey.jwsAttacker.key
            let (genuine, root) = (recipe.authority.leaf, recipe.authority.root)
            let forged = try profile.signed(by: genuine)
            recipe.setCertificates([forged, genuine, root].map(\.certificate.der))
            recipe.signer = profile.key
        },
        HostileJWS("jws-leaf-under-the-root", "the root signed the leaf", .untrustedChain) {
            recipe throws(ForgeError) in
            let root = recipe.authority.root
            recipe.authority.leaf = try Authority.Profiles.testJWS().leaf.signed(by: root)
        },
        HostileJWS(
            "jws-intermediate-signs", "the intermediate's key signed instead of the leaf's", .badSignature
        ) { recipe throws(ForgeError) in
            recipe.authority = try .testJWS { profiles throws(ForgeError) in
                profiles.intermediate.key = try TestKey.p256.key
            }
            recipe.signer = recipe.authority.intermediate?.key
        },
        HostileJWS(
            "jws-leaf-of-receipts", "the chain of receipts, whose leaf has an RSA key", .untrustedChain
        ) {
            recipe throws(ForgeError) in
            recipe.signer = try TestKey.jwsLeaf.key
            recipe.authority = try .test()
        },
        HostileJWS("jws-leaf-p384", "the leaf's key is on P-384", .untrustedChain) {
            recipe throws(ForgeError) in
            recipe.signer = try TestKey.jwsLeaf.key
            recipe.authority = try .testJWS { profiles throws(ForgeError) in
                profiles.leaf.key = try TestKey.p384Root.key
            }
        },
        storeKitTest("jws-storekit-test", "signed by a StoreKit Test certificate"),
        storeKitTest(
            "jws-storekit-test-xcode",
            "signed by StoreKit Test for the environment Xcode, but only an App Store anchor is trusted"
        ) { $0.payload["environment"] = #""Xcode""# },
        storeKitTest("jws-storekit-test-thrice", "the StoreKit Test certificate three times") {
            let certificate = $0.authority.root.certificate.der
            $0.setCertificates([certificate, certificate, certificate])
        },
        profiles("jws-leaf-without-marker", "no marker on the leaf", .wrongPurpose) {
            $0.leaf[.receiptSigningMarker] = nil
        },
        profiles("jws-leaf-of-developers", "a developer's marker on the leaf, 6.1.13", .wrongPurpose) {
            $0.leaf[.receiptSigningMarker] = .marker([1, 2, 840, 113635, 100, 6, 1, 13])
        },
        profiles("jws-leaf-marker-of-neighbour", "the marker 6.11.2 on the leaf", .wrongPurpose) {
            $0.leaf[.receiptSigningMarker] = .marker([1, 2, 840, 113635, 100, 6, 11, 2])
        },
        profiles("jws-leaf-marker-longer", "the marker 6.11.1.1 on the leaf", .wrongPurpose) {
            $0.leaf[.receiptSigningMarker] = .marker([1, 2, 840, 113635, 100, 6, 11, 1, 1])
        },
        profiles("jws-leaf-marker-of-intermediates", "the intermediate's marker on the leaf", .wrongPurpose) {
            $0.leaf[.receiptSigningMarker] = .marker(.developerRelationsMarker)
        },
        profiles("jws-intermediate-without-marker", "no marker on the intermediate", .wrongPurpose) {
            $0.intermediate[.developerRelationsMarker] = nil
        },
        profiles("jws-intermediate-marker-of-leaves", "the leaf's marker on the intermediate", .wrongPurpose)
        {
            $0.intermediate[.developerRelationsMarker] = .marker(.receiptSigningMarker)
        },
        profiles("jws-leaf-may-not-sign", "the leaf's key may only encrypt keys", .wrongPurpose) {
            $0.leaf[CertificateExtension.keyUsageOID] = .keyUsage(.keyEncipherment)
        },
        profiles("jws-leaf-critical-extension", "an unknown critical extension on the leaf") {
            $0.leaf.extensions.append(CertificateExtension([1, 2, 3, 4], critical: true, value: BER.null))
        },
        profiles("jws-leaf-is-authority", "the leaf says CA: TRUE", .wrongPurpose) {
            $0.leaf[CertificateExtension.basicConstraintsOID] = .basicConstraints(isCA: true)
        },
        profiles("jws-intermediate-not-ca", "the intermediate says CA: FALSE") {
            $0.intermediate[CertificateExtension.basicConstraintsOID] = .basicConstraints(isCA: false)
        },
        profiles("jws-intermediate-may-not-sign", "the intermediate's keyUsage lacks keyCertSign") {
            $0.intermediate[CertificateExtension.keyUsageOID] = .keyUsage([.digitalSignature, .cRLSign])
        },
        profiles("jws-root-path-too-long", "the root allows no intermediate") {
            $0.root[CertificateExtension.basicConstraintsOID] = .basicConstraints(isCA: true, pathLength: 0)
        },
        profiles("jws-leaf-expired", "the leaf expired a second before signedDate") {
            $0.leaf.notAfter = "2026-06-01T09:59:59Z"
        },
        profiles("jws-leaf-not-yet-valid", "the leaf becomes valid a second after signedDate") {
            $0.leaf.notBefore = "2026-06-01T10:00:01Z"
        },
        profiles("jws-intermediate-expired", "the intermediate expired before signedDate") {
            $0.intermediate.notAfter = "2025-01-01T00:00:00Z"
        },
        profiles("jws-intermediate-not-yet-valid", "the intermediate becomes valid after signedDate") {
            $0.intermediate.notBefore = "2027-01-01T00:00:00Z"
        },
        profiles("jws-root-expired", "the root expired before signedDate") {
            $0.root.notAfter = "2025-01-01T00:00:00Z"
        },
        profiles("jws-leaf-signed-with-md5", "the signature on the leaf uses MD5") { $0.leaf.digest = .md5 },
        profiles("jws-intermediate-rsa-1024", "the intermediate's key has 1,024 bits") {
            profiles throws(ForgeError) in
            profiles.intermediate.key = try TestKey.rsa1024.key
        },
    ]

    /// Makes a variant signed by an attacker's authority, which differs from the trusted one only in its keys
    /// and what `edit` changes.
    private static func signedByAttacker(
        _ id: String, _ summary: String,
        _ edit: @escaping @Sendable (inout Authority.Profiles) -> Void = { _ in }
    ) -> HostileJWS {
        HostileJWS(id, summary, .untrustedChain) { recipe throws(ForgeError) in
            recipe.anchor = recipe.authority.root.certificate.der
            recipe.authority = try attacker(edit)
        }
    }

    /// Makes a variant signed by StoreKit Test under an App Store anchor.
    private static func storeKitTest(
        _ id: String, _ summary: String, _ edit: @escaping @Sendable (inout JWSRecipe) -> Void = { _ in }
    ) -> HostileJWS {
        HostileJWS(id, summary, .untrustedChain) { recipe throws(ForgeError) in
            recipe.anchor = recipe.authority.root.certificate.der
            recipe.authority = try .storeKitTestJWS()
            edit(&recipe)
        }
    }

    /// Makes a variant that mixes certificates of the trusted authority and the attacker's. The attacker
    /// signs unless the genuine leaf comes first.
    private static func mixed(
        _ id: String, _ summary: String,
        _ choose: @escaping @Sendable (_ genuine: [[UInt8]], _ attackers: [[UInt8]]) -> [[UInt8]]
    ) -> HostileJWS {
        HostileJWS(id, summary, .untrustedChain) { recipe throws(ForgeError) in
            let genuine = try Authority.testJWS()
            let attacker = try attacker()
            let chosen = choose(genuine.bag, attacker.bag)
            recipe.anchor = genuine.root.certificate.der
            recipe.setCertificates(chosen)
            recipe.signer = chosen[0] == genuine.bag[0] ? genuine.leaf.key : attacker.leaf.key
        }
    }

    private static func attacker(
        _ edit: @Sendable (inout Authority.Profiles) -> Void = { _ in }
    ) throws(ForgeError) -> Authority {
        try .testJWS { profiles throws(ForgeError) in
            try profiles.setAttacker(signsJWS: true)
            edit(&profiles)
        }
    }
}
