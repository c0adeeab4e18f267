#if Server
    import HTTPTypes
    import HummingbirdCore
    import Logging
    import NIOCore
    import NIOHTTP1
    import ReceiptJSON

    /// Answers requests: which route, whether it may be asked, what it says.
    struct Dispatcher: Sendable {
        let state: ServerState

        func respond(to request: Request, _ writer: consuming ResponseWriter) async throws {
            let start = NIODeadline.now()
            let route = Route(uri: request.head.path ?? "")
            let id = RequestIDs.own(request.headers[.requestID]) ?? state.requestIDs.next()
            var answer: Answer
            do {
                answer = try await self.answer(request, route)
            } catch let failure as Failure {
                answer = Answer(failure)
                if !hasShortBody(request) { answer.others.append((.connection, "close")) }
            } catch is HTTPParserError {
                answer = Answer(.badRequest("not HTTP/1.1"))
                answer.others.append((.connection, "close"))
            }
            let head = HTTPResponse(
                status: answer.status, headerFields: answer.fields(id: id, state.clock.date))
            let body: ResponseBody =
                if request.method == .head {
                    ResponseBody()
                } else if let stream = answer.stream {
                    ResponseBody(stream)
                } else {
                    ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body))
                }
            try await writer.write(response: head, body: body)
            let time = (NIODeadline.now() - start).nanoseconds
            state.metrics.record(route, answer.status.code, nanoseconds: time)
            state.logger.debug(
                "answered",
                metadata: [
                    "id": "\(id)", "route": "\(route?.rawValue ?? "none")", "status": "\(answer.status.code)",
                    "microseconds": "\(time / 1000)",
                ])
        }

        /// Whether what is left of a body that nobody wants is worth reading, to keep the connection.
        private func hasShortBody(_ request: Request) -> Bool {
            if let length = request.headers[.contentLength] {
                return Int(length).map { $0 <= 64 << 10 } ?? false
            }
            return request.headers[.transferEncoding] == nil
        }

        private func answer(_ request: Request, _ route: Route?) async throws -> Answer {
            guard let route else { throw Failure.notFound }
            guard route.allows(request.method) else { throw Failure.methodNotAllowed(route) }
            switch route {
            case .verifyReceipt, .sandboxVerifyReceipt:
                let endpoint = route == .verifyReceipt ? state.production : state.sandbox
                let body = try await collect(request, route)
                return Answer(kind: .json, body: endpoint.answer(to: body, at: state.clock.now).body)
            case .verify: return try await verify(request)
            case .eligibility, .batch: throw Failure.notFound
            case .live: return Answer(kind: .json, body: JSON.ok)
            case .ready:
                if state.admission.isClosed { throw Failure.stopping }
                return Answer(kind: .json, body: JSON.ok)
            case .metrics: return Answer(kind: .text)
            case .openAPI: return Answer(kind: .yaml, body: PackageResources.openapi_yaml)
            case .page: return Answer(kind: .html, body: PackageResources.index_html)
            case .pageScript: return Answer(kind: .script, body: PackageResources.page_js)
            case .pageStyle: return Answer(kind: .style, body: PackageResources.page_css)
            }
        }

        /// The whole body, if it is no longer than the route's may be.
        func collect(_ request: Request, _ route: Route) async throws -> [UInt8] {
            let limit = route.bodyLimit
            let length = request.headers[.contentLength].flatMap { Int($0) }
            if let length, length > limit { throw Failure.tooLarge(limit) }
            var body: [UInt8] = []
            for try await part in request.body {
                guard body.count + part.readableBytes <= limit else { throw Failure.tooLarge(limit) }
                if body.isEmpty, let length { body.reserveCapacity(min(length, 1 << 16)) }
                body += part.readableBytesView
            }
            // A connection that ends early is no end of a body.
            if let length, body.count < length { throw Failure.badRequest("the body ends early") }
            return body
        }
    }
#endif
