#if Server
    import ServiceLifecycle
    import UnixSignals

    /// A service that reads the server's files again on SIGHUP.
    struct Reloading: Service {
        let state: ServerState

        func run() async throws {
            let signals = await UnixSignalsSequence(trapping: .sighup)
            if EarlySignals.hungUp { state.reload() }
            for await _ in signals.cancelOnGracefulShutdown() { state.reload() }
        }
    }
#endif
