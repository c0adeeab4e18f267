#if Server
    import Logging
    import NIOCore
    import NIOPosix
    import ServiceLifecycle
    import UnixSignals

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #else
        import Darwin
    #endif

    /// Reads files again on SIGHUP.
    struct Reloading: Service {
        let state: ServerState

        func run() async throws {
            let signals = await UnixSignalsSequence(trapping: .sighup)
            if EarlyHangup.came { state.reload() }
            for await _ in signals.cancelOnGracefulShutdown() { state.reload() }
        }
    }

    /// The first service to learn that the server is stopped. It makes `/health/ready` fail, and lets the server go on for the
    /// drain time. Then answers end their connections; what arrives in the next moment is answered all the same. Then the
    /// server stops listening, and ends when the last request is answered, or when its time is up.
    struct LastRequests: Service {
        let state: ServerState

        private static let moment = TimeAmount.milliseconds(500)

        func run() async throws {
            try await gracefulShutdown()
            state.logger.info("stopping")
            state.admission.drain()
            try await Task.sleep(for: .seconds(state.settings.drainTime))
            state.admission.close()
            let limit = TimeAmount.seconds(Int64(state.settings.shutdownTimeout))
            let state = state
            MultiThreadedEventLoopGroup.singleton.next().scheduleTask(in: limit) {
                state.logger.warning(
                    "stopped with unanswered requests",
                    metadata: ["connections": "\(state.admission.workingCount)"])
                exit(0)
            }
            try await Task.sleep(nanoseconds: UInt64(min(Self.moment.nanoseconds, limit.nanoseconds / 2)))
        }
    }
#endif
