import ReceiptEvidence
import ReceiptJSON
import StrictJSON

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
