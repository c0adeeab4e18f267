/// One of Apple's intermediate certificates, embedded in the binary. It is trusted no further than the root that signed
/// it. Provenance and digests: SOURCES.md beside this file.
public struct AppleIntermediate: Sendable {
    public let name: String
    public let der: [UInt8]

    /// The issuer of the transaction receipts' signers of version 2.
    public static let iTunesStore = AppleIntermediate(
        name: "Apple iTunes Store Certification Authority", der: PackageResources.AppleiTunesStoreCA_cer)

    /// The RSA intermediates of Apple Worldwide Developer Relations that issued receipt signers, under Apple Inc. Root. A
    /// transaction receipt of version 3 or 4 names one of them and does not carry it.
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
