#if Server
    import HummingbirdCore
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

    /// Answers over HTTP what the library answers in a process.
    public struct ReceiptServer: Sendable {
        private let state: ServerState

        /// Keeps SIGHUP from ending the process while files are read and before ``run(listening:)`` waits for it.
        public static func prepare() { EarlyHangup.keep() }

        /// - Throws: `ReceiptError` where OpenSSL fails, and whatever is wrong with a file that SIGHUP reads again.
        public init(_ settings: ServerSettings) throws {
            let logger = Logger(label: "appreceipt") { _ in LineLog(settings.logFormat, settings.logLevel) }
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
                responder: { try await dispatcher.respond(to: $0, $1, on: $2) },
                state: state, executors: EventLoopExecutors(group))
            let settings = state.settings
            let server = channel.server(
                configuration: ServerConfiguration(
                    address: .hostname(settings.host, port: settings.port), backlog: 4096),
                onServerRunning: { [logger = state.logger] channel in
                    try? await channel.eventLoop.submit {
                        try channel.pipeline.syncOperations.addHandler(AcceptPause(logger), position: .first)
                    }.get()
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
            do {
                try await services.run()
            } catch let error as IOError {
                throw cannotListen(unsafe String(cString: strerror(error.errnoCode)))
            } catch is SocketAddressError.UnknownHost {
                throw cannotListen("no such host")
            }
            state.logger.info("stopped")
        }

        private func cannotListen(_ reason: String) -> SettingsError {
            SettingsError("cannot listen on \(state.settings.host):\(state.settings.port): \(reason)")
        }
    }
#endif
