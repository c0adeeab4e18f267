import Synchronization

/// The chains that were found good lately.
///
/// A chain gets in when it ends at an anchor and has that anchor's markers, and only if it is the one that a search finds
/// whatever else an attacker puts into the container. An attacker has no such certificates but Apple's public ones, so the
/// cache cannot be filled. It holds no refusal that could be taken for an acceptance, and the answer is the same whether a
/// chain is in it or not. Apple has used eight chains in ten years.
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
