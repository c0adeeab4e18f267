import Synchronization

/// The chains to a named anchor that were found good lately: those of JWS and of transaction receipts.
///
/// A chain gets in before the signature that its signer made is checked: Apple's certificates are public, and without them
/// an attacker has no good chain, so the cache cannot be filled. Otherwise each forged JWS with Apple's certificates would
/// cost two checks with keys on P-384.
final class NamedChainCache: Sendable {
    let lookups = LookupCounter()
    private let recent = Mutex(RecentEntries<(key: [UInt8], chain: CertificateChain)>())

    /// The chain of these certificates, if it is known and good at the given time.
    /// - Parameter key: names purpose, anchor and certificates; see ``AnchorStore/key(of:_:of:prefix:)``.
    func chain(
        _ key: [UInt8], from signer: Certificate, over candidates: [Certificate], of bytes: Span<UInt8>,
        at time: Timestamp
    ) -> CertificateChain? {
        let entries = recent.withLock { $0.entries }
        let entry = entries.first {
            $0.key == key && $0.chain.isFound(from: signer, over: candidates, of: bytes, at: time)
        }
        return lookups.counted(entry?.chain)
    }

    func insert(_ chain: CertificateChain, _ key: [UInt8]) {
        recent.withLock { recent in
            // Two threads may have built the same chain.
            if !recent.entries.contains(where: { $0.key == key && $0.chain.isSame(as: chain) }) {
                recent.insert((key, chain))
            }
        }
    }
}
