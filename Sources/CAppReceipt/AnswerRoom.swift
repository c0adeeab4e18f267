import CAppReceiptBorder

/// For how many bytes of an answer that grows there is memory: what answers short inputs is a hundred times as long.
struct AnswerRoom {
    private var bytes: Int

    init(forInputOf count: Int) { bytes = 4 * count + 1 << 16 }

    /// - Parameter written: bytes of the answer so far.
    /// - Throws: `BorderFailure.unavailable` where there would be no memory for more.
    mutating func require(_ written: Int) throws(BorderFailure) {
        guard written > bytes else { return }
        guard appreceipt_border_has_room(8 * written) else { throw .unavailable }
        bytes = 2 * written
    }
}
