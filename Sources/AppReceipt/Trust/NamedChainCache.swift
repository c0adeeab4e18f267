import Synchronization

/// A cache of verified chains to a named trust anchor, for JWS and transaction receipts.
///
/// A chain is inserted before the signature over the content is verified. Otherwise, each forged JWS with
/// Apple's certificates would cost two checks with P-384 keys. Attackers cannot fill the cache, because
/// Apple's public certificates form the only valid chains that they have.
final class NamedChainCache: Sendable {
    let lookups = LookupCounter()
    private let recent = Mutex(RecentEntries<(key: [UInt8], chain: CertificateChain)>())

    /// Returns the chain of these certificates, if it is in the cache and valid at the given time.
    /// - Parameter key: identifies purpose, anchor and certificates; see
    ///   ``AnchorStore/key(of:_:of:prefix:)``.
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
