/// One of Apple's root certificates, embedded in the binary. Provenance and digests: SOURCES.md beside this
/// file.
public struct AppleRoot: Sendable {
    public let name: String
    public let der: [UInt8]

    /// Every root on Apple's PKI page from which receipts are, or may come to be, signed.
    public static let all = [
        AppleRoot(name: "Apple Inc. Root", der: PackageResources.AppleIncRootCertificate_cer),
        AppleRoot(name: "Apple Root CA - G2", der: PackageResources.AppleRootCA_G2_cer),
        AppleRoot(name: "Apple Root CA - G3", der: PackageResources.AppleRootCA_G3_cer),
    ]
}

/// One of Apple's intermediates, for signatures that come without one: the transaction receipts of iOS 6. It is trusted
/// no further than the root that signed it.
public struct AppleIntermediate: Sendable {
    public let name: String
    public let der: [UInt8]

    /// Issued the signers of version 2.
    public static let iTunesStore = AppleIntermediate(
        name: "Apple iTunes Store Certification Authority", der: PackageResources.AppleiTunesStoreCA_cer)

    /// Issued the signer of version 3.
    public static let developerRelations = AppleIntermediate(
        name: "Apple Worldwide Developer Relations Certification Authority",
        der: PackageResources.AppleWWDRCA_cer)
}
