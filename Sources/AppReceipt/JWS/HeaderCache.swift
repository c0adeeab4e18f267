import Synchronization

/// The chains of recent headers with valid signatures, by the exact text of the header.
///
/// At a given time, the header alone determines the chain. It makes up nine tenths of a JWS, and is the same
/// in every JWS of one certificate. Comparing it takes a hundredth of the time that parsing takes. A header
/// is inserted only after its signature was verified, because attackers can write any number of headers with
/// Apple's certificates.
final class HeaderCache: Sendable {
    private let recent = Mutex(RecentEntries<(header: [UInt8], chain: CertificateChain)>())
    let lookups = LookupCounter()

    /// Returns the chain of this header, if it is in the cache and valid at the given time.
    func chain(of header: Span<UInt8>, at time: Timestamp) -> CertificateChain? {
        let entries = recent.withLock { $0.entries }
        let entry = entries.first { entry in
            entry.chain.isFound(at: time) && entry.header.span.isEqual(to: header)
        }
        return lookups.counted(entry?.chain)
    }

    func insert(_ chain: CertificateChain, of header: Span<UInt8>) {
        let header = header.copy(0..<header.count)
        recent.withLock { recent in
            // Two threads may have verified the same header.
            if !recent.entries.contains(where: { $0.header == header }) { recent.insert((header, chain)) }
        }
    }
}
