#if Server
    import AppReceipt
    import ArgumentParser
    import Foundation
    import OfferEligibility
    import ReceiptAudit
    import ReceiptJSON
    import ReceiptServer

    struct ServeCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "serve",
            abstract: "Answers over HTTP what back ends ask Apple's verifyReceipt, and more.",
            discussion: """
                Example: appreceipt serve --bundle-id com.example.app --catalog Store.storekit

                POST /verifyReceipt and /sandbox/verifyReceipt answer as Apple's deprecated service did, from what is signed \
                alone; POST /v1/verify, /v1/eligibility and /v1/batch as the commands verify, eligibility --merge and audit \
                do. GET / is a page for people, /openapi.yaml describes it all, /health/live, /health/ready and /metrics are \
                for those who watch it.

                Every option can be given in the environment too, --max-concurrent as APPRECEIPT_MAX_CONCURRENT, and in the \
                file of --config, a JSON object with the options' names. SIGHUP reads tokens, certificates, the shared \
                secret and catalogs again; SIGTERM and SIGINT answer what is being worked on, and end.

                Exit status: 0 stopped, 2 a file cannot be read or the address not be listened on, 64 wrong usage.
                """)

        @Option(help: ArgumentHelp("Listen on this address; 127.0.0.1 is the default.", valueName: "address"))
        var host: String?

        @Option(help: "Listen on this port; 8080 is the default, 0 takes a free one.")
        var port: String?

        @Option(help: "What /verifyReceipt stands in for: production, the default, or sandbox.")
        var environment: String?

        @Option(
            name: .customLong("bundle-id"),
            help: ArgumentHelp("Answer for this app alone; may be repeated.", valueName: "id"))
        var bundleIDs: [String] = []

        @Option(
            name: .customLong("app-apple-id"),
            help: ArgumentHelp(
                "Answer for this app alone, by its number in the App Store; may be repeated.",
                valueName: "number"))
        var appAppleIDs: [String] = []

        @OptionGroup var groups: CatalogOptions

        @Flag(help: "In place of a catalogue: all subscriptions are one group.")
        var singleGroup = false

        @Option(help: ArgumentHelp("Settings as a JSON object; other sources go first.", valueName: "file"))
        var config: String?

        @Option(
            help: ArgumentHelp(
                "Trust this root certificate instead of Apple's, with the same demands. DER or PEM.",
                valueName: "file"))
        var root: String?

        @Option(
            name: .customLong("storekit-test-root"),
            help: ArgumentHelp(
                "Also trust this StoreKit Test certificate. DER or PEM; may be repeated.", valueName: "file"))
        var storeKitTestRoots: [String] = []

        @Option(
            help:
                "Whether a refund closes the introductory offers of its group: block, the default, or ignore."
        )
        var refunds: String?

        @Option(
            help:
                "What a last period that may have renewed makes of an answer: accept, the default, or undetermined."
        )
        var staleEvidence: String?

        @Option(
            help:
                """
                What to answer where nothing was bought, or bought again, in evidence that does not list all purchases: \
                accept, the default, or undetermined.
                """)
        var partialEvidence: String?

        @Option(
            help: "Whose current and lapsed subscribers get promotional offers: group, the default, or app.")
        var promotionalScope: String?

        @Option(
            help:
                "as-of-receipt: write latest_receipt_info from the receipt where a request has no latest of its own."
        )
        var latest: String?

        @Option(
            help: ArgumentHelp(
                "The shared secret that requests to verifyReceipt must know as their password.",
                valueName: "file"))
        var sharedSecretFile: String?

        @Option(
            help: ArgumentHelp(
                "Bearer tokens, one a line: without one, nothing of anybody is answered.", valueName: "file"))
        var tokens: String?

        @Option(
            help: ArgumentHelp("Encrypt, with this certificate and those above it in PEM.", valueName: "file")
        )
        var tlsCertificate: String?

        @Option(help: ArgumentHelp("Its key in PEM.", valueName: "file"))
        var tlsKey: String?

        @Flag(help: "Listen on another address than loopback without tokens and TLS.")
        var insecure = false

        @Option(
            help:
                "Connections whose requests are worked on at a time; what comes on top is answered 503. 256.")
        var maxConcurrent: String?

        @Option(help: "Connections that are open at a time; more wait to be accepted. 16384.")
        var maxConnections: String?

        @Option(
            help: "Seconds that the head of a request may take, and a body before it must come steadily. 10.")
        var headerTimeout: String?

        @Option(help: "Seconds without a byte after which a connection ends. 60.")
        var idleTimeout: String?

        @Option(
            help:
                "Seconds after SIGTERM in which requests are served and /health/ready fails, before the server stops. 0."
        )
        var drainTime: String?

        @Option(help: "Seconds that requests may take to end when the server is stopped. 30.")
        var shutdownTimeout: String?

        @Option(help: "text, the default, or json: each line of the log is an object.")
        var logFormat: String?

        @Flag(help: "Log every request: method, route, status, time, bytes and client.")
        var accessLog = false

        @Option(
            name: .customLong("trusted-proxy"),
            help: ArgumentHelp(
                "Take the client's address from this proxy's X-Forwarded-For; an address or a range like 10.0.0.0/8, may be repeated.",
                valueName: "address"))
        var trustedProxies: [String] = []

        @Option(
            help: "trace, debug (a line a request), info (the default), notice, warning, error or critical.")
        var logLevel: String?

        @OptionGroup(title: "Limits") var limits: LimitOptions

        func run() throws {
            ReceiptServer.prepare()
            do {
                let given = try SettingsReader(
                    commandLine: arguments, environment: ProcessInfo.processInfo.environment,
                    read: readSideFile)
                let log = ServerSettings.startLog(given) { StandardError.writeLine($0) }
                log("settings: \(given.summary)")
                let server = try ReceiptServer(settings(given))
                try server.run { log("listening on \($0)") }
            } catch let error as SettingsError {
                if error.isUsage { throw ValidationError("\(error)") }
                throw Failure("\(error)")
            }
        }

        /// The arguments that were given, by setting.
        private var arguments: [String: [String]] {
            let single: [String: String?] = [
                "host": host, "port": port, "environment": environment, "config": config,
                "root": root, "refunds": refunds, "stale-evidence": staleEvidence,
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
            if !bundleIDs.isEmpty { arguments["bundle-id"] = bundleIDs }
            if !appAppleIDs.isEmpty { arguments["app-apple-id"] = appAppleIDs }
            if !trustedProxies.isEmpty { arguments["trusted-proxy"] = trustedProxies }
            if !storeKitTestRoots.isEmpty { arguments["storekit-test-root"] = storeKitTestRoots }
            return arguments
        }

        /// Returns the settings with the roots, and with the function that reads all other files.
        private func settings(_ given: SettingsReader) throws -> ServerSettings {
            var settings = try ServerSettings(given)
            var trust = VerificationOptions()
            trust.root = given.text("root")
            trust.storeKitTestRoots = given.list("storekit-test-root")
            settings.anchors = try trust.makeAnchors()
            if !given.list("catalog").isEmpty && given.flag("single-group") {
                throw ValidationError("--single-group stands in place of a catalogue: give one of the two.")
            }
            settings.files = { try Self.files(given) }
            return settings
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
                guard !secret.isEmpty, let text = String(validating: secret, as: UTF8.self) else {
                    throw Failure("\(path): holds no secret in UTF-8")
                }
                files.password = .required(text)
            }
            if let path = given.text("tokens") { files.tokens = try readSideFile(path) }
            return files
        }
    }
#endif
