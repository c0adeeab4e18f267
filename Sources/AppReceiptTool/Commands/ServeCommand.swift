import ReceiptCommands

#if Server
    import AppReceipt
    import ArgumentParser
    import Foundation
    import OfferEligibility
    import ReceiptAudit
    import ReceiptExamination
    import ReceiptServer
    import ReceiptServices
    import RecordSources

    struct ServeCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "serve",
            abstract: "Serve Apple's verifyReceipt and more over HTTP.",
            discussion: """
                Example: appreceipt serve --bundle-id com.example.app --catalog Store.storekit

                POST /verifyReceipt and /sandbox/verifyReceipt answer as Apple's deprecated service did, from signed data \
                alone. POST /v1/verify, /v1/eligibility and /v1/batch answer as the commands verify, eligibility --merge and \
                audit. GET / is a page for people, /openapi.yaml describes the API, and /health/live, /health/ready and \
                /metrics are for monitoring.

                Options can also be set in the environment (--max-concurrent as APPRECEIPT_MAX_CONCURRENT) and in the --config \
                file. SIGHUP reloads tokens, certificates, the shared secret, catalogs, revocation lists and the distrust list. SIGTERM and SIGINT finish the \
                requests in progress and stop the server. A socket that systemd passes replaces the address.

                Exit status: 0 stopped, or the check passed; 1 --check-health failed; 2 a file could not be read or the \
                address is not available; 64 wrong usage.
                """)

        @Option(help: ArgumentHelp("Listen on this address; the default is 127.0.0.1.", valueName: "address"))
        var host: String?

        @Option(help: "Listen on this port; the default is 8080, and 0 picks a free port.")
        var port: String?

        @Option(help: "Answer health checks and metrics, and nothing else, also on this port.")
        var healthPort: String?

        @Option(
            help: ArgumentHelp(
                "Listen on this Unix socket instead of an address and port.", valueName: "path"))
        var unixSocket: String?

        @Option(help: "Answer /verifyReceipt for this environment: production (the default) or sandbox.")
        var environment: String?

        @Option(
            name: .customLong("bundle-id"),
            help: ArgumentHelp(
                "Refuse receipts of other apps; the default, any, accepts all. May be repeated.",
                valueName: "id"))
        var bundleIDs: [String] = []

        @Option(
            name: .customLong("app-apple-id"),
            help: ArgumentHelp(
                "Refuse objects that name another appAppleId, the app's number in the App Store. May be repeated.",
                valueName: "number"))
        var appAppleIDs: [String] = []

        @OptionGroup var groups: CatalogOptions

        @Flag(help: SharedHelp.singleGroup)
        var singleGroup = false

        @Option(
            help: .file(
                "Read options from this JSON object; the command line and the environment override it."))
        var config: String?

        @Option(help: SharedHelp.root)
        var root: String?

        @Option(
            name: .customLong("storekit-test-root"),
            help: SharedHelp.storeKitTestRoot)
        var storeKitTestRoots: [String] = []

        @Option(name: .customLong("crl"), help: SharedHelp.revocationLists)
        var lists: [String] = []

        @Option(help: SharedHelp.distrust)
        var distrust: String?

        @Option(help: SharedHelp.distrustKey)
        var distrustKey: String?

        @Option(help: SharedHelp.revocation)
        var revocation: String?

        @Option(help: SharedHelp.listing(SharedHelp.refunds, OfferPolicies.Refunds.self))
        var refunds: String?

        @Option(help: SharedHelp.listing(SharedHelp.staleEvidence, OfferPolicies.StaleEvidence.self))
        var staleEvidence: String?

        @Option(help: SharedHelp.listing(SharedHelp.partialEvidence, OfferPolicies.PartialEvidence.self))
        var partialEvidence: String?

        @Option(help: SharedHelp.listing(SharedHelp.promotionalScope, OfferPolicies.PromotionalScope.self))
        var promotionalScope: String?

        @Option(
            help:
                "Write latest_receipt_info from the receipt if a request has no latest: as-of-receipt."
        )
        var latest: String?

        @Option(
            help: .file("Require the shared secret in this file as the password of verifyReceipt requests."))
        var sharedSecretFile: String?

        @Option(help: .file("Require one of the bearer tokens in this file, one per line."))
        var tokens: String?

        @Option(help: .file("Encrypt with this certificate chain (PEM)."))
        var tlsCertificate: String?

        @Option(help: .file("The key of --tls-certificate (PEM)."))
        var tlsKey: String?

        @Flag(help: "Allow an address other than loopback without tokens and TLS.")
        var insecure = false

        @Option(
            help:
                "Process this many requests at a time, and answer 503 to more; the default is 256.")
        var maxConcurrent: String?

        @Option(help: "Keep this many connections open at a time; the default is 16384.")
        var maxConnections: String?

        @Option(
            help: """
                Seconds for the head of a request, and for each period in which its body must average 4 KiB a second; the \
                default is 10.
                """)
        var headerTimeout: String?

        @Option(help: "Close a connection after this many seconds without a byte; the default is 60.")
        var idleTimeout: String?

        @Option(
            help:
                "Keep serving for this many seconds after SIGTERM, while /health/ready fails; the default is 0."
        )
        var drainTime: String?

        @Option(help: "Seconds for open requests to finish when the server stops; the default is 30.")
        var shutdownTimeout: String?

        @Option(help: "The format of the log: text (the default) or json, one object per line.")
        var logFormat: String?

        @Flag(help: "Log every request with method, route, status, time, bytes and client.")
        var accessLog = false

        @Option(
            name: .customLong("trusted-proxy"),
            help: ArgumentHelp(
                "Trust X-Forwarded-For from this proxy, an address or a range like 10.0.0.0/8. May be repeated.",
                valueName: "address"))
        var trustedProxies: [String] = []

        @Option(
            help:
                "The lowest level logged: trace, debug (one line per request), info (the default), notice, warning, error or critical."
        )
        var logLevel: String?

        @OptionGroup var limits: LimitOptions

        @Flag(help: "Read and check all settings and files, print the settings, and end.")
        var checkConfig = false

        @Flag(help: "Check that a server with the same settings answers /health/live, and end.")
        var checkHealth = false

        func validate() throws {
            if checkConfig && checkHealth {
                throw ValidationError(
                    "--check-config and --check-health are separate checks; give one of them")
            }
        }

        func run() throws {
            // A check that a signal ends has not succeeded.
            if !checkConfig && !checkHealth { ReceiptServer.prepare() }
            do {
                let given = try SettingsReader(
                    commandLine: arguments, environment: ProcessInfo.processInfo.environment,
                    read: { try readSideFile($0) })
                let log = ServerSettings.startLog(given) { StandardError.writeLine($0) }
                if checkHealth {
                    guard try HealthCheck.isHealthy(settings(given)) else {
                        log("--check-health: no healthy server")
                        throw ExitCode(1)
                    }
                    return
                }
                log("settings: \(given.summary)")
                let server = try ReceiptServer(settings(given))
                if checkConfig {
                    // The server has logged the reasons.
                    if !server.unusableLists.isEmpty { throw ExitCode(2) }
                    return
                }
                try server.run { log("listening on \($0)") }
            } catch let error as SettingsError {
                if error.isUsage { throw ValidationError("\(error)") }
                throw AuditError("\(error)")
            }
        }

        /// The arguments that were given, by setting.
        private var arguments: [String: [String]] {
            let single: [String: String?] = [
                "host": host, "port": port, "health-port": healthPort, "unix-socket": unixSocket,
                "environment": environment, "config": config,
                "root": root, "distrust": distrust, "distrust-key": distrustKey, "revocation": revocation,
                "refunds": refunds, "stale-evidence": staleEvidence,
                "partial-evidence": partialEvidence, "promotional-scope": promotionalScope, "latest": latest,
                "shared-secret-file": sharedSecretFile,
                "tokens": tokens, "tls-certificate": tlsCertificate, "tls-key": tlsKey,
                "max-concurrent": maxConcurrent, "max-connections": maxConnections,
                "header-timeout": headerTimeout, "idle-timeout": idleTimeout,
                "drain-time": drainTime, "shutdown-timeout": shutdownTimeout,
                "log-level": logLevel, "log-format": logFormat, "access-log": accessLog ? "true" : nil,
                "single-group": singleGroup ? "true" : nil,
                "insecure": insecure ? "true" : nil,
            ]
            var arguments = single.compactMapValues { $0.map { [$0] } }
            arguments[SHA1Signatures.setting] = limits.sha1Signatures.map { [$0.rawValue] }
            for (setting, value) in limits.given { arguments[setting.name] = ["\(value)"] }
            if groups.isGiven { arguments["catalog"] = groups.catalog }
            if !lists.isEmpty { arguments["crl"] = lists }
            if !bundleIDs.isEmpty { arguments["bundle-id"] = bundleIDs }
            if !appAppleIDs.isEmpty { arguments["app-apple-id"] = appAppleIDs }
            if !trustedProxies.isEmpty { arguments["trusted-proxy"] = trustedProxies }
            if !storeKitTestRoots.isEmpty { arguments["storekit-test-root"] = storeKitTestRoots }
            return arguments
        }

        /// Returns the settings with the roots, and with the function that reads all other files.
        private func settings(_ given: SettingsReader) throws -> ServerSettings {
            let environment = ProcessInfo.processInfo.environment
            var settings = try ServerSettings(
                given, inherited: InheritedSocket(environment: environment), isClient: checkHealth)
            var trust = VerificationOptions()
            trust.root = given.text("root")
            trust.otherRoots = []
            trust.storeKitTestRoots = given.list("storekit-test-root")
            settings.anchors = try trust.makeAnchors()
            if !given.list("catalog").isEmpty && given.flag("single-group") {
                throw ValidationError("--single-group: cannot be combined with --catalog")
            }
            let revocation = Self.revocation(given)
            try revocation.validate()
            settings.files = { try Self.files(given) }
            return settings
        }

        private static func revocation(_ given: SettingsReader) -> RevocationOptions {
            var options = RevocationOptions()
            (options.lists, options.distrust) = (given.list("crl"), given.text("distrust"))
            options.distrustKey = given.text("distrust-key")
            options.revocation = given.text("revocation").flatMap { RevocationPolicy(rawValue: $0) }
            return options
        }

        /// Reads the files that are loaded at the start and on SIGHUP.
        private static func files(_ given: SettingsReader) throws -> ServerFiles {
            var files = ServerFiles()
            files.catalog =
                try GivenCatalog(given.list("catalog"))?.catalog
                ?? (given.flag("single-group") ? .singleGroup : nil)
            if let path = given.text("shared-secret-file") {
                var secret = try readSideFile(path)
                while secret.last == 0x0A || secret.last == 0x0D { secret.removeLast() }
                // With a byte order mark or a blank around it, it would equal no client's secret.
                guard let text = String(validating: secret, as: UTF8.self),
                    let first = text.unicodeScalars.first,
                    first != " ", first != "\u{FEFF}", text.utf8.last != 0x20,
                    text.utf8.allSatisfy({ $0 >= 0x20 })
                else {
                    throw AuditError(
                        "\(path): not a shared secret: must be one line of UTF-8 without blanks around it")
                }
                files.password = .required(text)
            }
            if let path = given.text("tokens") { files.tokens = try readSideFile(path) }
            files.revocation = try revocation(given).inputs { files.warnings.append($0) }
            return files
        }
    }
#endif
