import ReceiptEvidence
import ReceiptJSON
import Synchronization

/// The lines of a batch of answers.
///
/// Written by the thread that judges, then read by the one that writes them out, never by two at a time: the
/// pipeline hands it on.
final class LineBuffer: @unchecked Sendable {
    var json = JSONWriter()
    /// Of the source of the lines, which as a rule is that of the batch before; nil where no leaves are wanted.
    var hasher: LeafHasher?
}

/// Line buffers that are used again: to grow a new one for each batch, and to copy the lines out of it, would take
/// as long as to fill it.
final class LineBuffers: Sendable {
    /// Bytes that a buffer may keep; a batch of ordinary receipts takes a tenth.
    private static let keptBytes = 1 << 20

    private let idle = Mutex<[LineBuffer]>([])

    func borrow() -> LineBuffer { idle.withLock { $0.popLast() } ?? LineBuffer() }

    func giveBack(_ buffer: LineBuffer) {
        guard buffer.json.capacity <= Self.keptBytes else { return }
        buffer.json.removeAll()
        idle.withLock { $0.append(buffer) }
    }
}
