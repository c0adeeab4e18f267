import CReceiptCrypto
import Synchronization

/// The chains that were found good lately, under the exact bytes of signer and intermediate.
///
/// A chain gets in when it ends at an anchor and its signer's signature on a receipt held. So whoever sends
/// ever new certificates cannot fill the cache, and there is no refusal in here that could be taken for an
/// acceptance. Apple has used six chains in ten years.
final class ChainCache: Sendable {
    private struct Entry {
        let signer: [UInt8]
        /// Nil where an anchor signed, or is, the signer.
        let intermediate: [UInt8]?
        let chain: CertificateChain
    }

    private let recent = Mutex(RecentEntries<Entry>())

    /// A chain from this signer, over the first candidate where it goes over any, that is valid at the given time.
    ///
    /// Over another candidate a chain may be good as well, but the first that is would be found without a cache, and
    /// whether an answer is in here must not show in it.
    func chain(
        from signer: Certificate, over candidates: [Certificate], of bytes: Span<UInt8>, at time: Timestamp
    ) -> CertificateChain? {
        let entries = recent.withLock { $0.entries }
        return entries.first { entry in
            entry.chain.validity.contains(time.secondsSince1970)
                && entry.signer.isEqual(to: signer, of: bytes)
                && (entry.intermediate.map { intermediate in
                    candidates.first.map { intermediate.isEqual(to: $0, of: bytes) } ?? false
                } ?? true)
        }?.chain
    }

    func insert(
        _ chain: CertificateChain, from signer: Certificate, over intermediate: Certificate?,
        of bytes: Span<UInt8>
    ) {
        let entry = Entry(
            signer: signer.der.map { bytes[$0] }, intermediate: intermediate.map { $0.der.map { bytes[$0] } },
            chain: chain)
        recent.withLock { recent in
            // Two threads may have built the same chain.
            let isKnown = recent.entries.contains {
                $0.signer == entry.signer && $0.intermediate == entry.intermediate
            }
            if !isKnown { recent.insert(entry) }
        }
    }
}

extension [UInt8] {
    fileprivate func isEqual(to certificate: Certificate, of bytes: Span<UInt8>) -> Bool {
        unsafe span.withSlice { left in
            unsafe bytes.extracting(certificate.der).withSlice { right in
                unsafe receipt_crypto_same(left, right)
            }
        }
    }
}
