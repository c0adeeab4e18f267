import Synchronization

/// The chains that were refused lately, under the exact bytes of the signer and of all candidates, in order.
///
/// Whoever sends receipts that nobody vouches for sends many with the same certificates, and OpenSSL takes ten
/// times as long to refuse a chain as the cache to find a good one. There are only errors in here, to be thrown:
/// nothing that could be taken for an acceptance. With the same anchors an answer depends on these bytes and on the
/// time; an error is kept with the times for which it is known, and not at all where the time itself was at fault
/// or the machine failed. So every answer is the one that would have been given without the memory.
final class RefusalMemory: Sendable {
    /// Whoever sends ever new certificates fills it, with a megabyte and at about a hundredth of the cost of
    /// refusing them.
    static let capacity = 64
    /// What the certificates of an entry may have together: several times as much as Apple's.
    static let maximumBytes = 16 << 10

    private struct Entry {
        /// The signer, then the candidates.
        let certificates: [[UInt8]]
        /// In seconds since 1970.
        let times: ClosedRange<Int64>
        let error: ReceiptError

        func isOf(_ signer: Certificate, _ candidates: [Certificate], of bytes: Span<UInt8>) -> Bool {
            guard certificates.count == candidates.count + 1,
                certificates[0].isEqual(to: signer, of: bytes)
            else { return false }
            for (index, candidate) in candidates.enumerated()
            where !certificates[index + 1].isEqual(to: candidate, of: bytes) {
                return false
            }
            return true
        }
    }

    private struct State {
        var entries: [Entry] = []
        var next = 0
    }

    private let state = Mutex(State())

    /// The error with which these certificates are refused at this time, if it is known.
    func refusal(
        of signer: Certificate, _ candidates: [Certificate], of bytes: Span<UInt8>, at seconds: Int64
    ) -> ReceiptError? {
        let entries = state.withLock { $0.entries }
        for entry in entries
        where entry.times.contains(seconds) && entry.isOf(signer, candidates, of: bytes) {
            return entry.error
        }
        return nil
    }

    /// - Parameters:
    ///   - first: the error is the same at every time from here on, in seconds since 1970, …
    ///   - last: … to here. Nothing is kept where this is before `first`.
    func insert(
        _ error: ReceiptError, from first: Int64, to last: Int64, of signer: Certificate,
        _ candidates: [Certificate], of bytes: Span<UInt8>
    ) {
        let size = candidates.reduce(signer.der.count) { $0 + $1.der.count }
        guard first <= last, size <= Self.maximumBytes, error.isComplete else { return }
        let certificates = ([signer] + candidates).map { certificate in certificate.der.map { bytes[$0] } }
        let entry = Entry(certificates: certificates, times: first...last, error: error)
        state.withLock { state in
            // Two threads may have refused the same chain.
            if state.entries.contains(where: { $0.certificates == certificates && $0.times == entry.times }) {
                return
            }
            if state.entries.count < Self.capacity {
                state.entries.append(entry)
            } else {
                state.entries[state.next] = entry
                state.next = (state.next + 1) % Self.capacity
            }
        }
    }
}

extension ReceiptError {
    /// Whether the facts are all there. OpenSSL may have had no memory for them, and may have it the next time.
    fileprivate var isComplete: Bool {
        guard let certificate else { return false }
        return !certificate.subject.isEmpty && !certificate.issuer.isEmpty && !certificate.sha256.isEmpty
    }
}
