#if Server
    import HTTPTypes
    import HummingbirdCore
    import NIOCore
    import NIOHTTP1
    import ReceiptServices
    import StrictJSON

    /// A dispatcher that finds the route of a request, checks the token and the method, and answers.
    struct Dispatcher: Sendable {
        let state: ServerState
        /// The client's connection.
        let channel: any Channel

        func respond(to request: Request, _ writer: consuming ResponseWriter) async throws {
            let route = Route(target: request.head.path ?? "")
            let id = RequestIDs.own(request.headers[.requestID]) ?? state.requestIDs.next()
            var answer: HTTPAnswer
            do {
                answer = try await self.answer(request, route)
                guard answer.hold(state.budget) else { throw Failure.busy }
            } catch let failure as Failure {
                answer = HTTPAnswer(failure)
                if !hasShortBody(request) { answer.others.append((.connection, "close")) }
            } catch let error as HTTPParserError {
                answer = HTTPAnswer(error == .invalidEOFState ? .cutShort : .badRequest("not HTTP/1.1"))
                answer.others.append((.connection, "close"))
            }
            if let (verdict, route) = answer.verdict {
                state.metrics.count(verdict, route)
                if state.isAccessLogged { channel.triggerUserOutboundEvent(verdict, promise: nil) }
            }
            try await writer.write(
                response: answer.head(id: id, state.clock.date),
                body: request.method == .head ? ResponseBody() : answer.responseBody)
        }

        /// Returns whether the server reads the rest of a refused body to keep the connection, because the body is short.
        private func hasShortBody(_ request: Request) -> Bool {
            if let length = request.headers[.contentLength] {
                return Int(length).map { $0 <= 64 << 10 } ?? false
            }
            return request.headers[.transferEncoding] == nil
        }

        private func answer(_ request: Request, _ route: Route?) async throws -> HTTPAnswer {
            let served = state.served
            if let tokens = served.tokens, route?.needsToken ?? true {
                guard tokens.allow(request.headers[.authorization]) else { throw Failure.unauthorised }
            }
            guard let route else { throw Failure.notFound }
            guard route.methods.contains(request.method) else { throw Failure.methodNotAllowed(route) }
            switch route {
            case .verifyReceipt: return try await verifyReceipt(served.production, request, route)
            case .sandboxVerifyReceipt: return try await verifyReceipt(served.sandbox, request, route)
            case .verify: return try await verify(request, served)
            case .eligibility: return try await eligibility(request, served)
            case .batch: return try batch(request, served)
            case .live: return .ok
            case .ready:
                guard state.admission.isReady else { throw Failure.stopping }
                return .ok
            case .metrics: return HTTPAnswer(.text, ByteBuffer(string: state.metrics.text(state)))
            case .openAPI: return HTTPAnswer(.yaml, OpenAPIDocument.text)
            case .page: return HTTPAnswer(.html, ServerPages.index)
            case .pageScript: return HTTPAnswer(.script, ServerPages.script)
            case .pageStyle: return HTTPAnswer(.style, ServerPages.style)
            }
        }

        private func verifyReceipt(
            _ endpoint: VerifyReceiptEndpoint, _ request: Request, _ route: Route
        ) async throws -> HTTPAnswer {
            guard request.method == .post else {
                let answer = VerifyReceiptAnswer(.notPOST)
                var sent = HTTPAnswer(.json, answer.body)
                sent.verdict = (AppleVerdict(answer), route)
                return sent
            }
            try Self.refusePolicy(inQueryOf: request)
            let (body, reservation) = try await collect(request, route)
            let now = state.clock.now
            return try await perform(body.count) {
                let answer = endpoint.answer(to: body, at: now)
                var sent = HTTPAnswer(.json, answer.body, reservation)
                sent.verdict = (AppleVerdict(answer), route)
                return sent
            }
        }

        /// Collects the whole body.
        /// - Throws: ``Failure`` if the body exceeds the route's limit or the memory budget, or ends early.
        func collect(_ request: Request, _ route: Route) async throws -> ([UInt8], ByteBudget.Reservation?) {
            let limit = route.bodyLimit
            let length = request.headers[.contentLength].flatMap { Int($0) }
            if let length, length > limit { throw Failure.tooLarge(limit) }
            var body: [UInt8] = []
            var reservation: ByteBudget.Reservation?
            for try await part in request.body {
                let count = body.count + part.readableBytes
                guard count <= limit else { throw Failure.tooLarge(limit) }
                if count > ByteBudget.free {
                    if reservation == nil { reservation = state.budget.reservation() }
                    guard reservation?.hold(count) == true else { throw Failure.busy }
                    // Growing step by step would copy megabytes on the event loop. Reserved memory costs nothing until it
                    // is written.
                    body.reserveCapacity(length ?? limit)
                } else if body.isEmpty, let length {
                    body.reserveCapacity(min(length, ByteBudget.free))
                }
                body += part.readableBytesView
            }
            if let length, body.count < length { throw Failure.cutShort }
            return (body, reservation)
        }
    }
#endif
