/// A throw-away authority in the shape of Apple's: root, intermediate, and a leaf that signs receipts.
///
/// ``test(_:)`` uses committed test keys, so that forging is quick and the same every time;
/// ``generate(_:)`` makes new ones. Both let every property of the three certificates be changed.
public struct Authority: Sendable {
    /// Whom verifiers are to trust.
    public var root: Identity
    /// nil where the root signs receipts itself, as in StoreKit Test.
    public var intermediate: Identity?
    /// Who signs receipts.
    public var leaf: Identity

    /// An authority of certificates that are there already.
    public init(root: Identity, intermediate: Identity?, leaf: Identity) {
        (self.root, self.intermediate, self.leaf) = (root, intermediate, leaf)
    }

    /// What the three certificates are to say.
    public struct Profiles: Sendable {
        /// Of the certificate to be trusted.
        public var root: CertificateProfile
        /// Of the authority that signs the leaf.
        public var intermediate: CertificateProfile
        /// Of the certificate that signs receipts.
        public var leaf: CertificateProfile

        /// The default certificates with these keys.
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

        /// Signs the three, one under the other.
        public func signed() throws(ForgeError) -> Authority {
            let root = try root.signed()
            let intermediate = try intermediate.signed(by: root)
            return Authority(root: root, intermediate: intermediate, leaf: try leaf.signed(by: intermediate))
        }
    }

    /// The default test authority with the changes made by `change`: valid 2010 to 2040, RSA of
    /// 2,048 bits, SHA-256, Apple's marker extensions. Same changes, same bytes.
    public static func test(
        _ change: (inout Profiles) throws(ForgeError) -> Void = { _ throws(ForgeError) in }
    ) throws(ForgeError) -> Authority {
        var profiles = try Profiles.test()
        try change(&profiles)
        return try profiles.signed()
    }

    /// An authority like ``test(_:)`` with keys that nobody else has.
    public static func generate(
        _ change: (inout Profiles) throws(ForgeError) -> Void = { _ throws(ForgeError) in }
    ) throws(ForgeError) -> Authority {
        var profiles = Profiles(
            rootKey: try .generateRSA(), intermediateKey: try .generateRSA(), leafKey: try .generateRSA())
        try change(&profiles)
        return try profiles.signed()
    }

    /// What Xcode does: one self-signed certificate without markers, which signs receipts itself.
    public static func storeKitTest(
        _ change: (inout CertificateProfile) throws(ForgeError) -> Void = { _ throws(ForgeError) in }
    ) throws(ForgeError) -> Authority {
        let codeSigning: OID = [1, 3, 6, 1, 5, 5, 7, 3, 3]
        var profile = CertificateProfile(
            subject: DistinguishedName(
                commonName: "Receipt Forge StoreKit Testing, not Xcode", organization: "Receipt Forge",
                country: "US"),
            serialNumber: 1, key: try TestKeys.storeKit.get(),
            extensions: [
                .basicConstraints(isCA: true), .keyUsage([.digitalSignature, .keyCertSign]),
                .extendedKeyUsage([codeSigning], critical: true),
            ])
        profile.hasKeyIdentifiers = false
        try change(&profile)
        let root = try profile.signed()
        return Authority(root: root, intermediate: nil, leaf: root)
    }

    /// The certificates as a receipt carries them: leaf, intermediate, root.
    public var bag: [[UInt8]] {
        guard let intermediate else { return [leaf.certificate.der] }
        return [leaf.certificate.der, intermediate.certificate.der, root.certificate.der]
    }
}
