import Foundation

/// A limit on the input that is read before earlier input is written. It bounds the memory of an audit for
/// any input and number of threads.
package final class ReadAhead: @unchecked Sendable {
    /// The size of a batch of ordinary records in bytes.
    package let batchBytes: Int
    private let condition = NSCondition()
    private var held = 0
    private var isOver = false

    /// The capacity in bytes. The answer to a record needs at most 30 times the record's size. The worst case
    /// is purchases without attributes.
    private static let capacity = 1 << 21

    /// Creates a limit.
    /// - Parameter jobs: The number of threads. With many threads, batches are smaller, so that all threads
    ///   have work.
    package init(jobs: Int = 1) { batchBytes = max(1 << 14, min(1 << 19, 1 << 20 / max(jobs, 1))) }

    /// Waits until this weight fits next to the held weight. If nothing is held, any weight fits.
    package func wait(for weight: Int) {
        condition.lock()
        while !isOver && held > 0 && held + weight > Self.capacity { condition.wait() }
        condition.unlock()
    }

    package func hold(_ weight: Int) { change { held += weight } }

    package func release(_ weight: Int) { change { held -= weight } }

    /// Ends all waiting, because nothing will be released any more.
    package func end() { change { isOver = true } }

    private func change(_ body: () -> Void) {
        condition.lock()
        body()
        condition.broadcast()
        condition.unlock()
    }
}
