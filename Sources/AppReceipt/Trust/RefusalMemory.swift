import Synchronization

/// The chains that were refused lately.
///
/// Whoever sends receipts that nobody vouches for sends many with the same certificates, and a search for a chain costs
/// several times what a receipt with a known one does. There are only errors in here, to be thrown:
/// nothing that could be taken for an acceptance. With the same anchors an answer depends on the certificates and on
/// the time; an error is kept with the times for which it is known, and not at all where the machine failed. An error about
/// the time itself is the same for all of these times but for the time that it names.
final class RefusalMemory: Sendable {
    private struct Entry {
        let key: [UInt8]
        /// In seconds since 1970.
        let times: ClosedRange<Int64>
        let error: ReceiptError
        /// OpenSSL may swallow a failed allocation and blame a certificate for it. So an answer counts as known when
        /// it was given twice.
        var isConfirmed = false
    }

    private let recent = Mutex(RecentEntries<Entry>())

    /// The error with which these certificates are refused at this time, if it is known.
    /// - Parameter key: says which the signer and the candidates are, as a digest.
    func refusal(of key: [UInt8], at time: Timestamp) -> ReceiptError? {
        let entries = recent.withLock { $0.entries }
        let seconds = time.secondsSince1970
        return entries.first { $0.isConfirmed && $0.times.contains(seconds) && $0.key == key }?
            .error.judged(at: time)
    }

    /// - Parameters:
    ///   - first: the error is the same at every time from here on, in seconds since 1970, …
    ///   - last: … to here. Nothing is kept where this is before `first`.
    func insert(_ error: ReceiptError, from first: Int64, to last: Int64, of key: [UInt8]) {
        guard first <= last, error.isComplete else { return }
        let error = error.judged(at: Timestamp(millisecondsSince1970: 0))
        var entry = Entry(key: key, times: first...last, error: error)
        recent.withLock { recent in
            let known = recent.entries.firstIndex {
                $0.key == key && $0.times == entry.times && $0.error == error
            }
            guard let known else { return recent.insert(entry) }
            entry.isConfirmed = true
            recent.replace(at: known, with: entry)
        }
    }
}

extension ReceiptError {
    /// The error as it is for another time of the same window.
    fileprivate func judged(at time: Timestamp) -> ReceiptError {
        guard case .notValid = reason else { return self }
        return ReceiptError(
            code, .notValid(at: time), offset: offset, field: field, certificate: certificate,
            resemblance: resemblance)
    }

    /// Whether the facts are all there. OpenSSL may have had no memory for them, and may have it the next time.
    fileprivate var isComplete: Bool {
        guard let certificate else { return false }
        return !certificate.sha256.isEmpty
    }
}
