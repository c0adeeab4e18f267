// Chains that do not lead to the trusted root, or that contain a link that is not allowed.
extension HostileVariant {
    static let chain: [HostileVariant] = [
        HostileVariant(
            "attacker-root-same-name",
            "another root with the name, serial and key identifier of the trusted one",
            .untrustedChain
        ) { recipe throws(ForgeError) in
            let genuine = recipe.authority.root.certificate
            recipe.anchor = genuine.der
            recipe.authority = try .attacker {
                $0.root.subjectKeyIdentifier = genuine.subjectKeyIdentifier
            }
        },
        HostileVariant("attacker-root", "a complete untrusted authority", .untrustedChain) {
            recipe throws(ForgeError) in
            recipe.anchor = recipe.authority.root.certificate.der
            recipe.authority = try .attacker {
                $0.root.subject = DistinguishedName(commonName: "Other Root")
                $0.intermediate.subject = DistinguishedName(commonName: "Other Relations")
                $0.leaf.subject = DistinguishedName(commonName: "Other Receipt Signing")
            }
        },
        HostileVariant("storekit-test", "signed by a StoreKit Test certificate", .untrustedChain) {
            recipe throws(ForgeError) in
            recipe.anchor = recipe.authority.root.certificate.der
            recipe.authority = try .storeKitTest()
        },
        HostileVariant("leaf-self-signed", "the leaf is self-signed, but has its marker", .untrustedChain) {
            recipe throws(ForgeError) in
            recipe.authority.leaf = try Authority.Profiles.test().leaf.signed()
        },
        HostileVariant(
            "leaf-as-authority", "a genuine leaf issued the attacker's certificate", .untrustedChain
        ) {
            recipe throws(ForgeError) in
            let issuer = recipe.authority.leaf
            try recipe.interpose(issuer: issuer)
        },
        HostileVariant("path-too-long", "a second intermediate below one of path length 0", .untrustedChain) {
            recipe throws(ForgeError) in
            var second = try Authority.Profiles.test().intermediate
            second.key = try TestKey.attacker.key
            second.subject = DistinguishedName(commonName: "Second Relations")
            guard let first = recipe.authority.intermediate else { return }
            try recipe.interpose(issuer: second.signed(by: first))
        },
        profiles("root-path-too-long", "the root allows no intermediate") {
            $0.root[CertificateExtension.basicConstraintsOID] = .basicConstraints(isCA: true, pathLength: 0)
        },
        profiles("intermediate-not-ca", "the intermediate says CA: FALSE") {
            $0.intermediate[CertificateExtension.basicConstraintsOID] = .basicConstraints(isCA: false)
        },
        profiles("intermediate-without-constraints", "no basicConstraints on the intermediate") {
            $0.intermediate[CertificateExtension.basicConstraintsOID] = nil
        },
        profiles("intermediate-may-not-sign", "the intermediate's keyUsage lacks keyCertSign") {
            $0.intermediate[CertificateExtension.keyUsageOID] = .keyUsage([.digitalSignature, .cRLSign])
        },
        profiles("leaf-is-authority", "the leaf says CA: TRUE", .wrongPurpose) {
            $0.leaf[CertificateExtension.basicConstraintsOID] = .basicConstraints(isCA: true)
        },
        profiles("leaf-expired", "the leaf expired a second before the creation date") {
            $0.leaf.notAfter = "2024-06-01T09:59:59Z"
        },
        profiles("leaf-not-yet-valid", "the leaf becomes valid a second after the creation date") {
            $0.leaf.notBefore = "2024-06-01T10:00:01Z"
        },
        profiles("intermediate-expired", "the intermediate expired before the creation date") {
            $0.intermediate.notAfter = "2023-02-07T21:48:47Z"
        },
        profiles("intermediate-not-yet-valid", "the intermediate becomes valid after the creation date") {
            $0.intermediate.notBefore = "2025-01-01T00:00:00Z"
        },
        profiles("root-expired", "the root expired before the creation date") {
            $0.root.notAfter = "2024-01-01T00:00:00Z"
        },
        profiles("root-not-yet-valid", "the root becomes valid after the creation date") {
            $0.root.notBefore = "2025-01-01T00:00:00Z"
        },
        profiles("leaf-signed-with-md5", "the signature on the leaf uses MD5") { $0.leaf.digest = .md5 },
        profiles("intermediate-signed-with-md5", "the signature on the intermediate uses MD5") {
            $0.intermediate.digest = .md5
        },
        profiles("leaf-rsa-1024", "the leaf's key has 1,024 bits", or: [.badSignature]) {
            profiles throws(ForgeError) in
            profiles.leaf.key = try TestKey.rsa1024.key
        },
        profiles("intermediate-rsa-1024", "the intermediate's key has 1,024 bits") {
            profiles throws(ForgeError) in
            profiles.intermediate.key = try TestKey.rsa1024.key
        },
        profiles("leaf-critical-extension", "an unknown critical extension on the leaf") {
            $0.leaf.extensions.append(CertificateExtension([1, 3, 9, 9], critical: true, value: BER.null))
        },
        profiles("intermediate-critical-extension", "an unknown critical extension on the intermediate") {
            $0.intermediate.extensions.append(
                CertificateExtension([1, 3, 9, 9], critical: true, value: BER.null))
        },
        profiles("name-not-permitted", "the intermediate's name constraints don't permit the leaf") {
            $0.intermediate.extensions.append(
                .nameConstraints(permitted: [DistinguishedName(commonName: "Another Name")]))
        },
        profiles("name-excluded", "the intermediate's name constraints exclude the leaf") {
            $0.intermediate.extensions.append(.nameConstraints(excluded: [$0.leaf.subject]))
        },
        profiles("leaf-other-issuer", "the leaf names an issuer that is missing") {
            $0.leaf.issuer = DistinguishedName(commonName: "Nobody")
        },
    ]
}

extension Authority.Profiles {
    /// Returns the profiles of the default test authority.
    static func test() throws(ForgeError) -> Self {
        Self(
            rootKey: try TestKey.root.key, intermediateKey: try TestKey.intermediate.key,
            leafKey: try TestKey.leaf.key)
    }
}

extension ReceiptRecipe {
    /// Signs with an attacker's leaf that `issuer` issued. The genuine chain stays in the container.
    mutating func interpose(issuer: Identity) throws(ForgeError) {
        let genuine = authority.bag
        var leaf = try Authority.Profiles.test().leaf
        leaf.key = try TestKey.attacker.key
        leaf.subject = DistinguishedName(commonName: "Attacker's Receipt Signing")
        leaf.serialNumber = [0x66]
        authority.leaf = try leaf.signed(by: issuer)
        let bag = [authority.leaf.certificate.der, issuer.certificate.der] + genuine
        editContainer { $0.certificates = bag }
    }
}
