#if Server
    import NIOCore
    import NIOSSL

    /// The certificate and the key for new connections.
    struct TLSCertificates: Sendable {
        let context: NIOSSLContext

        /// The cipher suites of TLS 1.2 with forward secrecy: a stolen key does not decrypt recorded traffic. All suites of
        /// TLS 1.3 have it.
        private static let forwardSecret: [NIOTLSCipher] = [
            .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
            .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
            .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
        ]

        /// Reads the certificate and the key.
        /// - Parameter files: PEM files: the server's certificate with its intermediates, and its key.
        init(_ files: (certificate: String, key: String)) throws {
            do {
                let chain = try NIOSSLCertificate.fromPEMFile(files.certificate).map {
                    NIOSSLCertificateSource.certificate($0)
                }
                guard !chain.isEmpty else { throw SettingsError("contains no certificate") }
                let key = try NIOSSLPrivateKey(file: files.key, format: .pem)
                var configuration = TLSConfiguration.makeServerConfiguration(
                    certificateChain: chain, privateKey: .privateKey(key))
                configuration.minimumTLSVersion = .tlsv12
                configuration.applicationProtocols = ["http/1.1"]
                configuration.cipherSuiteValues = Self.forwardSecret
                // Before the server ends a connection, it has already waited for the client.
                configuration.shutdownTimeout = .seconds(1)
                context = try NIOSSLContext(configuration: configuration)
            } catch {
                throw SettingsError(
                    "\(files.certificate), \(files.key): not a certificate and its key in PEM: \(error)")
            }
        }
    }
#endif
