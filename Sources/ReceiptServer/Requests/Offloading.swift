#if Server
    import NIOPosix

    /// Bytes up to which work is done where they were read: the way to another thread and back costs as much as a receipt or
    /// two, and longer work would keep the loop's other connections waiting.
    private let smallWork = 64 << 10

    /// Does work on the event loop or, where there is much of it, beside it.
    /// - Parameter size: bytes that it is about.
    func perform<Value: Sendable>(
        _ size: Int, _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        size <= smallWork ? try work() : try await NIOThreadPool.singleton.runIfActive(work)
    }
#endif
