/// One of Apple's root certificates, embedded in the binary. Provenance and digests: SOURCES.md in this folder.
public struct AppleRoot: Sendable {
    public let name: String
    public let der: [UInt8]

    /// All roots of Apple's PKI page under which Apple signs receipts, or may do so in the future.
    public static let all = [
        AppleRoot(name: "Apple Inc. Root", der: PackageResources.AppleIncRootCertificate_cer),
        AppleRoot(name: "Apple Root CA - G2", der: PackageResources.AppleRootCA_G2_cer),
        AppleRoot(name: "Apple Root CA - G3", der: PackageResources.AppleRootCA_G3_cer),
    ]
}
