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

        /// Keeps SIGHUP from ending the process before ``run(listening:)`` handles it, for example while files are read. Lets
        /// large bodies return their memory to the system.
        package static func prepare() {
            EarlyHangup.keep()
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
            let channel = ServerChannel(
                responder: { try await Dispatcher(state: state, channel: $2).respond(to: $0, $1) },
                state: state,
                executors: try await EventLoopExecutors(MultiThreadedEventLoopGroup.singleton))
            let settings = state.settings
            let scheme = state.certificates == nil ? "http" : "https"
            let server = Listener(setup: channel, state: state) { address in
                if let path = settings.unixSocket { return listening("\(scheme)+unix:\(path)") }
                let host = settings.host.contains(":") ? "[\(settings.host)]" : settings.host
                listening("\(scheme)://\(host):\(address?.port ?? settings.port)")
            }
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
            } catch SocketAddressError.unixDomainSocketPathTooLong {
                throw cannotListen("path too long")
            } catch let error as SettingsError {
                throw cannotListen(error.description)
            }
            state.logger.info("stopped")
        }

        private func cannotListen(_ reason: String) -> SettingsError {
            SettingsError("cannot listen on \(state.settings.address): \(reason)")
        }
    }
#endif
