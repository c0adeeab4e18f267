/// A throwaway certificate authority like Apple's: a root, an intermediate, and a leaf that signs receipts.
///
/// ``test(_:)`` uses committed test keys, so forging is fast and reproducible. ``generate(_:)`` creates new
/// keys. With both, the caller can change every property of the three certificates.
public struct Authority: Sendable {
    /// The root that verifiers must trust.
    public var root: Identity
    /// The intermediate, or nil if the root signs receipts itself, as in StoreKit Test.
    public var intermediate: Identity?
    /// The identity that signs receipts.
    public var leaf: Identity

    /// Creates an authority from existing certificates.
    public init(root: Identity, intermediate: Identity?, leaf: Identity) {
        (self.root, self.intermediate, self.leaf) = (root, intermediate, leaf)
    }

    /// The contents of the three certificates.
    public struct Profiles: Sendable {
        /// The profile of the trusted root.
        public var root: CertificateProfile
        /// The profile of the intermediate that signs the leaf.
        public var intermediate: CertificateProfile
        /// The profile of the leaf that signs receipts.
        public var leaf: CertificateProfile

        /// Creates the profiles of the default certificates with these keys.
        public init(rootKey: PrivateKey, intermediateKey: PrivateKey, leafKey: PrivateKey) {
            func name(_ commonName: String) -> DistinguishedName {
                DistinguishedName(
                    commonName: commonName, organizationalUnit: "Test keys, trusted by nobody",
                    organization: "Receipt Forge", country: "US")
            }
            root = CertificateProfile(
                subject: name("Receipt Forge Test Root, not Apple"), serialNumber: 2, key: rootKey,
                extensions: [.basicConstraints(isCA: true), .keyUsage([.keyCertSign, .cRLSign])])
            intermediate = CertificateProfile(
                subject: name("Receipt Forge Test Developer Relations, not Apple"), serialNumber: 0x5EED,
                key: intermediateKey,
                extensions: [
                    .basicConstraints(isCA: true, pathLength: 0), .keyUsage([.keyCertSign, .cRLSign]),
                    .marker(.developerRelationsMarker),
                ])
            leaf = CertificateProfile(
                subject: name("Receipt Forge Test Receipt Signing, not Apple"), serialNumber: 0x7E57_0001,
                key: leafKey,
                extensions: [
                    .basicConstraints(isCA: false), .keyUsage(.digitalSignature),
                    .marker(.receiptSigningMarker),
                ])
        }

        /// Signs the three certificates, each with the key of the one above it.
        /// - Throws: ``ForgeError`` if libcrypto fails.
        public func signed() throws(ForgeError) -> Authority {
            let root = try root.signed()
            let intermediate = try intermediate.signed(by: root)
            return Authority(root: root, intermediate: intermediate, leaf: try leaf.signed(by: intermediate))
        }
    }

    /// Returns the default test authority with the changes that `change` makes. The certificates are valid
    /// from 2010 to 2040 and use 2,048-bit RSA, SHA-256 and Apple's marker extensions. The same changes give
    /// the same bytes.
    /// - Throws: ``ForgeError`` if libcrypto fails, and any error that `change` throws.
    public static func test(
        _ change: (inout Profiles) throws(ForgeError) -> Void = { _ throws(ForgeError) in }
    ) throws(ForgeError) -> Authority {
        var profiles = try Profiles.test()
        try change(&profiles)
        return try profiles.signed()
    }

    /// Returns the default test authority with the attacker's keys and the changes that `change` makes.
    static func attacker(
        _ change: (inout Profiles) throws(ForgeError) -> Void = { _ throws(ForgeError) in }
    ) throws(ForgeError) -> Authority {
        try .test { profiles throws(ForgeError) in
            try profiles.setAttacker()
            try change(&profiles)
        }
    }

    /// Returns an authority like ``test(_:)`` with newly generated keys.
    /// - Throws: ``ForgeError`` if libcrypto fails, and any error that `change` throws.
    public static func generate(
        _ change: (inout Profiles) throws(ForgeError) -> Void = { _ throws(ForgeError) in }
    ) throws(ForgeError) -> Authority {
        var profiles = Profiles(
            rootKey: try .generateRSA(), intermediateKey: try .generateRSA(), leafKey: try .generateRSA())
        try change(&profiles)
        return try profiles.signed()
    }

    /// Returns an authority like Xcode's: one self-signed certificate without markers that signs receipts
    /// itself.
    /// - Throws: ``ForgeError`` if libcrypto fails, and any error that `change` throws.
    public static func storeKitTest(
        _ change: (inout CertificateProfile) throws(ForgeError) -> Void = { _ throws(ForgeError) in }
    ) throws(ForgeError) -> Authority {
        let codeSigning: OID = [1, 3, 6, 1, 5, 5, 7, 3, 3]
        var profile = CertificateProfile(
            subject: DistinguishedName(
                commonName: "Receipt Forge StoreKit Testing, not Xcode", organization: "Receipt Forge",
                country: "US"),
            serialNumber: 1, key: try TestKey.storeKit.key,
            extensions: [
                .basicConstraints(isCA: true), .keyUsage([.digitalSignature, .keyCertSign]),
                .extendedKeyUsage([codeSigning], critical: true),
            ])
        profile.hasKeyIdentifiers = false
        try change(&profile)
        let root = try profile.signed()
        return Authority(root: root, intermediate: nil, leaf: root)
    }

    /// The certificates of a receipt: leaf, intermediate, root.
    public var bag: [[UInt8]] {
        guard let intermediate else { return [leaf.certificate.der] }
        return [leaf.certificate.der, intermediate.certificate.der, root.certificate.der]
    }
}
