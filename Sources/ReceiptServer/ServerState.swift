#if Server
    import AppReceipt
    import Logging
    import OfferEligibility
    import ReceiptExamination
    import ReceiptServices
    import Synchronization

    /// The state that all connections share.
    final class ServerState: Sendable {
        let settings: ServerSettings
        let verifier: ReceiptVerifier
        private let files: Mutex<ServedFiles>
        let admission: Admission
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
            let verifier = try ReceiptVerifier(
                anchors: settings.anchors, limits: settings.limits, sha1Signatures: settings.sha1Signatures)
            self.verifier = verifier
            files = Mutex(try ServedFiles(settings, verifier))
            admission = Admission(
                limit: settings.maximumConcurrent,
                connections: OpenFiles.room(forConnections: settings.maximumConnections, logger))
            warn()
        }

        private var served: ServedFiles { files.withLock { $0 } }

        var production: VerifyReceiptEndpoint { served.production }
        var sandbox: VerifyReceiptEndpoint { served.sandbox }
        var tokens: Tokens? { served.tokens }
        var certificates: TLSCertificates? { served.certificates }

        /// Returns the endpoint that evaluates one customer's offers, under a verification policy.
        func eligibility(_ policy: VerificationPolicy) -> EligibilityEndpoint {
            var endpoint = EligibilityEndpoint(verifier, policy: policy)
            (endpoint.catalog, endpoint.policies) = (served.catalog, settings.policies)
            return endpoint
        }

        /// Returns the eligibility question for each record of a batch, or nil if the server has no catalog.
        func question() -> EligibilityQuestion? {
            served.catalog.map {
                EligibilityQuestion(
                    rules: OfferRules(catalog: $0, policies: settings.policies), asOf: .clock(clock.now))
            }
        }

        /// Reads the tokens, shared secret, catalogs, certificate and key again. If one of them is invalid, keeps all
        /// earlier ones.
        func reload() {
            do {
                let new = try ServedFiles(settings, verifier)
                files.withLock { $0 = new }
                metrics.countReload(isDone: true)
                logger.notice("SIGHUP: reloaded all files")
                warn()
            } catch {
                metrics.countReload(isDone: false)
                logger.error("SIGHUP: reload failed, all files unchanged: \(error)")
            }
        }

        /// Logs a warning for each setting that exposes secrets: a world-readable file, or an unencrypted connection.
        private func warn() {
            let secrets = [
                ("tokens", settings.tokens), ("shared-secret-file", settings.sharedSecretFile),
                ("tls-key", settings.tls?.key),
            ]
            for case (let name, let path?) in secrets where SecretFile.isWorldReadable(path) {
                logger.warning("--\(name) \(path): readable by every user of this machine; run chmod o-r")
            }
            guard settings.tls == nil, !settings.isLoopback,
                settings.tokens != nil || settings.sharedSecretFile != nil
            else { return }
            logger.warning(
                "--host \(settings.host): tokens and shared secrets arrive unencrypted; use --tls-certificate and --tls-key, or a TLS proxy"
            )
        }
    }
#endif
