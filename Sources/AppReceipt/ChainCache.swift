import CReceiptCrypto
import Synchronization

/// The chains that were found good lately, under the exact bytes of signer and intermediate.
///
/// A chain gets in when it ends at an anchor and its signer's signature on a receipt held. So whoever sends
/// ever new certificates cannot fill the cache, and there is no refusal in here that could be taken for an
/// acceptance.
final class ChainCache: Sendable {
    /// Apple has used six chains in ten years.
    static let capacity = 64

    private struct Entry {
        let signer: [UInt8]
        /// Nil where an anchor signed, or is, the signer.
        let intermediate: [UInt8]?
        let chain: CertificateChain
    }

    private struct State {
        var entries: [Entry] = []
        var next = 0
    }

    private let state = Mutex(State())

    /// A chain from this signer over one of these candidates that is valid at the given time.
    func chain(
        from signer: Certificate, over candidates: [Certificate], of bytes: Span<UInt8>, at time: Timestamp
    ) -> CertificateChain? {
        let entries = state.withLock { $0.entries }
        return entries.first { entry in
            entry.chain.validity.contains(time.secondsSince1970)
                && entry.signer.isEqual(to: signer, of: bytes)
                && (entry.intermediate.map { intermediate in
                    candidates.contains { intermediate.isEqual(to: $0, of: bytes) }
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
        state.withLock { state in
            // Two threads may have built the same chain.
            let isKnown = state.entries.contains {
                $0.signer == entry.signer && $0.intermediate == entry.intermediate
            }
            if isKnown { return }
            if state.entries.count < Self.capacity {
                state.entries.append(entry)
            } else {
                state.entries[state.next] = entry
                state.next = (state.next + 1) % Self.capacity
            }
        }
    }
}

extension [UInt8] {
    func isEqual(to certificate: Certificate, of bytes: Span<UInt8>) -> Bool {
        unsafe span.withSlice { left in
            unsafe bytes.extracting(certificate.der).withSlice { right in
                unsafe receipt_crypto_same(left, right)
            }
        }
    }
}
