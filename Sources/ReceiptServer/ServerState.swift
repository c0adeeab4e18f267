#if Server
    import AppReceipt
    import Logging
    import Synchronization
    import SystemLibrary

    /// The state that all connections share.
    final class ServerState: Sendable {
        let settings: ServerSettings
        private let files: Mutex<ServedFiles>
        let admission: Admission
        /// The connections of clients.
        let connections: OpenConnections
        /// The limit for bodies and answers.
        let budget = ByteBudget(256 << 20)
        /// The limit for incomplete heads, and for requests that wait for earlier ones.
        let inputBudget = ByteBudget(64 << 20, free: 4 << 10)
        let metrics = ServerMetrics()
        let requestIDs = RequestIDs()
        let clock = ServerClock()
        let logger: Logger
        let accessLogger: Logger
        /// The level of the access log.
        let accessLevel: Logger.Level

        /// Whether requests are logged.
        var isAccessLogged: Bool { accessLogger.logLevel <= accessLevel }

        init(_ settings: ServerSettings, _ logger: Logger) throws {
            self.settings = settings
            self.logger = logger
            accessLevel = settings.isAccessLogged ? .info : .debug
            var accessLogger = logger
            if settings.isAccessLogged { accessLogger.logLevel = min(.info, logger.logLevel) }
            self.accessLogger = accessLogger
            files = Mutex(try ServedFiles(settings))
            admission = Admission(limit: settings.maximumConcurrent)
            connections = OpenConnections(
                limit: OpenFiles.room(forConnections: settings.maximumConnections, logger))
            warn()
        }

        /// The values of the last reading of the files.
        var served: ServedFiles { files.withLock { $0 } }

        var tokens: Tokens? { served.tokens }
        var certificates: TLSCertificates? { served.certificates }

        /// Reads the tokens, shared secret, catalogs, revocation lists, distrust list, certificate and key again. If one of them
        /// is invalid, keeps all earlier ones.
        func reload() {
            do {
                let new = try ServedFiles(settings, after: served)
                guard new.unusableLists.isEmpty else {
                    throw SettingsError(new.unusableLists.joined(separator: "; "))
                }
                files.withLock { $0 = new }
                metrics.countReload(isDone: true)
                logger.notice("SIGHUP: reloaded all files")
                warn()
            } catch {
                metrics.countReload(isDone: false)
                logger.error("SIGHUP: reload failed, all files unchanged: \(error)")
            }
        }

        /// Logs an error for each revocation list that cannot be used, and the warnings about files. Warns of settings that expose
        /// secrets (world-readable files, unencrypted connections) or that refuse all sandbox receipts.
        private func warn() {
            for list in served.unusableLists { logger.error("\(list)") }
            for warning in served.warnings { logger.warning("\(warning)") }
            if settings.appAppleIDs != nil, settings.bundleIDs == nil {
                logger.warning(
                    "--app-apple-id without --bundle-id: refuses sandbox receipts (21003) and signed transactions, which have no such number; add --bundle-id"
                )
            }
            let secrets = [
                ("tokens", settings.tokens), ("shared-secret-file", settings.sharedSecretFile),
                ("tls-key", settings.tls?.key),
            ]
            for case (let name, let path?) in secrets where Self.isWorldReadable(path) {
                logger.warning("--\(name) \(path): readable by every user of this machine; run chmod o-r")
            }
            guard settings.tls == nil, !settings.isLoopback,
                settings.tokens != nil || settings.sharedSecretFile != nil
            else { return }
            logger.warning(
                "--host \(settings.host): tokens and shared secrets arrive unencrypted; use --tls-certificate and --tls-key, or a TLS proxy"
            )
        }

        /// Returns whether every user of the machine may read a file. Returns false if the file's status is unknown.
        private static func isWorldReadable(_ path: String) -> Bool {
            var status = stat()
            return unsafe stat(path, &status) == 0 && status.st_mode & S_IROTH != 0
        }
    }
#endif
