#if Server
    import NIOCore
    import NIOPosix
    import Synchronization

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

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
        guard size > shortWork else { return try await run(on: shortThreads, work) }
        let all = waiting.add(size, ordering: .relaxed).newValue
        defer { waiting.subtract(size, ordering: .relaxed) }
        guard mayWait || all <= mostWaiting || all == size else { throw Failure.busy }
        return try await run(on: longThreads) {
            yieldToOthers()
            return try work()
        }
    }

    /// Lets event loops and short work have the processor first. On Linux each thread has a priority of its own.
    private func yieldToOthers() {
        #if canImport(Glibc)
            _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, longNiceness)
        #elseif canImport(Musl)
            _ = setpriority(PRIO_PROCESS, 0, longNiceness)
        #endif
    }

    #if canImport(Glibc)
        private let longNiceness = min(getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0) + 5, 19)
    #elseif canImport(Musl)
        private let longNiceness = min(getpriority(PRIO_PROCESS, 0) + 5, 19)
    #endif

    private func run<Value: Sendable>(
        on threads: NIOThreadPool, _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            threads.submit { _ in continuation.resume(with: Result(catching: work)) }
        }
    }
#endif
