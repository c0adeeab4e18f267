/// The intermediates that issue the signers of transaction receipts. A receipt contains only the signer's
/// certificate.
public struct TransactionReceiptIssuers: Sendable {
    let root: [UInt8]
    private let versionTwo: [[UInt8]]
    private let laterVersions: [[UInt8]]
    /// The kind of trust anchor that the root must be. Roots of other kinds have no intermediates here.
    let realm: TrustAnchorKind

    /// Apple's intermediates under Apple Inc. Root. Source: `Certificates/SOURCES.md`.
    public static let apple = TransactionReceiptIssuers(
        root: AppleCertificate.roots[0].der, versionTwo: [AppleCertificate.iTunesStore.der],
        laterVersions: AppleCertificate.developerRelations.map(\.der), realm: .appStore)

    /// Returns the intermediates of a test authority.
    /// - Parameters:
    ///   - root: the root that signed all of them, in DER.
    ///   - versionTwo: the issuer of signers of version 2, in DER.
    ///   - laterVersions: the issuers of signers of versions 3 and 4, in DER.
    public static func custom(root: [UInt8], versionTwo: [UInt8], laterVersions: [[UInt8]]) -> Self {
        Self(root: root, versionTwo: [versionTwo], laterVersions: laterVersions, realm: .custom)
    }

    func issuers(of version: TransactionReceiptSignature.Version) -> [[UInt8]] {
        version == .two ? versionTwo : laterVersions
    }
}
