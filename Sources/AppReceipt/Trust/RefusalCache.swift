import Synchronization

/// A cache of refused chains.
///
/// A client that sends receipts without a trusted signer usually sends many with the same certificates. A
/// search for a chain takes several times as long as verifying a receipt with a cached chain. The cache
/// stores only errors to throw, so no entry can lead to an acceptance.
///
/// With the same anchors, the result of a search depends on the certificates and the time. Each error is
/// stored with the range of times at which the result is the same. Within this range, an error about validity
/// differs only in the time that it reports. Failures of OpenSSL are not stored.
final class RefusalCache: Sendable {
    private struct Entry {
        let key: [UInt8]
        /// The range in seconds since 1970.
        let times: ClosedRange<Int64>
        let error: ReceiptError
        /// Whether the error occurred twice. Only then is it used, because OpenSSL may ignore a failed
        /// allocation and report a faulty certificate instead.
        var isConfirmed = false
    }

    private let recent = Mutex(RecentEntries<Entry>())

    /// Returns the known error for these certificates at this time.
    /// - Parameter key: the result of ``AnchorStore/key(of:_:of:prefix:)``.
    func refusal(of key: [UInt8], at time: Timestamp) -> ReceiptError? {
        let entries = recent.withLock { $0.entries }
        let seconds = time.secondsSince1970
        return entries.first { $0.isConfirmed && $0.times.contains(seconds) && $0.key == key }?
            .error.dated(at: time)
    }

    /// Inserts an error.
    /// - Parameters:
    ///   - first: the first time, in seconds since 1970, at which the error is the same.
    ///   - last: the last such time. Nothing is inserted if it is before `first`.
    func insert(_ error: ReceiptError, from first: Int64, to last: Int64, of key: [UInt8]) {
        guard first <= last, error.isComplete else { return }
        let error = error.dated(at: Timestamp(millisecondsSince1970: 0))
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
    /// Returns the error for another time in the same range.
    fileprivate func dated(at time: Timestamp) -> ReceiptError {
        guard case .notValid = reason else { return self }
        return ReceiptError(
            code, .notValid(at: time), offset: offset, field: field, certificate: certificate,
            resemblance: resemblance)
    }

    /// Whether all details are present. OpenSSL may have lacked memory for them, and may have enough the next
    /// time.
    fileprivate var isComplete: Bool {
        guard let certificate else { return false }
        return !certificate.sha256.isEmpty
    }
}
