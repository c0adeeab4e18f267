#if Server
    import CMemory
    import Logging
    import NIOCore
    import NIOPosix
    import ServiceLifecycle
    import SystemLibrary
    import UnixSignals

    /// An HTTP server for verification, offer eligibility and batches of records.
    package struct ReceiptServer: Sendable {
        private let state: ServerState

        /// Records SIGHUP before ``run(listening:)`` handles it, from the start of the process.
        package static func recordHangups() { EarlySignals.recordHangups() }

        /// Handles SIGTERM before ``run(listening:)`` does, for example while files are read. Lets large bodies return their memory
        /// to the system.
        package static func prepare() {
            EarlySignals.endOnTermination()
            // Otherwise, large bodies fragment the heap.
            memory_return_blocks(1 << 20)
        }

        /// Creates a server with these settings and reads its files.
        /// - Throws: `ReceiptError` if OpenSSL fails, or an error about a file that SIGHUP reads again.
        package init(_ settings: ServerSettings) throws {
            let logger = Logger(label: "appreceipt") { _ in LineLog(settings.logFormat, settings.logLevel) }
            state = try ServerState(settings, logger)
        }

        /// The revocation lists that cannot be used, one line each.
        package var unusableLists: [String] { state.served.unusableLists }

        /// Serves requests until SIGTERM or SIGINT stops the server.
        /// - Parameter listening: Receives the server's URL when the server accepts connections.
        /// - Throws: ``SettingsError`` if the server cannot listen on its address.
        package func run(listening: @escaping @Sendable (String) -> Void) throws {
            try MultiThreadedEventLoopGroup.singleton.any().makeFutureWithTask {
                try await serve(listening)
            }.wait()
        }

        private func serve(_ listening: @escaping @Sendable (String) -> Void) async throws {
            let settings = state.settings
            startThreads()
            // The server is healthy and has clients only when it listens on both addresses.
            let (healthListens, health) = AsyncStream<Never>.makeStream()
            var services: [any Service] = []
            if let address = settings.healthAddress {
                // All of its connections are beyond the limit, so they get health checks and metrics only.
                services.append(
                    try await listener(
                        on: address, MultiThreadedEventLoopGroup(numberOfThreads: 1),
                        OpenConnections(limit: 0, refusal: .notFound)
                    ) { _ in health.finish() })
            } else {
                health.finish()
            }
            let scheme = state.certificates == nil ? "http" : "https"
            services.append(
                try await listener(on: settings.address, .singleton, state.connections) { address in
                    for await _ in healthListens {}
                    guard !Task.isCancelled else { return }
                    if let path = settings.unixSocket { return listening("\(scheme)+unix:\(path)") }
                    let host = settings.host.contains(":") ? "[\(settings.host)]" : settings.host
                    listening("\(scheme)://\(host):\(address?.port ?? settings.port)")
                })
            // The last one stops first.
            services += [Reloading(state: state), LastRequests(state: state)]
            try await ServiceGroup(
                services: services, gracefulShutdownSignals: [.sigterm, .sigint], logger: state.logger
            ).run()
            state.logger.info("stopped")
        }

        private func listener(
            on address: ListeningAddress, _ group: MultiThreadedEventLoopGroup,
            _ connections: OpenConnections, listening: @escaping @Sendable (SocketAddress?) async -> Void
        ) async throws -> Listener {
            let channel = ServerChannel(
                responder: { try await Dispatcher($0, state, $2).respond($1) },
                state: state, connections: connections, executors: try await EventLoopExecutors(group))
            return Listener(
                setup: channel, address: address, group: group, logger: state.logger, listening: listening)
        }
    }
#endif
