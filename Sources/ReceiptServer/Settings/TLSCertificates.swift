#if Server
    import NIOSSL
    import Synchronization

    /// The certificate and the key that connections are encrypted with.
    final class TLSCertificates: Sendable {
        private let files: (certificate: String, key: String)
        private let current: Mutex<NIOSSLContext>

        /// - Parameter files: in PEM: the server's certificate with those above it, and its key.
        init(_ files: (certificate: String, key: String)) throws {
            self.files = files
            current = Mutex(try Self.context(files))
        }

        /// What new connections take.
        var context: NIOSSLContext { current.withLock { $0 } }

        /// Reads the files again; connections that are open keep what they have.
        /// - Throws: what is wrong with them; new connections go on with the old ones.
        func reload() throws {
            let new = try Self.context(files)
            current.withLock { $0 = new }
        }

        private static func context(_ files: (certificate: String, key: String)) throws -> NIOSSLContext {
            do {
                let chain = try NIOSSLCertificate.fromPEMFile(files.certificate).map {
                    NIOSSLCertificateSource.certificate($0)
                }
                guard !chain.isEmpty else { throw SettingsError("holds no certificate") }
                let key = try NIOSSLPrivateKey(file: files.key, format: .pem)
                var configuration = TLSConfiguration.makeServerConfiguration(
                    certificateChain: chain, privateKey: .privateKey(key))
                configuration.minimumTLSVersion = .tlsv12
                configuration.applicationProtocols = ["http/1.1"]
                return try NIOSSLContext(configuration: configuration)
            } catch {
                throw SettingsError(
                    "\(files.certificate), \(files.key): not a certificate and its key in PEM: \(error)")
            }
        }
    }
#endif
