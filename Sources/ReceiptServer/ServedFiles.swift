#if Server
    import AppReceipt
    import OfferEligibility
    import ReceiptExamination
    import ReceiptServices

    /// The values that the server derives from the files that SIGHUP reads again. All belong to the same reading.
    final class ServedFiles: Sendable {
        /// The number of earlier readings.
        let number: Int
        /// The verifier with the revocation lists.
        let verifier: ReceiptVerifier
        let production: VerifyReceiptEndpoint
        let sandbox: VerifyReceiptEndpoint
        let tokens: Tokens?
        let certificates: TLSCertificates?
        /// The issue date of the oldest revocation list, or nil if there is none.
        let oldestList: Timestamp?
        /// The revocation lists that can give no information, with the reasons.
        let unusableLists: [String]
        /// Warnings about the files.
        let warnings: [String]
        /// Whether nothing is checked for revocation.
        private let isWithoutRevocation: Bool
        /// The lookups of the verifiers of earlier readings.
        private let lookupsBefore: (found: Int, searched: Int)
        private let catalog: SubscriptionCatalog?
        private let policies: OfferPolicies
        /// The maximum number of verdicts on a signed object of a batch.
        let mostProducts: Int

        /// Reads the files.
        /// - Parameter previous: The last reading. Without revocation lists, its verifier stays, with its caches.
        /// - Throws: An error about a file that cannot be read or has invalid content.
        init(_ settings: ServerSettings, after previous: ServedFiles? = nil) throws {
            number = previous.map { $0.number + 1 } ?? 0
            let files = try settings.files()
            let lists = files.revocation.settings.lists
            isWithoutRevocation = files.revocation.settings.effectivePolicy == .off
            let verifier: ReceiptVerifier
            if let previous, isWithoutRevocation, previous.isWithoutRevocation {
                (verifier, lookupsBefore) = (previous.verifier, previous.lookupsBefore)
            } else {
                verifier = try ReceiptVerifier(
                    anchors: settings.anchors, limits: settings.limits,
                    sha1Signatures: settings.sha1Signatures, revocation: files.revocation.settings)
                lookupsBefore = previous?.chainLookups ?? (0, 0)
            }
            self.verifier = verifier
            oldestList = lists.map(\.issuedAt).min()
            // The issuers of lists are known only from chains, so the first reading cannot check signatures.
            let signatures = try previous.map { try verifier.signatureFaults(after: $0.verifier) } ?? []
            unusableLists = lists.enumerated().compactMap { index, list in
                let fault = list.fault ?? (index < signatures.count ? signatures[index] : nil)
                return fault.map { "--crl \(list.name): cannot be used: \($0)" }
            }
            let policy = settings.policy(.anyEnvironment)
            func endpoint(_ environment: VerifyReceiptEndpoint.Environment) throws -> VerifyReceiptEndpoint {
                var endpoint = try VerifyReceiptEndpoint(
                    environment, for: policy, password: files.password, verifier: verifier)
                endpoint.latestReceiptInfo = settings.latestReceiptInfo
                return endpoint
            }
            production = try endpoint(settings.environment)
            sandbox = try endpoint(.sandbox)
            (catalog, policies, warnings) = (files.catalog, settings.policies, files.warnings)
            mostProducts = files.catalog?.mostProducts ?? 0
            tokens = try settings.tokens.map { try Tokens(files.tokens, of: $0, verifier) }
            certificates = try settings.tls.map { try TLSCertificates($0) }
        }

        /// The lookups of certificate chains since the start.
        var chainLookups: (found: Int, searched: Int) {
            let own = verifier.chainLookups
            return (lookupsBefore.found &+ own.found, lookupsBefore.searched &+ own.searched)
        }

        /// Returns the endpoint that evaluates one customer's offers, under a verification policy.
        func eligibility(_ policy: VerificationPolicy) -> EligibilityEndpoint {
            var endpoint = EligibilityEndpoint(verifier, policy: policy)
            (endpoint.catalog, endpoint.policies) = (catalog, policies)
            return endpoint
        }

        /// Returns the eligibility question for each record of a batch, or nil if the server has no catalog.
        func question(at now: Timestamp) -> EligibilityQuestion? {
            catalog.map {
                EligibilityQuestion(rules: OfferRules(catalog: $0, policies: policies), asOf: .clock(now))
            }
        }
    }
#endif
