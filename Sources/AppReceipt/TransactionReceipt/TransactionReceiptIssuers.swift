import AppleRoots

/// The certificates that issued the signers of transaction receipts, which carry none but the signer's own.
public struct TransactionReceiptIssuers: Sendable {
    let root: [UInt8]
    private let versionTwo: [[UInt8]]
    private let laterVersions: [[UInt8]]
    /// The realm that the root must be trusted in. Another root has no intermediates here.
    let realm: TrustRealm

    /// Apple's intermediates, under Apple Inc. Root; see `Certificates/SOURCES.md`.
    public static let apple = TransactionReceiptIssuers(
        root: AppleRoot.all[0].der, versionTwo: [AppleIntermediate.iTunesStore.der],
        laterVersions: AppleIntermediate.developerRelations.map(\.der), realm: .appStore)

    /// The intermediates of a test authority, in DER.
    /// - Parameters:
    ///   - root: the root that signed them all.
    ///   - versionTwo: the issuer of signers of version 2.
    ///   - laterVersions: the issuers of signers of versions 3 and 4.
    public static func custom(root: [UInt8], versionTwo: [UInt8], laterVersions: [[UInt8]]) -> Self {
        Self(root: root, versionTwo: [versionTwo], laterVersions: laterVersions, realm: .custom)
    }

    func issuers(of version: TransactionReceiptSignature.Version) -> [[UInt8]] {
        version == .two ? versionTwo : laterVersions
    }
}
