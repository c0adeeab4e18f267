import CReceiptCrypto
import Synchronization

/// The chains that were found good lately, under the exact bytes of their certificates.
///
/// Only good chains are kept. Whoever sends ever new certificates cannot fill the cache, because a chain gets
/// in only when it ends at an anchor; and there is no refusal in here that could be taken for an acceptance.
final class ChainCache: Sendable {
    /// Apple has used six chains in ten years.
    static let capacity = 64

    /// Bytes of certificates under which a chain is kept, three times what Apple's take: anyone can put more into a
    /// bag, because nobody signed for it, and 64 bags of 16 MiB are a gigabyte.
    static let keyBytes = 8 << 10

    private struct Entry {
        let key: ChainKey
        let chain: CertificateChain
    }

    private struct State {
        var entries: [Entry] = []
        var next = 0
    }

    private let state = Mutex(State())

    func chain(for bytes: Span<UInt8>, _ signer: Range<Int>, _ candidates: [Range<Int>]) -> CertificateChain? {
        let entries = state.withLock { $0.entries }
        return entries.first { $0.key.matches(bytes, signer, candidates) }?.chain
    }

    func insert(_ chain: CertificateChain, for bytes: Span<UInt8>, _ signer: Range<Int>, _ candidates: [Range<Int>]) {
        guard candidates.reduce(signer.count, { $0 + $1.count }) <= Self.keyBytes else { return }
        let entry = Entry(key: ChainKey(bytes, signer, candidates), chain: chain)
        state.withLock { state in
            if state.entries.count < Self.capacity {
                state.entries.append(entry)
            } else {
                state.entries[state.next] = entry
                state.next = (state.next + 1) % Self.capacity
            }
        }
    }
}

/// The signer's certificate and those that may have issued it, byte for byte.
private struct ChainKey {
    private let signer: [UInt8]
    private let candidates: [[UInt8]]

    init(_ bytes: Span<UInt8>, _ signer: Range<Int>, _ candidates: [Range<Int>]) {
        self.signer = signer.map { bytes[$0] }
        self.candidates = candidates.map { range in range.map { bytes[$0] } }
    }

    func matches(_ bytes: Span<UInt8>, _ signer: Range<Int>, _ candidates: [Range<Int>]) -> Bool {
        guard self.candidates.count == candidates.count, same(self.signer, bytes, signer) else { return false }
        for index in candidates.indices where !same(self.candidates[index], bytes, candidates[index]) { return false }
        return true
    }

    private func same(_ certificate: [UInt8], _ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        unsafe certificate.span.withSlice { left in
            unsafe bytes.extracting(range).withSlice { right in unsafe receipt_crypto_same(left, right) }
        }
    }
}
