#if Server
    import AppReceipt
    import Logging
    import ReceiptJSON

    /// What all connections share.
    final class ServerState: Sendable {
        let settings: ServerSettings
        let verifier: ReceiptVerifier
        let production: VerifyReceiptEndpoint
        let sandbox: VerifyReceiptEndpoint
        let admission: Admission
        let metrics = ServerMetrics()
        let certificates: TLSCertificates?
        let tokens: Tokens?
        let requestIDs = RequestIDs()
        let clock = ServerClock()
        let logger: Logger

        init(_ settings: ServerSettings, _ logger: Logger) throws {
            self.settings = settings
            self.logger = logger
            let verifier = try ReceiptVerifier(anchors: settings.anchors)
            self.verifier = verifier
            let apps =
                settings.bundleIDs.isEmpty ? VerifyReceiptEndpoint.Apps.anyApp : .only(settings.bundleIDs)
            func endpoint(_ environment: VerifyReceiptEndpoint.Environment) throws -> VerifyReceiptEndpoint {
                var endpoint = try VerifyReceiptEndpoint(
                    environment, apps: apps, password: settings.password, verifier: verifier)
                endpoint.latestReceiptInfo = settings.latestReceiptInfo
                return endpoint
            }
            production = try endpoint(settings.environment)
            sandbox = try endpoint(.sandbox)
            admission = Admission(limit: settings.maximumConcurrent)
            certificates = nil
            tokens = nil
        }
    }
#endif
