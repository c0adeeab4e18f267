#if Server
    import ArgumentParser
    import ReceiptJSON
    import ReceiptServer

    struct ServeCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "serve", abstract: "Answers over HTTP, in place of verifyReceipt and beyond.")

        @Option var host: String = "127.0.0.1"
        @Option var port: Int = 8080
        @Option var environment: String = "production"
        @Option(name: .customLong("bundle-id")) var bundleIDs: [String] = []
        @Option var root: String?
        @Option var latest: String?

        func run() throws {
            var settings = ServerSettings()
            settings.host = host
            settings.port = port
            settings.environment = environment == "sandbox" ? .sandbox : .production
            settings.bundleIDs = bundleIDs
            var options = VerificationOptions()
            options.root = root
            options.storeKitTestRoots = []
            settings.anchors = try options.makeAnchors()
            if latest != nil { settings.latestReceiptInfo = .asOfReceipt }
            try ReceiptServer(settings).run { StandardError.writeLine("listening on \($0)") }
        }
    }
#endif
