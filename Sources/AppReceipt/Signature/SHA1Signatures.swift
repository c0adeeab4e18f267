/// The policy on SHA-1 signatures of receipts.
///
/// Apple signed receipts with SHA-1 until January 2025: its last SHA-1 intermediate, WWDR G8, and the last
/// certificate under it end on 2025-01-24 (Apple, TN3138). Refusing SHA-1 under current certificates keeps an
/// attacker who finds SHA-1 collisions from using a current key.
public enum SHA1Signatures: String, Sendable, CaseIterable {
    /// Accepts SHA-1 under Apple's roots from certificates that end on or before 2025-01-24T00:00:00Z.
    /// Accepts it from every certificate under the caller's own root, because only the caller knows its
    /// history.
    case untilAppleStopped = "until-apple-stopped"
    /// Accepts SHA-1 under every root from certificates that end on or before 2025-01-24T00:00:00Z.
    case until2025 = "until-2025"
    /// Accepts SHA-1 from every certificate, under every root.
    case all
    /// Refuses every SHA-1 signature.
    case none

    /// Returns whether the policy accepts a SHA-1 signature.
    /// - Parameter notAfter: the end of the validity of the signer's certificate.
    private func allows(_ realm: TrustAnchorKind, notAfter: Timestamp) -> Bool {
        switch self {
        case .untilAppleStopped: realm != .appStore || notAfter <= Self.lastNotAfter
        case .until2025: notAfter <= Self.lastNotAfter
        case .all: true
        case .none: false
        }
    }

    /// 2025-01-24T00:00:00Z, the last second of WWDR G8 and of the last leaf certificate under it.
    private static let lastNotAfter = Timestamp(millisecondsSince1970: 1_737_676_800_000)

    /// Checks that the policy accepts the algorithm from the chain's signer.
    /// - Parameters:
    ///   - offset: the offset of the algorithm's name in the container, for the error.
    ///   - field: the field of the algorithm's name.
    func check(
        _ algorithm: DigestAlgorithm, of chain: CertificateChain, offset: Int, field: String
    ) throws(ReceiptError) {
        guard algorithm == .sha1, !allows(chain.realm, notAfter: chain.signerNotAfter) else { return }
        throw ReceiptError(
            .badSignature, .sha1(notAfter: chain.signerNotAfter), offset: offset, field: field,
            certificate: chain.certificates.first)
    }
}
