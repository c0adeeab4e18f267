/// Whose SHA-1 signatures on receipts are taken.
///
/// Apple signed receipts with SHA-1 until 2023; the last certificate that did ended on 2023-11-17. Whoever finds
/// collisions of SHA-1 must not find a key of today to use them with.
public enum SHA1Signatures: Hashable, Sendable, CaseIterable {
    /// Under Apple's roots those of certificates that end in 2023 or before; under a root of the caller's, whose history
    /// only the caller knows, all.
    case untilAppleStopped
    /// Under every root those of certificates that end in 2023 or before.
    case until2023
    /// Whatever the certificate.
    case all
    /// Nobody's.
    case none

    /// - Parameter notAfter: the end of the certificate that signed.
    fileprivate func allows(_ realm: TrustRealm, notAfter: Timestamp) -> Bool {
        switch self {
        case .untilAppleStopped: realm != .appStore || notAfter <= Self.lastSecond
        case .until2023: notAfter <= Self.lastSecond
        case .all: true
        case .none: false
        }
    }

    /// 2023-12-31T23:59:59Z
    private static let lastSecond = Timestamp(millisecondsSince1970: 1_704_067_199_000)
}

extension SignerInfo {
    /// Fails where this is a SHA-1 signature that is not taken of the chain's signer.
    func check(
        _ algorithm: DigestAlgorithm, of chain: CertificateChain, _ signatures: SHA1Signatures
    ) throws(ReceiptError) {
        guard algorithm == .sha1, !signatures.allows(chain.realm, notAfter: chain.signerNotAfter) else {
            return
        }
        throw ReceiptError(
            .badSignature, .sha1(notAfter: chain.signerNotAfter), offset: digestAlgorithm.offset,
            field: "signerInfos[0].digestAlgorithm", certificate: chain.certificates.first)
    }
}
