#if Server
    package import AppReceipt
    package import Logging
    package import OfferEligibility
    import ReceiptExamination
    import NIOCore
    package import ReceiptServices

    /// The settings of a server.
    package struct ServerSettings: Sendable {
        /// The address that the server listens on.
        package var host = "127.0.0.1"
        /// The port that the server listens on; 0 selects a free one.
        package var port = 8080
        /// The port for health checks and metrics only, with an event loop of its own, or nil.
        package var healthPort: Int?
        /// The path of the Unix socket that the server listens on instead, or nil.
        package var unixSocket: String?
        /// The listening socket that systemd passes, or nil.
        var inherited: InheritedSocket?
        /// The environment of `/verifyReceipt`. `/sandbox/verifyReceipt` always has the sandbox.
        package var environment = VerifyReceiptEndpoint.Environment.production
        /// The bundle IDs of the expected apps. Nil accepts any app, an empty list none.
        package var bundleIDs: [String]?
        /// The accepted values of `appAppleId`. Nil accepts any value, an empty list none.
        package var appAppleIDs: [Int64]?
        /// The trust anchors.
        package var anchors = TrustAnchors.apple
        /// The policy on SHA-1 signatures.
        package var sha1Signatures = SHA1Signatures.untilAppleStopped
        /// The limits on the cost of a receipt.
        package var limits = ReceiptLimits()
        /// The policies of the offer rules that the business chooses.
        package var policies = OfferPolicies()
        /// The content of `latest_receipt_info`.
        package var latestReceiptInfo = VerifyReceiptEndpoint.LatestReceiptInfo.leftOut
        /// The path of the shared secret's file. ``files`` returns its content.
        package var sharedSecretFile: String?
        /// The path of a file with one bearer token a line. With it, only health checks and the page need no token.
        package var tokens: String?
        /// The PEM files of the certificate chain and its key.
        package var tls: (certificate: String, key: String)?
        /// The maximum number of connections with a request in progress.
        package var maximumConcurrent = 256
        /// The maximum number of open connections.
        package var maximumConnections = 16_384
        /// The timeout for a request's head, in seconds.
        package var headerTimeout = 10
        /// The timeout for an idle connection, in seconds.
        package var idleTimeout = 60
        /// The seconds between the signal and the stop. They let load balancers notice that the server is not ready.
        package var drainTime = 0
        /// The timeout for the remaining requests when the server stops, in seconds.
        package var shutdownTimeout = 30
        /// The lowest level of the lines that are logged.
        package var logLevel = Logger.Level.info
        /// The format of the log's lines.
        package var logFormat = LogFormat.text
        /// Whether each request is logged, independent of ``logLevel``.
        package var isAccessLogged = false
        /// The proxies whose X-Forwarded-For determines the logged address.
        var trustedProxies = TrustedProxies()
        /// A function that reads the files that SIGHUP reads again, except for certificate and key.
        package var files: @Sendable () throws -> ServerFiles = { ServerFiles() }

        /// Creates the default settings.
        package init() {}

        /// Creates settings without the content of their files.
        /// - Parameters:
        ///   - inherited: A listening socket, which replaces host, port and Unix socket.
        ///   - isClient: Whether the process connects to the server, and does not listen itself.
        /// - Throws: ``SettingsError`` if settings contradict each other, or if other machines could connect without tokens
        ///   or encryption.
        package init(
            _ given: SettingsReader, inherited: InheritedSocket? = nil, isClient: Bool = false
        ) throws(SettingsError) {
            host = given.text("host") ?? host
            port = given.number("port") ?? port
            healthPort = given.number("health-port")
            unixSocket = given.text("unix-socket")
            if unixSocket != nil && (given.text("host") ?? given.number("port").map(String.init)) != nil {
                throw SettingsError(
                    "--unix-socket: cannot be combined with --host or --port", isUsage: true)
            }
            if let unixSocket, inherited == nil, (try? SocketAddress(unixDomainSocketPath: unixSocket)) == nil
            {
                throw SettingsError(
                    "--unix-socket: path too long: \(unixSocket.utf8.count) bytes, at most 103 allowed")
            }
            if let healthPort, inherited == nil, unixSocket == nil, healthPort == port {
                throw SettingsError(
                    "--health-port: \(healthPort) is the port of --port; use another one", isUsage: true)
            }
            if let inherited { listen(on: inherited) }
            environment = given.text("environment") == "sandbox" ? .sandbox : .production
            let apps = given.list("bundle-id")
            if let wrong = apps.first(where: { $0.contains { ",\"'".contains($0) || $0.isWhitespace } }) {
                throw SettingsError(
                    "--bundle-id: '\(wrong)' contains a comma, a quote or a blank; give the option once for each app",
                    isUsage: true)
            }
            guard let policy = VerificationPolicy(bundleIDs: apps, .anyEnvironment) else {
                throw SettingsError(
                    "--bundle-id: 'any' cannot be combined with other bundle IDs", isUsage: true)
            }
            bundleIDs = apps.isEmpty ? nil : policy.bundleIDs
            sha1Signatures =
                given.text(SHA1Signatures.setting).flatMap { .init(rawValue: $0) } ?? sha1Signatures
            for setting in LimitSetting.all {
                if let value = given.number(setting.name) { limits[keyPath: setting.limit] = value }
            }
            let numbers = given.list("app-apple-id")
            appAppleIDs = numbers.isEmpty ? nil : []
            for number in numbers {
                guard let id = Int64(number), id > 0 else {
                    throw SettingsError(
                        "--app-apple-id: '\(number)' is not a whole number from 1 to 9223372036854775807",
                        isUsage: true)
                }
                appAppleIDs?.append(id)
            }
            policies = OfferPolicies(
                refunds: given.text("refunds").flatMap { .init(rawValue: $0) } ?? .block,
                staleEvidence: given.text("stale-evidence").flatMap { .init(rawValue: $0) } ?? .accept,
                partialEvidence: given.text("partial-evidence").flatMap { .init(rawValue: $0) } ?? .accept,
                promotionalScope: given.text("promotional-scope").flatMap { .init(rawValue: $0) } ?? .group)
            latestReceiptInfo = given.text("latest") == nil ? .leftOut : .asOfReceipt
            tokens = given.text("tokens")
            sharedSecretFile = given.text("shared-secret-file")
            switch (given.text("tls-certificate"), given.text("tls-key")) {
            case (let certificate?, let key?): tls = (certificate, key)
            case (nil, nil): break
            default:
                throw SettingsError("--tls-certificate, --tls-key: give both or neither", isUsage: true)
            }
            maximumConcurrent = given.number("max-concurrent") ?? maximumConcurrent
            maximumConnections = given.number("max-connections") ?? maximumConnections
            headerTimeout = given.number("header-timeout") ?? headerTimeout
            idleTimeout = given.number("idle-timeout") ?? idleTimeout
            drainTime = given.number("drain-time") ?? drainTime
            shutdownTimeout = given.number("shutdown-timeout") ?? shutdownTimeout
            logLevel = given.text("log-level").flatMap { Logger.Level(rawValue: $0) } ?? logLevel
            logFormat = given.text("log-format").flatMap { LogFormat(rawValue: $0) } ?? logFormat
            isAccessLogged = given.flag("access-log")
            trustedProxies = TrustedProxies(
                try given.list("trusted-proxy").map { text throws(SettingsError) in
                    if let range = AddressRange(text) { return range }
                    throw SettingsError(
                        "--trusted-proxy: '\(text)' is not an IP address or a range like 10.0.0.0/8",
                        isUsage: true)
                })
            guard isClient || isLoopback || tokens != nil || tls != nil || given.flag("insecure") else {
                throw SettingsError(
                    "--host \(host): open to the network without authentication or encryption; use --tokens FILE or "
                        + "--tls-certificate FILE --tls-key FILE, or --insecure", isUsage: true)
            }
        }

        /// Replaces the address with that of an inherited socket.
        private mutating func listen(on socket: InheritedSocket) {
            inherited = socket
            unixSocket = socket.address.pathname
            host = socket.address.ipAddress ?? Self().host
            port = socket.address.port ?? port
        }

        var address: ListeningAddress {
            if let inherited { return .inherited(inherited) }
            return unixSocket.map { .unixSocket($0) } ?? .port(port, host: host)
        }

        var healthAddress: ListeningAddress? { healthPort.map { .port($0, host: host) } }

        /// Returns a function that logs startup messages, independent of ``logLevel``.
        /// - Parameter text: Writes a line in the format for people.
        package static func startLog(
            _ given: SettingsReader, text: @escaping @Sendable (String) -> Void
        ) -> @Sendable (String) -> Void {
            guard given.text("log-format") == LogFormat.json.rawValue else { return text }
            let logger = Logger(label: "appreceipt") { _ in LineLog(.json, .info) }
            return { logger.info("\($0)") }
        }

        /// Returns the expected apps, with these environments.
        func policy(_ environments: VerificationPolicy.Environments) -> VerificationPolicy {
            let policy = bundleIDs.map { VerificationPolicy.apps($0, environments) } ?? .anyApp(environments)
            return appAppleIDs.map { policy.expecting(appAppleIDs: $0) } ?? policy
        }

        var connection: ConnectionLimits {
            ConnectionLimits(header: .seconds(Int64(headerTimeout)), idle: .seconds(Int64(idleTimeout)))
        }

        /// Whether only this machine can connect.
        package var isLoopback: Bool {
            let isIPv4 = host.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
            return unixSocket != nil || host == "localhost" || host == "::1"
                || (isIPv4 && host.hasPrefix("127."))
        }
    }
#endif
