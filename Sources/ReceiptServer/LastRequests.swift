#if Server
    import Logging
    import NIOCore
    import NIOPosix
    import ServiceLifecycle

    /// A service that stops the server in steps. It is the first service to receive the signal to stop.
    ///
    /// 1. `/health/ready` fails. The server continues for the drain time.
    /// 2. Each connection ends with its next answer. For a moment, the server still answers new requests.
    /// 3. The server stops listening. It ends after the last answer or at the shutdown timeout.
    struct LastRequests: Service {
        let state: ServerState

        private static let moment = TimeAmount.milliseconds(500)

        func run() async throws {
            try await gracefulShutdown()
            state.admission.drain()
            state.logger.info("stopping")
            try await Task.sleep(for: .seconds(state.settings.drainTime))
            state.admission.close()
            let limit = TimeAmount.seconds(Int64(state.settings.shutdownTimeout))
            let state = state
            MultiThreadedEventLoopGroup.singleton.next().scheduleTask(in: limit) {
                // Without requests, only clients that do not close their connections are left.
                if state.admission.workingCount > 0 {
                    state.logger.warning(
                        "stopped with unanswered requests",
                        metadata: ["connections": "\(state.admission.workingCount)"])
                }
                exit(0)
            }
            try await Task.sleep(nanoseconds: UInt64(min(Self.moment.nanoseconds, limit.nanoseconds / 2)))
        }
    }
#endif
