#if Server
    import HummingbirdCore
    import Logging
    import NIOCore
    import NIOExtras
    import NIOPosix
    import ServiceLifecycle
    import SystemLibrary

    /// The service that accepts connections and runs their requests. Hummingbird's own cannot use an inherited socket.
    struct Listener: Service {
        let setup: ServerChannel
        let state: ServerState
        /// A function that receives the server's address when the server accepts connections.
        let listening: @Sendable (SocketAddress?) async -> Void

        /// The number of connections that wait until the server accepts them.
        private static let backlog: CInt = 4096
        /// The number of connections that the server accepts at a time. Between two times, all others have a turn.
        private static let accepted = UInt(256)

        func run() async throws {
            let group = MultiThreadedEventLoopGroup.singleton
            let quiescing = ServerQuiescingHelper(group: group)
            let logger = state.logger
            let bootstrap = ServerBootstrap(group: group)
                .serverChannelOption(.backlog, value: Self.backlog)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .serverChannelOption(.maxMessagesPerRead, value: Self.accepted)
                .childChannelOption(.allowRemoteHalfClosure, value: true)
                .serverChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let pipeline = channel.pipeline.syncOperations
                        try pipeline.addHandler(AcceptPause(logger))
                        try pipeline.addHandler(quiescing.makeServerChannelHandler(channel: channel))
                    }
                }
            let unixSocket = try await unixSocket()
            let accepted = try await bind(bootstrap, unixSocket?.descriptor)
            await withGracefulShutdownHandler {
                await listening(accepted.channel.localAddress)
                await withDiscardingTaskGroup { connections in
                    do {
                        try await accepted.executeThenClose { inbound in
                            for try await connection in inbound {
                                connections.addTask { await setup.handle(value: connection, logger: logger) }
                            }
                        }
                    } catch {
                        logger.error("accepting no more connections: \(error)")
                    }
                }
            } onGracefulShutdown: {
                unixSocket?.removeFile()
                quiescing.initiateShutdown(promise: nil)
            }
        }

        /// Creates the Unix socket of the settings. Returns nil without one.
        private func unixSocket() async throws -> UnixSocket? {
            guard state.settings.inherited == nil, let path = state.settings.unixSocket else { return nil }
            guard await !isServed(path) else { throw SettingsError("in use by another server") }
            return try UnixSocket(path: path, backlog: Self.backlog)
        }

        private func bind(
            _ bootstrap: ServerBootstrap, _ unixSocket: CInt?
        ) async throws -> NIOAsyncChannel<ServerChannel.Value, Never> {
            let settings = state.settings
            let logger = state.logger
            guard let descriptor = settings.inherited?.descriptor ?? unixSocket else {
                return try await bootstrap.bind(host: settings.host, port: settings.port) {
                    setup.setup(channel: $0, logger: logger)
                }
            }
            let accepted = try await bootstrap.bind(descriptor) { setup.setup(channel: $0, logger: logger) }
            // NIO ignores its option for the backlog of a socket that it did not create.
            _ = listen(descriptor, Self.backlog)
            return accepted
        }

        /// Returns whether a socket file may belong to a running process. A file that refuses connections does not,
        /// and is replaced. A busy process has no room for a connection, and another user's gives no permission.
        private func isServed(_ path: String) async -> Bool {
            do {
                let connection = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                    .connect(unixDomainSocketPath: path).get()
                try? await connection.close()
                return true
            } catch {
                guard let error = error as? IOError else { return false }
                return error.errnoCode != ECONNREFUSED && error.errnoCode != ENOENT
            }
        }
    }
#endif
