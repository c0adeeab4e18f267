import Synchronization

/// The chains that were found good lately.
///
/// A chain gets in when it ends at an anchor and its signer's signature on a receipt held, and only if it is the one
/// that a search finds whatever else a stranger puts into the bag. So whoever sends ever new certificates cannot fill
/// the cache, there is no refusal in here that could be taken for an acceptance, and whether an answer is in here does
/// not show in it. Apple has used six chains in ten years.
final class ChainCache: Sendable {
    private let recent = Mutex(RecentEntries<CertificateChain>())
    let lookups = LookupCounter()

    /// The chain that a search would find, if it is in here.
    func chain(
        from signer: Certificate, over candidates: [Certificate], of bytes: Span<UInt8>, at time: Timestamp
    ) -> CertificateChain? {
        let entries = recent.withLock { $0.entries }
        return lookups.counted(
            entries.first { $0.isFound(from: signer, over: candidates, of: bytes, at: time) })
    }

    /// - Parameter chain: what a search found with the other arguments.
    func insert(
        _ chain: CertificateChain, from signer: Certificate, over candidates: [Certificate],
        of bytes: Span<UInt8>, at time: Timestamp
    ) {
        guard chain.isFound(from: signer, over: candidates, of: bytes, at: time) else { return }
        recent.withLock { recent in
            // Two threads may have built the same chain.
            if !recent.entries.contains(where: chain.isSame) { recent.insert(chain) }
        }
    }
}
