#if Server
    import HummingbirdCore
    import Logging
    import NIOCore
    import NIOExtras
    import NIOPosix
    import ServiceLifecycle
    import SystemLibrary

    /// A service that accepts connections and runs their requests. Hummingbird's own cannot use an inherited socket.
    struct Listener: Service {
        let setup: ServerChannel
        let address: ListeningAddress
        let group: MultiThreadedEventLoopGroup
        let logger: Logger
        /// A function that receives the server's address when the server accepts connections.
        let listening: @Sendable (SocketAddress?) async -> Void

        /// The number of connections that wait until the server accepts them.
        private static let backlog: CInt = 4096
        /// The number of connections that the server accepts at a time. Between two times, all others have a turn.
        static let accepted = UInt(64)

        func run() async throws {
            let quiescing = ServerQuiescingHelper(group: group)
            let (logger, connections) = (logger, setup.connections)
            let bootstrap = ServerBootstrap(group: group)
                .serverChannelOption(.backlog, value: Self.backlog)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .serverChannelOption(.maxMessagesPerRead, value: Self.accepted)
                .childChannelOption(.allowRemoteHalfClosure, value: true)
                .serverChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let pipeline = channel.pipeline.syncOperations
                        try pipeline.addHandler(AcceptPause(connections, logger))
                        try pipeline.addHandler(quiescing.makeServerChannelHandler(channel: channel))
                    }
                }
            let (accepted, unixSocket) = try await bind(bootstrap)
            try await withGracefulShutdownHandler {
                await listening(accepted.channel.localAddress)
                // Swift's own threads may be busy.
                try await withTaskExecutorPreference(setup.executors[accepted.channel.eventLoop]) {
                    try await run(accepted)
                }
            } onGracefulShutdown: {
                unixSocket?.removeFile()
                quiescing.initiateShutdown(promise: nil)
                connections.closeBeyond()
            }
        }

        /// Runs the requests of all connections.
        /// - Throws: ``SettingsError`` if the socket failed. Ends the open connections, because a server that accepts no others
        ///   should be started again.
        private func run(_ accepted: NIOAsyncChannel<ServerChannel.Value, Never>) async throws {
            try await withThrowingDiscardingTaskGroup { connections in
                do {
                    try await accepted.executeThenClose { inbound in
                        for try await connection in inbound {
                            connections.addTask { await setup.handle(value: connection, logger: logger) }
                        }
                    }
                } catch is CancellationError {
                    // Another service failed, and its error ends the server.
                } catch {
                    logger.error("accepting no more connections: \(error)")
                }
                if Task.isCancelled || Task.isShuttingDownGracefully { return }
                throw SettingsError("stopped listening on \(address)")
            }
        }

        /// Begins to listen.
        /// - Returns: The accepted connections, and the Unix socket that was created, if any.
        /// - Throws: ``SettingsError`` if the address is not available.
        private func bind(
            _ bootstrap: ServerBootstrap
        ) async throws -> (NIOAsyncChannel<ServerChannel.Value, Never>, UnixSocket?) {
            do {
                switch address {
                case .inherited(let socket):
                    return (try await bind(bootstrap, socket.descriptor), nil)
                case .unixSocket(let path):
                    guard await !isServed(path) else { throw SettingsError("in use by another server") }
                    let unixSocket = try UnixSocket(path: path, backlog: Self.backlog)
                    return (try await bind(bootstrap, unixSocket.descriptor), unixSocket)
                case .port(let port, let host):
                    return (
                        try await bootstrap.bind(host: host, port: port) {
                            setup.setup(channel: $0, logger: logger)
                        }, nil
                    )
                }
            } catch let error as IOError {
                throw cannotListen(unsafe String(cString: strerror(error.errnoCode)))
            } catch is SocketAddressError.UnknownHost {
                throw cannotListen("no such host")
            } catch let error as SettingsError {
                throw cannotListen(error.description)
            }
        }

        private func cannotListen(_ reason: String) -> SettingsError {
            SettingsError("cannot listen on \(address): \(reason)")
        }

        private func bind(
            _ bootstrap: ServerBootstrap, _ descriptor: CInt
        ) async throws -> NIOAsyncChannel<ServerChannel.Value, Never> {
            let accepted = try await bootstrap.bind(descriptor) { setup.setup(channel: $0, logger: logger) }
            // NIO ignores its option for the backlog of a socket that it did not create.
            _ = listen(descriptor, Self.backlog)
            return accepted
        }

        /// Returns whether a socket file may belong to a running process. A file that refuses connections does not,
        /// and is replaced. A busy process has no room for a connection, and another user's gives no permission.
        private func isServed(_ path: String) async -> Bool {
            do {
                let connection = try await ClientBootstrap(group: group)
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
