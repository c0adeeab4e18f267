/// One of Apple's intermediate certificates, embedded in the binary. It is trusted only if the root that signed it is.
/// Provenance and digests: SOURCES.md in this folder.
public struct AppleIntermediate: Sendable {
    public let name: String
    public let der: [UInt8]

    /// The issuer of the certificates that sign transaction receipts of version 2.
    public static let iTunesStore = AppleIntermediate(
        name: "Apple iTunes Store Certification Authority", der: PackageResources.AppleiTunesStoreCA_cer)

    /// The RSA intermediates of Apple Worldwide Developer Relations, under Apple Inc. Root, that issued receipt
    /// signers. A transaction receipt of version 3 or 4 names one of them but does not contain it.
    public static let developerRelations = [
        AppleIntermediate(name: "WWDR", der: PackageResources.AppleWWDRCA_cer),
        AppleIntermediate(name: "WWDR G5", der: PackageResources.AppleWWDRCAG5_cer),
        AppleIntermediate(name: "WWDR G7", der: PackageResources.AppleWWDRCAG7_cer),
        AppleIntermediate(name: "WWDR G8", der: PackageResources.AppleWWDRCAG8_cer),
    ]

    /// The elliptic-curve intermediate of Apple Worldwide Developer Relations, under Apple Root CA - G3.
    public static let developerRelationsG6 = AppleIntermediate(
        name: "WWDR G6", der: PackageResources.AppleWWDRCAG6_cer)
}
