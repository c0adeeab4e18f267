import ReceiptJSON
import StrictJSON
import Synchronization

/// A pool of writers. Each keeps memory for another answer, and the text of the certificate chain it wrote
/// last, which most receipts share. A fork waits until no call is running, so the child finds no writer in
/// use.
final class Writers: Sendable {
    // Used by one call at a time.
    private final class Writer: @unchecked Sendable { var json = JSONWriter() }

    private let free = Mutex<[Writer]>([])

    /// The maximum number of free writers. Further ones are discarded.
    private static let maximumCount = 8
    /// The maximum capacity of a free writer, in bytes. Writers with longer answers are discarded.
    private static let maximumCapacity = 64 << 10

    /// Calls `body` with an empty writer.
    func lend<Value, Failure>(_ body: (inout JSONWriter) throws(Failure) -> Value) throws(Failure) -> Value {
        let writer = free.withLock { $0.popLast() } ?? Writer()
        let value = try body(&writer.json)
        writer.json.removeAll()
        if writer.json.capacity <= Self.maximumCapacity {
            free.withLock { if $0.count < Self.maximumCount { $0.append(writer) } }
        }
        return value
    }
}
