#if Server
    public import AppReceipt
    public import Logging
    public import OfferEligibility
    public import ReceiptJSON
    import NIOCore

    /// What a server is told at its start.
    public struct ServerSettings: Sendable {
        /// The address that it listens on.
        public var host = "127.0.0.1"
        /// 0 takes a free one.
        public var port = 8080
        /// What `/verifyReceipt` stands in for; `/sandbox/verifyReceipt` is always the sandbox.
        public var environment = VerifyReceiptEndpoint.Environment.production
        /// The apps whose evidence is answered; nil answers for any app, an empty list for none.
        public var bundleIDs: [String]?
        /// The values of `appAppleId` that are accepted; nil where none is expected, an empty list accepts none.
        public var appAppleIDs: [Int64]?
        /// Whom to trust.
        public var anchors = TrustAnchors.apple
        /// The policy on SHA-1 signatures.
        public var sha1Signatures = SHA1Signatures.untilAppleStopped
        /// The limits on the cost of a receipt.
        public var limits = ReceiptLimits()
        /// What the rules leave to the business that asks.
        public var policies = OfferPolicies()
        /// What becomes of `latest_receipt_info`.
        public var latestReceiptInfo = VerifyReceiptEndpoint.LatestReceiptInfo.leftOut
        /// The file of the shared secret, whose content is in ``files``.
        public var sharedSecretFile: String?
        /// A file of bearer tokens, one a line: without one of them, nothing but health and the page is answered.
        public var tokens: String?
        /// Files in PEM: the chain, and its key.
        public var tls: (certificate: String, key: String)?
        /// Connections whose requests are worked on at a time.
        public var maximumConcurrent = 256
        /// Connections that are open at a time.
        public var maximumConnections = 16_384
        /// Seconds that a request's head may take.
        public var headerTimeout = 10
        /// Seconds without a byte.
        public var idleTimeout = 60
        /// Seconds between the signal to stop and the stop, for load balancers to notice that the server is not ready.
        public var drainTime = 0
        /// Seconds that requests may take to end when the server is stopped.
        public var shutdownTimeout = 30
        /// From which level on a line is logged.
        public var logLevel = Logger.Level.info
        /// The form of the log's lines.
        public var logFormat = LogFormat.text
        /// Whether each request is logged, whatever ``logLevel`` is.
        public var isAccessLogged = false
        /// The proxies whose X-Forwarded-For is logged.
        var trustedProxies = TrustedProxies()
        /// Reads the files that SIGHUP reads again, except for certificate and key.
        public var files: @Sendable () throws -> ServerFiles = { ServerFiles() }

        /// What everybody gets who says nothing.
        public init() {}

        /// Takes the settings, without the content of the files that they name.
        /// - Throws: ``SettingsError`` where settings contradict each other, or it would listen openly.
        public init(_ given: SettingsReader) throws(SettingsError) {
            host = given.text("host") ?? host
            port = given.number("port") ?? port
            environment = given.text("environment") == "sandbox" ? .sandbox : .production
            let apps = given.list("bundle-id")
            guard let audience = ReceiptAudience(bundleIDs: apps, .anyEnvironment) else {
                throw SettingsError(
                    "--bundle-id: 'any' cannot be combined with other bundle IDs", isUsage: true)
            }
            bundleIDs = apps.isEmpty ? nil : audience.bundleIDs
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
            guard isLoopback || tokens != nil || tls != nil || given.flag("insecure") else {
                throw SettingsError(
                    "--host \(host): open to the network without authentication or encryption; use --tokens FILE or "
                        + "--tls-certificate FILE --tls-key FILE, or --insecure", isUsage: true)
            }
        }

        /// Returns what writes the lines of a start, which are written whatever ``logLevel`` is.
        /// - Parameter text: writes a line for people.
        public static func startLog(
            _ given: SettingsReader, text: @escaping @Sendable (String) -> Void
        ) -> @Sendable (String) -> Void {
            guard given.text("log-format") == LogFormat.json.rawValue else { return text }
            let logger = Logger(label: "appreceipt") { _ in LineLog(.json, .info) }
            return { logger.info("\($0)") }
        }

        /// The apps that are answered, in these environments.
        func audience(_ environments: ReceiptAudience.Environments) -> ReceiptAudience {
            let audience = bundleIDs.map { ReceiptAudience.apps($0, environments) } ?? .anyApp(environments)
            return appAppleIDs.map { audience.expecting(appAppleIDs: $0) } ?? audience
        }

        var connection: ConnectionLimits {
            ConnectionLimits(header: .seconds(Int64(headerTimeout)), idle: .seconds(Int64(idleTimeout)))
        }

        /// Whether nobody but this machine can connect.
        public var isLoopback: Bool {
            let isIPv4 = host.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
            return host == "localhost" || host == "::1" || (isIPv4 && host.hasPrefix("127."))
        }
    }

    /// How patient a connection is.
    struct ConnectionLimits: Sendable {
        /// For the head of a request, and the first of its body.
        let header: TimeAmount
        /// For the next byte.
        let idle: TimeAmount
        /// For what a peer still sends to whom the last answer was given, and for what was on its way when the server began to
        /// stop.
        let lingering = TimeAmount.seconds(2)
        /// Bytes of a body that must come in the time for a head, of a stream in the time for silence.
        func leastBytes(isStream: Bool) -> Int64 {
            isStream ? 4096 : 4096 * (header.nanoseconds / 1_000_000_000)
        }

        var shortest: TimeAmount { min(header, idle) }
    }
#endif
