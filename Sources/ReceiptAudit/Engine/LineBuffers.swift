import StrictJSON
import Synchronization

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
