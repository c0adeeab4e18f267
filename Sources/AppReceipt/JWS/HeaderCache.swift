import CReceiptCrypto
import Synchronization

/// The chains of the headers whose signatures held lately, under the exact text of the header.
///
/// A header decides the chain but for the time, and nine tenths of a JWS are its header, the same in every one that a
/// certificate of Apple's signed: comparing it takes a hundredth of the time of reading it. Nothing gets in before a
/// signature held: an attacker can write any number of headers with Apple's certificates.
final class HeaderCache: Sendable {
    private struct Entry {
        let header: [UInt8]
        let chain: CertificateChain
    }

    private let recent = Mutex(RecentEntries<Entry>())
    let lookups = LookupCounter()

    /// The chain of this header, if it is known and valid at the given time.
    func chain(of header: Span<UInt8>, at time: Timestamp) -> CertificateChain? {
        let entries = recent.withLock { $0.entries }
        let entry = entries.first { entry in
            entry.chain.isFound(at: time) && entry.header.isEqual(to: header)
        }
        return lookups.counted(entry?.chain)
    }

    func insert(_ chain: CertificateChain, of header: Span<UInt8>) {
        let entry = Entry(header: unsafe header.withUnsafeBufferPointer { unsafe Array($0) }, chain: chain)
        recent.withLock { recent in
            // Two threads may have come with the same header.
            if !recent.entries.contains(where: { $0.header == entry.header }) { recent.insert(entry) }
        }
    }
}

extension [UInt8] {
    fileprivate func isEqual(to other: Span<UInt8>) -> Bool {
        unsafe span.withSlice { left in
            unsafe other.withSlice { right in unsafe receipt_crypto_same(left, right) }
        }
    }
}
