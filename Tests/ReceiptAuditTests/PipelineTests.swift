import Dispatch
import Testing

@testable import ReceiptAudit

/// The threads that read, process and write.
struct PipelineTests {
    private struct Failure: Error {}

    private final class Held: Sendable {
        let released: DispatchSemaphore
        init(_ released: DispatchSemaphore) { self.released = released }
        deinit { released.signal() }
    }

    /// Checks that all threads end if writing fails while the queue is full. The timeout applies only if the
    /// test fails.
    @Test func threadsEndWhenWritingFails() {
        let released = DispatchSemaphore(value: 0)
        #expect(throws: Failure.self) { try fail(Held(released)) }
        #expect(released.wait(timeout: .now() + 60) == .success)
    }

    /// Checks that all work is done in order if the system starts fewer threads than requested, or none.
    @Test(arguments: [0, 1, 3])
    func workIsDoneWithFewerThreads(limit: Int) throws {
        var started = 0
        var read = 0
        var written: [Int] = []
        try Pipeline<Int, Int>(
            jobs: 4,
            startThread: { body in
                guard started < limit else { return false }
                started += 1
                return startSystemThread(body)
            },
            read: {
                read += 1
                return read <= 100 ? read : nil
            },
            work: { $0 * 2 }, write: { written.append($0) }
        ).run()
        #expect(started == limit)
        #expect(written == (1...100).map { $0 * 2 })
    }

    private func fail(_ held: Held) throws {
        let jobs = 2
        let isFull = DispatchSemaphore(value: 0)
        var read = 0
        try Pipeline<Int, Int>(
            jobs: jobs,
            read: {
                defer { read += 1 }
                return read
            },
            work: { number in
                withExtendedLifetime(held) { if number == 2 * jobs + 1 { isFull.signal() } }
                return number
            },
            write: { _ in
                isFull.wait()
                throw Failure()
            }
        ).run()
    }
}
