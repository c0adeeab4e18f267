#if Server
    import AppReceipt
    import HTTPTypes
    import HummingbirdCore
    import NIOCore
    import OfferEligibility
    import ReceiptJSON

    extension Dispatcher {
        /// What `eligibility --merge --json` prints of the same evidence.
        func eligibility(_ request: Request) async throws -> Answer {
            guard request.headers[.contentType]?.lowercased().hasPrefix("application/json") == true else {
                throw Failure.unsupportedType("application/json")
            }
            let (body, reservation) = try await collect(request, .eligibility)
            let state = state
            let asOf = EligibilityInstant.clock(state.clock.now)
            return try await perform(body.count) {
                let json = try Self.answer(try EligibilityRequest(body), asOf, state)
                return Answer(.json, json, reservation)
            }
        }

        private static func answer(
            _ request: EligibilityRequest, _ clock: EligibilityInstant, _ state: ServerState
        ) throws(Failure) -> ByteBuffer {
            guard let catalog = request.catalog ?? state.settings.catalog else {
                throw .badRequest("catalog: is missing, and the server has none")
            }
            let products = request.products ?? catalog.products.map(\.id)
            guard !products.isEmpty else {
                throw .badRequest("products: are missing, and the catalogue names none")
            }
            let (evidence, history) = try merged(request, state)
            let rules = OfferRules(catalog: catalog, policies: state.settings.policies)
            let verdicts = rules.verdicts(
                for: products, in: history, asOf: request.asOf.map(EligibilityInstant.date) ?? clock)
            let sources = evidence.sources
            var json = JSONWriter()
            json.object { json in
                json.key("verdicts")
                json.array(verdicts) { json, verdict in json.verdict(verdict, ofSources: sources) }
            }
            return json.buffer
        }

        /// All the evidence as one history, with nothing refused.
        private static func merged(
            _ request: EligibilityRequest, _ state: ServerState
        ) throws(Failure) -> (CustomerEvidence, PurchaseHistory) {
            typealias Member = JSON.RefusedMember
            let examiner = state.examiner.leavingAppOfRenewals
            var evidence = CustomerEvidence()
            var refusals: [Member] = []
            for (index, piece) in request.evidence.enumerated() {
                let source = Member.source(Member.evidence, index)
                for examination in evidence.take(piece, of: source, examiner) {
                    guard case .failure(let refusal) = examination.result else { continue }
                    refusals.append(Member(source + examination.place, refusal))
                }
            }
            for (index, piece) in request.renewalInfo.enumerated() {
                let source = Member.source(Member.renewals, index)
                refusals += evidence.takeRenewals(piece, of: source, examiner).map(Member.init)
            }
            do throws(HistoryMergeError) {
                if refusals.isEmpty {
                    refusals += try evidence.settleRenewals(for: state.demands).map(Member.init)
                }
                if refusals.isEmpty {
                    return (evidence, try PurchaseHistory(evidence: evidence.objects))
                }
            } catch {
                throw .unprocessable("not_merged", evidence.account(of: error))
            }
            for refused in refusals { state.metrics.count(refused.refusal.code) }
            throw .unprocessable("refused", "not all of the evidence is genuine and of this app", refusals)
        }
    }
#endif
