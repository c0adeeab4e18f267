#if Server
    import HTTPTypes
    import HummingbirdCore
    import ReceiptJSON

    extension Dispatcher {
        /// What `eligibility --merge --json` prints of the same evidence.
        func eligibility(_ request: Request) async throws -> Answer {
            guard request.headers[.contentType]?.lowercased().hasPrefix("application/json") == true else {
                throw Failure.unsupportedType("application/json")
            }
            // A demand that is not looked at would be taken for fulfilled.
            _ = try Query(request.head.path, allowing: [])
            let (body, reservation) = try await collect(request, .eligibility)
            let (endpoint, now) = (state.eligibility, state.clock.now)
            do {
                let asked = try await perform(body.count) { try endpoint.request(body) }
                // Each takes as long as some receipts, in a request however small: never on the loop.
                let json = try await perform(smallWork * (1 + asked.productCount)) {
                    try endpoint.answer(to: asked, at: now)
                }
                let held = reservation ?? state.budget.reservation()
                guard held.hold(json.count) else { throw Failure.busy }
                return Answer(.json, json, held)
            } catch let failure as EligibilityFailure {
                for refused in failure.refused { state.metrics.count(refused.refusal.code) }
                throw Failure(failure)
            }
        }
    }
#endif
