import ReceiptEvidence
import ReceiptJSON
import StrictJSON
import Synchronization

/// The lines of a batch of answers.
///
/// The verifying thread writes it, then another thread reads it. The pipeline passes it on, so two threads
/// never access it at the same time.
final class LineBuffer: @unchecked Sendable {
    var json = JSONWriter()
    /// The limit of the current record.
    var limit = VerdictLimit()
    /// The hasher for the source of the lines, which is usually that of the previous batch. Nil if no leaves
    /// are needed.
    var hasher: LeafHasher?
}

/// Line buffers for reuse. Growing a new buffer for each batch and copying the lines would take as long as
/// writing them.
final class LineBuffers: Sendable {
    /// The maximum size of an idle buffer in bytes. A batch of ordinary receipts takes a tenth.
    private static let keptBytes = 1 << 20

    private let idle = Mutex<[LineBuffer]>([])

    func borrow() -> LineBuffer { idle.withLock { $0.popLast() } ?? LineBuffer() }

    func giveBack(_ buffer: LineBuffer) {
        guard buffer.json.capacity <= Self.keptBytes else { return }
        buffer.json.removeAll()
        idle.withLock { $0.append(buffer) }
    }
}
