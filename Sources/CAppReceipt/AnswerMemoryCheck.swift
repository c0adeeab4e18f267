import CAppReceiptBoundary

/// The length, in bytes, up to which a growing answer is known to fit in memory. Answers to short inputs can
/// be a hundred times as long as the input.
struct AnswerMemoryCheck {
    private var bytes: Int

    init(forInputOf count: Int) { bytes = 4 * count + 1 << 16 }

    /// Checks that there is memory for a longer answer.
    /// - Parameter written: the length of the answer so far, in bytes.
    /// - Throws: `BoundaryFailure.unavailable` if there is not enough memory.
    mutating func require(_ written: Int) throws(BoundaryFailure) {
        guard written > bytes else { return }
        guard appreceipt_boundary_has_memory(8 * written) else { throw .unavailable }
        bytes = 2 * written
    }
}
