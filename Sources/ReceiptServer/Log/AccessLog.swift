#if Server
    import AppReceipt
    import Logging
    import NIOCore
    import NIOHTTP1
    import ReceiptServices

    /// A handler that logs each request of a connection when its answer is written, also if ``ConnectionGuard`` answered
    /// it.
    ///
    /// Clients cannot inject arbitrary text into the log. Methods are those that the parser knows, and routes replace
    /// paths. ``RequestIDs`` has checked the request's ID. All other values are numbers, IP addresses or words of the
    /// server.
    final class AccessLog: ChannelDuplexHandler {
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
            var status = AccessLog.unanswered
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
            for entry in pending { log(entry) }
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
            let forwarded = head.headers["x-forwarded-for"]
            let entry = Entry(peer.map { "\(proxies.client(of: $0, forwarded))" } ?? "none")
            if case .RAW = head.method {} else { entry.method = head.method.rawValue }
            entry.route = RequestTarget.originForm(of: head.uri).flatMap(Route.init(target:))
            pending.append(entry)
            reading = entry
        }

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            switch unwrapOutboundIn(data) {
            case .head(let head) where head.status.code >= 200:
                let entry = pending.isEmpty ? Entry(peer.map { "\($0)" } ?? "none") : pending.removeFirst()
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
                let bound = NIOLoopBound((self, entry), eventLoop: context.eventLoop)
                written.futureResult.whenComplete { _ in
                    let (log, entry) = bound.value
                    log.log(entry)
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

        private func log(_ entry: Entry) {
            var values: Logger.Metadata = [
                "client": "\(entry.client)", "method": "\(entry.method)",
                "route": "\(entry.route?.rawValue ?? "other")", "status": .stringConvertible(entry.status),
                "bytes_in": .stringConvertible(entry.bytesIn),
                "bytes_out": .stringConvertible(entry.bytesOut),
                "microseconds": .stringConvertible(
                    Int((NIODeadline.now() - entry.start).nanoseconds / 1000)),
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
