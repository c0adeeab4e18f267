#if Server
    import NIOCore
    import NIOPosix
    import Synchronization

    /// The most bytes of short work.
    private let shortWork = 64 << 10

    /// Bytes of long work that may wait for a thread, at a tenth of a second for twenty million of them. What comes on top is
    /// turned away, unless nothing waits.
    private let mostWaiting = 64 << 20

    private let waiting = Atomic(0)

    /// Threads for short work and for long work, so that a receipt does not wait behind megabytes.
    private let (shortThreads, longThreads) = (threads(), threads())

    private func threads() -> NIOThreadPool {
        let pool = NIOThreadPool(numberOfThreads: System.coreCount)
        pool.start()
        return pool
    }

    /// Does work beside the event loops, which read and verify nothing that clients send: no request delays the answer to a
    /// health check.
    /// - Parameters:
    ///   - size: bytes that it is about.
    ///   - mayWait: however much waits before it.
    /// - Throws: ``Failure`` where too much waits to be done, and what `work` throws.
    func perform<Value: Sendable>(
        _ size: Int, mayWait: Bool = false, _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        guard size > shortWork else { return try await run(work, on: shortThreads) }
        let all = waiting.add(size, ordering: .relaxed).newValue
        defer { waiting.subtract(size, ordering: .relaxed) }
        guard mayWait || all <= mostWaiting || all == size else { throw Failure.busy }
        return try await run(work, on: longThreads)
    }

    private func run<Value: Sendable>(
        _ work: @escaping @Sendable () throws -> Value, on threads: NIOThreadPool
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            threads.submit { _ in continuation.resume(with: Result(catching: work)) }
        }
    }
#endif
