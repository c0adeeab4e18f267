#if Server
    import AppReceipt
    import Logging
    import OfferEligibility
    import ReceiptJSON

    /// What all connections share.
    final class ServerState: Sendable {
        let settings: ServerSettings
        let verifier: ReceiptVerifier
        let production: VerifyReceiptEndpoint
        let sandbox: VerifyReceiptEndpoint
        /// Makes the demands of the settings, and no others.
        let examiner: Examiner
        let eligibility: EligibilityEndpoint
        let admission: Admission
        let budget = ByteBudget(256 << 20)
        let metrics = ServerMetrics()
        let certificates: TLSCertificates?
        let tokens: Tokens?
        let requestIDs = RequestIDs()
        let clock = ServerClock()
        let logger: Logger

        init(_ settings: ServerSettings, _ logger: Logger) throws {
            self.settings = settings
            self.logger = logger
            let verifier = try ReceiptVerifier(
                anchors: settings.anchors, limits: settings.limits, sha1Signatures: settings.sha1Signatures)
            self.verifier = verifier
            let apps = settings.bundleIDs.map { VerifyReceiptEndpoint.Apps.only($0) } ?? .anyApp
            func endpoint(_ environment: VerifyReceiptEndpoint.Environment) throws -> VerifyReceiptEndpoint {
                var endpoint = try VerifyReceiptEndpoint(
                    environment, apps: apps, password: settings.password, verifier: verifier)
                endpoint.appAppleIDs = settings.appAppleIDs
                endpoint.latestReceiptInfo = settings.latestReceiptInfo
                return endpoint
            }
            production = try endpoint(settings.environment)
            sandbox = try endpoint(.sandbox)
            let demands = Demands(settings.audience(.anyEnvironment))
            examiner = Examiner(verifier, demands: demands)
            var eligibility = EligibilityEndpoint(verifier, demands: demands)
            (eligibility.catalog, eligibility.policies) = (settings.catalog, settings.policies)
            self.eligibility = eligibility
            admission = Admission(limit: settings.maximumConcurrent)
            certificates = try settings.tls.map(TLSCertificates.init)
            tokens = try settings.tokens.map { try Tokens($0, verifier, read: settings.read) }
        }

        /// What the rules are asked where a catalogue says of which products.
        func question() -> EligibilityQuestion? {
            settings.catalog.map {
                EligibilityQuestion(
                    rules: OfferRules(catalog: $0, policies: settings.policies), asOf: .clock(clock.now))
            }
        }

        /// Reads the files of tokens and certificates again. Where one is wrong, what was read before stays.
        func reload() {
            let reloads: [(String, () throws -> Void)?] = [
                tokens.map { ("tokens", $0.reload) }, certificates.map { ("certificate", $0.reload) },
            ]
            for case (let name, let reload)? in reloads {
                do {
                    try reload()
                    logger.info("\(name): read again")
                } catch {
                    logger.error("\(name): the old ones stay: \(error)")
                }
            }
        }
    }
#endif
