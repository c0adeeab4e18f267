#if Server
    import HTTPTypes
    import HummingbirdCore
    import NIOCore
    import NIOHTTP1
    import ReceiptServices
    import StrictJSON

    /// A dispatcher of one request. It finds the route, checks the token and the method, and answers.
    ///
    /// An idle connection keeps the memory of the asynchronous functions. They are therefore short, and the others are not inlined.
    /// The dispatcher is a class, because each of them would copy the request.
    final class Dispatcher: Sendable {
        let request: Request
        let state: ServerState
        /// The client's connection.
        let channel: any Channel

        init(_ request: Request, _ state: ServerState, _ channel: any Channel) {
            (self.request, self.state, self.channel) = (request, state, channel)
        }

        func respond(_ writer: consuming ResponseWriter) async throws {
            let id = RequestIDs.own(request.headers[.requestID]) ?? state.requestIDs.next()
            let answer: HTTPAnswer
            do {
                answer = try held(try await self.answer())
            } catch {
                answer = try refusal(because: error)
            }
            note(answer)
            try await writer.write(
                response: answer.head(id: id, state.clock.date),
                body: request.method == .head ? ResponseBody() : answer.responseBody)
        }

        /// Reserves the memory of an answer.
        @inline(never)
        private func held(_ answer: HTTPAnswer) throws(Failure) -> HTTPAnswer {
            var answer = answer
            guard answer.hold(state.budget) else { throw .busy }
            return answer
        }

        /// Returns the answer to a request that failed.
        /// - Throws: The error, if it ends the connection.
        @inline(never)
        private func refusal(because error: any Error) throws -> HTTPAnswer {
            let failure: Failure
            var isLast = true
            switch error {
            case let error as Failure: (failure, isLast) = (error, !hasShortBody)
            case HTTPParserError.invalidEOFState: failure = .cutShort
            case is HTTPParserError: failure = .badRequest("not HTTP/1.1")
            default: throw error
            }
            var answer = HTTPAnswer(failure)
            if isLast { answer.others.append((.connection, "close")) }
            return answer
        }

        /// Whether the server reads the rest of a refused body to keep the connection, because the body is short.
        private var hasShortBody: Bool {
            if let length = request.headers[.contentLength] {
                return Int(length).map { $0 <= 64 << 10 } ?? false
            }
            return request.headers[.transferEncoding] == nil
        }

        /// Counts and logs Apple's status.
        @inline(never)
        private func note(_ answer: HTTPAnswer) {
            guard let (verdict, route) = answer.verdict else { return }
            state.metrics.count(verdict, route)
            if state.isAccessLogged { channel.triggerUserOutboundEvent(verdict, promise: nil) }
        }

        private func answer() async throws -> HTTPAnswer {
            let route = try route()
            if let answer = try answerWithoutBody(route) { return answer }
            return switch route {
            case .verify: try await verify()
            case .eligibility: try await eligibility()
            default: try await verifyReceipt(route)
            }
        }

        /// Returns the last reading of the files. Before its work begins, a request keeps none, because it may wait for the body
        /// while the files are read again many times.
        /// - Throws: ``Failure`` if the request has no token.
        @inline(never)
        func files(for route: Route?) throws(Failure) -> ServedFiles {
            let served = state.served
            if let tokens = served.tokens, route?.needsToken ?? true {
                guard tokens.allow(request.headers[.authorization]) else { throw .unauthorised }
            }
            return served
        }

        /// Returns the route of the request.
        /// - Throws: ``Failure`` if the request has no token or another method.
        @inline(never)
        private func route() throws(Failure) -> Route {
            let route = Route(target: request.head.path ?? "")
            _ = try files(for: route)
            guard let route else { throw .notFound }
            guard route.methods.contains(request.method) else { throw .methodNotAllowed(route) }
            return route
        }

        /// Returns the answer that does not wait for a body, or nil if the request needs its whole body.
        @inline(never)
        private func answerWithoutBody(_ route: Route) throws(Failure) -> HTTPAnswer? {
            switch route {
            case .verifyReceipt, .sandboxVerifyReceipt:
                if request.method == .post { return nil }
                let answer = VerifyReceiptAnswer(.notPOST)
                var sent = HTTPAnswer(.json, answer.body)
                sent.verdict = (AppleVerdict(answer), route)
                return sent
            case .verify, .eligibility: return nil
            case .batch: return try batch()
            case .live: return .ok
            case .ready:
                guard state.admission.isReady else { throw .stopping }
                return .ok
            case .metrics: return HTTPAnswer(.text, ByteBuffer(string: state.metrics.text(state)))
            case .openAPI: return HTTPAnswer(.yaml, OpenAPIDocument.text)
            case .page: return HTTPAnswer(.html, ServerPages.index)
            case .pageScript: return HTTPAnswer(.script, ServerPages.script)
            case .pageStyle: return HTTPAnswer(.style, ServerPages.style)
            }
        }

        private func verifyReceipt(_ route: Route) async throws -> HTTPAnswer {
            try refusePolicyInQuery()
            let (body, reservation) = try await collect(route)
            let now = state.clock.now
            return try await perform(body.count) {
                let served = try self.files(for: route)
                let endpoint = route == .sandboxVerifyReceipt ? served.sandbox : served.production
                let answer = endpoint.answer(to: body, at: now)
                var sent = HTTPAnswer(.json, answer.body, reservation)
                sent.verdict = (AppleVerdict(answer), route)
                return sent
            }
        }

        /// Collects the whole body.
        /// - Throws: ``Failure`` if the body exceeds the route's limit or the memory budget, or ends early.
        func collect(_ route: Route) async throws -> ([UInt8], ByteBudget.Reservation?) {
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
