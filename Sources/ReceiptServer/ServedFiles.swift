#if Server
    import AppReceipt
    import OfferEligibility
    import ReceiptServices

    /// The values that the server derives from the files that SIGHUP reads again. All belong to the same reading.
    final class ServedFiles: Sendable {
        let production: VerifyReceiptEndpoint
        let sandbox: VerifyReceiptEndpoint
        let catalog: SubscriptionCatalog?
        let tokens: Tokens?
        let certificates: TLSCertificates?

        /// Reads the files.
        /// - Throws: An error about a file that cannot be read or has invalid content.
        init(_ settings: ServerSettings, _ verifier: ReceiptVerifier) throws {
            let files = try settings.files()
            let policy = settings.policy(.anyEnvironment)
            func endpoint(_ environment: VerifyReceiptEndpoint.Environment) throws -> VerifyReceiptEndpoint {
                var endpoint = try VerifyReceiptEndpoint(
                    environment, for: policy, password: files.password, verifier: verifier)
                endpoint.latestReceiptInfo = settings.latestReceiptInfo
                return endpoint
            }
            production = try endpoint(settings.environment)
            sandbox = try endpoint(.sandbox)
            catalog = files.catalog
            tokens = try settings.tokens.map { try Tokens(files.tokens, of: $0, verifier) }
            certificates = try settings.tls.map { try TLSCertificates($0) }
        }
    }
#endif
