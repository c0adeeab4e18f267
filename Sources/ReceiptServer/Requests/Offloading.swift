#if Server
    import NIOPosix
    import Synchronization

    /// Bytes up to which work is done where they were read: the way to another thread and back costs as much as a receipt or
    /// two, and longer work would keep the loop's other connections waiting.
    let smallWork = 64 << 10

    /// Bytes of work that may wait for another thread, at a tenth of a second for twenty million of them. What comes on top is
    /// turned away, unless nothing waits.
    private let mostWaiting = 64 << 20

    private let waiting = Atomic(0)

    /// Does work on the event loop or, where there is much of it, beside it.
    /// - Parameter size: bytes that it is about.
    /// - Throws: ``Failure`` where too much waits to be done, and what `work` throws.
    func perform<Value: Sendable>(
        _ size: Int, _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        guard size > smallWork else { return try work() }
        let all = waiting.add(size, ordering: .relaxed).newValue
        defer { waiting.subtract(size, ordering: .relaxed) }
        guard all <= mostWaiting || all == size else { throw Failure.busy }
        return try await NIOThreadPool.singleton.runIfActive(work)
    }
#endif
