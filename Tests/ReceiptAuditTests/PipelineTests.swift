import Dispatch
import Testing

@testable import ReceiptAudit

/// The threads that read, work and write.
struct PipelineTests {
    private struct Failure: Error {}

    private final class Held: Sendable {
        let released: DispatchSemaphore
        init(_ released: DispatchSemaphore) { self.released = released }
        deinit { released.signal() }
    }

    /// Writing fails when all room is taken by what waits behind it. The limit is for a test that fails.
    @Test func threadsEndWhenWritingFails() {
        let released = DispatchSemaphore(value: 0)
        #expect(throws: Failure.self) { try fail(Held(released)) }
        #expect(released.wait(timeout: .now() + 60) == .success)
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
