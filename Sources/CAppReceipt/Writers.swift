import ReceiptJSON
import Synchronization

/// Writers that calls give back, with the text of the chain that each wrote last, which most receipts share, and memory
/// for another answer. A fork waits until nobody is behind the border, so that the child finds none of them lent.
final class Writers: Sendable {
    // Lent to one call at a time.
    private final class Writer: @unchecked Sendable { var json = JSONWriter() }

    private let free = Mutex<[Writer]>([])

    /// Of calls at a time; what more of them give back is gone.
    private static let maximumCount = 8
    /// Bytes of a writer that is kept: a long answer's memory is gone with it.
    private static let maximumCapacity = 64 << 10

    /// Lends a writer in which nothing was written.
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
