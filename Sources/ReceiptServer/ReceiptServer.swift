#if Server
    import HummingbirdCore
    import Logging
    import NIOCore
    import NIOPosix
    import ServiceLifecycle
    import UnixSignals

    /// Answers over HTTP what the library answers in a process.
    public struct ReceiptServer: Sendable {
        private let state: ServerState

        /// - Throws: `ReceiptError` where OpenSSL fails, and whatever is wrong with a file of tokens or certificates.
        public init(_ settings: ServerSettings) throws {
            var logger = Logger(label: "appreceipt") { StreamLogHandler.standardError(label: $0) }
            logger.logLevel = settings.logLevel
            state = try ServerState(settings, logger)
        }

        /// Serves until it is told to stop by SIGTERM or SIGINT.
        /// - Parameter listening: is told the address when it can be connected to.
        /// - Throws: where it cannot listen.
        public func run(listening: @escaping @Sendable (String) -> Void) throws {
            try MultiThreadedEventLoopGroup.singleton.any().makeFutureWithTask {
                try await serve(listening)
            }.wait()
        }

        private func serve(_ listening: @escaping @Sendable (String) -> Void) async throws {
            let group = MultiThreadedEventLoopGroup.singleton
            let dispatcher = Dispatcher(state: state)
            let channel = ServerChannel(
                responder: { request, writer, _ in try await dispatcher.respond(to: request, writer) },
                state: state, executors: EventLoopExecutors(group))
            let settings = state.settings
            let server = channel.server(
                configuration: ServerConfiguration(
                    address: .hostname(settings.host, port: settings.port), backlog: 4096,
                    availableConnectionsDelegate: MaximumAvailableConnections(settings.maximumConnections)),
                onServerRunning: { channel in
                    let scheme = state.certificates == nil ? "http" : "https"
                    let host = settings.host.contains(":") ? "[\(settings.host)]" : settings.host
                    listening("\(scheme)://\(host):\(channel.localAddress?.port ?? settings.port)")
                },
                eventLoopGroup: group, logger: state.logger)
            let services = ServiceGroup(
                configuration: ServiceGroupConfiguration(
                    services: [
                        .init(service: server), .init(service: Reloading(state: state)),
                        .init(service: LastRequests(state: state)),
                    ],
                    gracefulShutdownSignals: [.sigterm, .sigint], logger: state.logger))
            try await services.run()
            state.logger.info("stopped")
        }
    }
#endif
