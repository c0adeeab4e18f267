#if Server
    import AppReceipt
    import Logging
    import NIOCore
    import NIOHTTP1
    import ReceiptServices

    /// A handler that counts and logs each request of a connection once: when its answer is sent or the connection ends.
    /// ``ConnectionGuard`` gives some of the answers.
    ///
    /// Clients cannot inject arbitrary text into the log. Methods are those that the parser knows, and routes replace
    /// paths. ``RequestIDs`` has checked the request's ID. All other values are numbers, IP addresses or words of the
    /// server.
    final class RequestRecorder: ChannelDuplexHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias InboundOut = HTTPServerRequestPart
        typealias OutboundIn = HTTPServerResponsePart
        typealias OutboundOut = HTTPServerResponsePart

        private final class Entry {
            var method = "none"
            var route: Route?
            var client: String
            let start = NIODeadline.now()
            var id: String?
            var status = RequestRecorder.unanswered
            var verdict: AppleVerdict?
            var (bytesIn, bytesOut) = (0, 0)

            init(_ client: String) { self.client = client }
        }

        private let state: ServerState
        private let proxies: TrustedProxies
        private var peer: IPAddress?
        /// The requests whose answers have not begun, the oldest first.
        private var pending: [Entry] = []
        /// The request whose body is being read.
        private var reading: Entry?
        /// The request whose answer is being written.
        private var answering: Entry?
        /// The verdict of the next answer.
        private var verdict: AppleVerdict?

        /// The status of a request whose connection ended before the end of its answer, as nginx logs it.
        static let unanswered = 499

        init(_ state: ServerState) { (self.state, proxies) = (state, state.settings.trustedProxies) }

        func channelActive(context: ChannelHandlerContext) {
            peer = context.remoteAddress.flatMap { $0.ipAddress.flatMap(IPAddress.init) }
            context.fireChannelActive()
        }

        func channelInactive(context: ChannelHandlerContext) {
            if let answering {
                answering.status = Self.unanswered
                pending.insert(answering, at: 0)
            }
            for entry in pending { record(entry) }
            (pending, answering) = ([], nil)
            context.fireChannelInactive()
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head): begin(head)
            case .body(let bytes): reading?.bytesIn += bytes.readableBytes
            case .end: reading = nil
            }
            context.fireChannelRead(data)
        }

        private func begin(_ head: HTTPRequestHead) {
            let entry = Entry(client(of: head))
            if case .RAW = head.method {} else { entry.method = head.method.rawValue }
            entry.route = RequestTarget.originForm(of: head.uri).flatMap(Route.init(target:))
            pending.append(entry)
            reading = entry
        }

        /// Returns the client's address for the log.
        private func client(of head: HTTPRequestHead?) -> String {
            guard state.isAccessLogged, let peer else { return "none" }
            return "\(proxies.client(of: peer, head?.headers["x-forwarded-for"] ?? []))"
        }

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            switch unwrapOutboundIn(data) {
            case .head(let head) where head.status.code >= 200:
                let entry = pending.isEmpty ? Entry(client(of: nil)) : pending.removeFirst()
                entry.status = Int(head.status.code)
                entry.id = head.headers["x-request-id"].first
                (entry.verdict, verdict) = (verdict, nil)
                answering = entry
            case .head: break
            case .body(.byteBuffer(let bytes)): answering?.bytesOut += bytes.readableBytes
            case .body(.fileRegion(let region)): answering?.bytesOut += region.readableBytes
            case .end:
                guard let entry = answering else { break }
                answering = nil
                let written = promise ?? context.eventLoop.makePromise(of: Void.self)
                written.futureResult.assumeIsolated().whenComplete { result in
                    if case .failure = result { entry.status = Self.unanswered }
                    self.record(entry)
                }
                return context.write(data, promise: written)
            }
            context.write(data, promise: promise)
        }

        /// Stores the verdict of the answer that is written next.
        func triggerUserOutboundEvent(
            context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
        ) {
            guard let verdict = event as? AppleVerdict else {
                return context.triggerUserOutboundEvent(event, promise: promise)
            }
            self.verdict = verdict
            promise?.succeed()
        }

        private func record(_ entry: Entry) {
            let nanoseconds = (NIODeadline.now() - entry.start).nanoseconds
            state.metrics.record(entry.route, entry.status, nanoseconds: nanoseconds)
            guard state.isAccessLogged else { return }
            var values: Logger.Metadata = [
                "client": "\(entry.client)", "method": "\(entry.method)",
                "route": "\(entry.route?.rawValue ?? "other")", "status": .stringConvertible(entry.status),
                "bytes_in": .stringConvertible(entry.bytesIn),
                "bytes_out": .stringConvertible(entry.bytesOut),
                "microseconds": .stringConvertible(Int(nanoseconds / 1000)),
            ]
            if let id = entry.id { values["id"] = "\(id)" }
            if let verdict = entry.verdict {
                values["apple_status"] = .stringConvertible(verdict.status.rawValue)
                if let refusal = verdict.refusal { values["refusal"] = "\(refusal.rawValue)" }
            }
            state.accessLogger.log(level: state.accessLevel, "request", metadata: values)
        }
    }
#endif
