#if Server
    import NIOCore
    import NIOPosix
    import NIOSSL

    /// A health check of the server that another process runs with the same settings, for containers without a shell.
    package enum HealthCheck {
        private static let patience = TimeAmount.seconds(5)
        private static let request =
            "GET /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"

        /// Those of every key that the server takes. NIOSSL's client does not offer Ed25519 and P-521 by default.
        private static let allAlgorithms: [SignatureAlgorithm] = [
            .ed25519, .ecdsaSecp256R1Sha256, .ecdsaSecp384R1Sha384, .ecdsaSecp521R1Sha512, .rsaPssRsaeSha256,
            .rsaPssRsaeSha384, .rsaPssRsaeSha512, .rsaPkcs1Sha256, .rsaPkcs1Sha384, .rsaPkcs1Sha512,
        ]

        /// Returns whether the server answers `/health/live` with 200.
        /// - Throws: ``SettingsError`` if the settings name no fixed address.
        package static func isHealthy(_ settings: ServerSettings) throws -> Bool {
            let address = settings.healthAddress ?? settings.address
            if case .port(0, _) = address {
                throw SettingsError("--check-health: needs a --port other than 0", isUsage: true)
            }
            return try MultiThreadedEventLoopGroup.singleton.any().makeFutureWithTask {
                await (try? answer(address, settings))?.hasPrefix("HTTP/1.1 200 ") == true
            }.wait()
        }

        /// Returns the beginning of the answer.
        private static func answer(_ address: ListeningAddress, _ settings: ServerSettings) async throws
            -> String
        {
            let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connectTimeout(
                patience)
            let isEncrypted = settings.tls != nil
            let initialize:
                @Sendable (any Channel) -> EventLoopFuture<NIOAsyncChannel<ByteBuffer, ByteBuffer>> = {
                    channel in
                    channel.eventLoop.makeCompletedFuture {
                        channel.eventLoop.assumeIsolated().scheduleTask(in: patience) {
                            channel.close(promise: nil)
                        }
                        if isEncrypted {
                            // The address is this machine's own, and the answer is not secret.
                            var configuration = TLSConfiguration.makeClientConfiguration()
                            configuration.certificateVerification = .none
                            configuration.verifySignatureAlgorithms = allAlgorithms
                            let context = try NIOSSLContext(configuration: configuration)
                            try channel.pipeline.syncOperations.addHandler(
                                NIOSSLClientHandler(context: context, serverHostname: nil))
                        }
                        return try NIOAsyncChannel(wrappingChannelSynchronously: channel)
                    }
                }
            let connection =
                switch address {
                case .inherited(let socket):
                    try await bootstrap.connect(to: socket.address, channelInitializer: initialize)
                case .unixSocket(let path):
                    try await bootstrap.connect(unixDomainSocketPath: path, channelInitializer: initialize)
                case .port(let port, let host):
                    try await bootstrap.connect(
                        host: local(host), port: port, channelInitializer: initialize)
                }
            return try await connection.executeThenClose { inbound, outbound in
                try await outbound.write(ByteBuffer(string: request))
                var answer = ByteBuffer()
                for try await var part in inbound where answer.readableBytes < 16 {
                    answer.writeBuffer(&part)
                }
                return String(buffer: answer)
            }
        }

        /// Returns an address of this machine for a server that listens on all addresses.
        private static func local(_ host: String) -> String {
            switch host {
            case "0.0.0.0": "127.0.0.1"
            case "::": "::1"
            default: host
            }
        }
    }
#endif
