import Foundation

/// How much is read before what was read before it is written: what bounds the memory of an audit, whatever its
/// input and the number of its threads.
final class ReadAhead: @unchecked Sendable {
    /// Bytes of a batch of ordinary records.
    let batchBytes: Int
    private let condition = NSCondition()
    private var held = 0
    private var isOver = false

    /// The answer to a record takes up to 30 times its bytes: purchases of which nothing is said but that they are.
    private static let capacity = 1 << 21

    /// - Parameter jobs: threads; each of many gets less at a time, so that all have something to do.
    init(jobs: Int = 1) { batchBytes = max(1 << 14, min(1 << 17, 1 << 20 / max(jobs, 1))) }

    /// Waits until so much may be read beside what is held; anything may be read where nothing is.
    func wait(for weight: Int) {
        condition.lock()
        while !isOver && held > 0 && held + weight > Self.capacity { condition.wait() }
        condition.unlock()
    }

    func hold(_ weight: Int) { change { held += weight } }

    func release(_ weight: Int) { change { held -= weight } }

    /// Nothing will be released any more, and whoever waits need not.
    func end() { change { isOver = true } }

    private func change(_ body: () -> Void) {
        condition.lock()
        body()
        condition.broadcast()
        condition.unlock()
    }
}
