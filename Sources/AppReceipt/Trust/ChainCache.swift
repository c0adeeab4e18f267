import Synchronization

/// A cache of verified chains.
///
/// It stores chains that end at a trust anchor and have the marker extensions that the anchor requires. It
/// stores a chain only if a search finds the same chain whatever an attacker adds to the container. Attackers
/// cannot fill the cache, because Apple's public certificates form the only valid chains that they have.
/// Results do not depend on the cache, and it stores no refusals. Apple has used eight chains in ten years.
final class ChainCache: Sendable {
    private let chains = RecentCache<CertificateChain>()
    /// The certificates of valid chains, as read, even after their chain has left the cache.
    private let known = Mutex(KnownCertificates())

    var lookups: (found: Int, missed: Int) { chains.lookups }

    /// Certificates of chains that are or were in the cache.
    var certificates: KnownCertificates { known.withLock { $0 } }

    /// Returns the chain that a search would find, if it is in the cache.
    func chain(
        from signer: Certificate, over candidates: [Certificate], of bytes: Span<UInt8>, at time: Timestamp
    ) -> CertificateChain? {
        chains.first { $0.isFound(from: signer, over: candidates, of: bytes, at: time) }
    }

    /// Inserts a chain.
    /// - Parameter chain: the result of a search with the other arguments.
    func insert(
        _ chain: CertificateChain, from signer: Certificate, over candidates: [Certificate],
        of bytes: Span<UInt8>, at time: Timestamp
    ) {
        guard chain.isFound(from: signer, over: candidates, of: bytes, at: time) else { return }
        chains.insert(chain, unless: chain.isSame)
        known.withLock { known in chain.encodings.forEach { known.insert($0) } }
    }
}
