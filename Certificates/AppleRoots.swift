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
