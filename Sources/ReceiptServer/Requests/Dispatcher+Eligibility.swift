#if Server
    import AppReceipt
    import HTTPTypes
    import HummingbirdCore
    import ReceiptServices
    import StrictJSON

    extension Dispatcher {
        /// Answers with the output of `eligibility --merge --json` for the same evidence.
        func eligibility() async throws -> HTTPAnswer {
            guard isJSON else { throw Failure.unsupportedType("application/json") }
            let policy = try policy()
            let (body, reservation) = try await collect(.eligibility)
            let (now, metrics) = (state.clock.now, state.metrics)
            @Sendable func verdicts(_ endpoint: EligibilityEndpoint, _ accepted: AcceptedRequest) throws
                -> HTTPAnswer
            {
                let (json, refused) = try endpoint.evaluate(accepted, at: now)
                for refused in refused { metrics.count(refused.refusal.code) }
                return HTTPAnswer(.json, json, reservation)
            }
            do {
                let answered: HTTPAnswer? = try await perform(body.count) { [self] in
                    let endpoint = try files(for: .eligibility).eligibility(policy)
                    let accepted = try endpoint.accept(endpoint.request(body))
                    guard areBrief(verdicts: accepted.products.count, ofBody: body.count) else { return nil }
                    return try verdicts(endpoint, accepted)
                }
                if let answered { return answered }
                // Waits with the body alone, because the accepted request takes many times its size.
                return try await perform(body.count, isQuestion: true) { [self] in
                    let endpoint = try files(for: .eligibility).eligibility(policy)
                    return try verdicts(endpoint, endpoint.accept(endpoint.request(body)))
                }
            } catch let failure as EligibilityFailure {
                return try await answer(failure, body.count, reservation)
            }
        }

        /// Returns an error with all refusals. There may be thousands, so another thread writes it.
        private func answer(
            _ failure: EligibilityFailure, _ size: Int, _ reservation: ByteBudget.Reservation?
        ) async throws -> HTTPAnswer {
            let metrics = state.metrics
            return try await perform(size) {
                for refused in failure.refused { metrics.count(refused.refusal.code) }
                var answer = HTTPAnswer(.json, failure.json, reservation)
                answer.status = failure.code == .badRequest ? .badRequest : .unprocessableContent
                return answer
            }
        }
    }
#endif
