#if Server
    import HTTPTypes
    import NIOCore
    import NIOHTTP1
    import NIOTLS

    /// Keeps one connection within its limits: how long a head, a body and silence may take, whether there is room for its
    /// requests, and when it ends. It sees HTTP as it was read, and answers by itself what no request is made of.
    ///
    /// A connection has one place among those that are worked on, however many requests it sends ahead.
    final class ConnectionGuard: ChannelDuplexHandler, NIOScheduledCallbackHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias InboundOut = HTTPServerRequestPart
        typealias OutboundIn = HTTPServerResponsePart
        typealias OutboundOut = HTTPServerResponsePart

        private let state: ServerState
        private var limits: ConnectionLimits { state.settings.connection }
        private var context: ChannelHandlerContext?
        private var timer: NIOScheduledCallback?

        /// Requests that were read, in part at least, and not answered to their end.
        private var requests = 0
        private var hasPlace = false
        /// The body of the last request is still coming.
        private var reading: Reading?
        /// What is left of the last request is nobody's: it was answered here.
        private var isSkipping = false
        /// Nothing is read behind the last request.
        private var isLastRead = false
        /// It is of HTTP/1.0.
        private var isHTTP10 = false
        /// The head of an answer was written and its end was not.
        private var isAnswering = false
        /// The connection ends with the answer at hand.
        private var isFinal = false
        /// The last answer is written: what comes is dropped until then.
        private var drainingUntil: NIODeadline?
        private var isClosed = false
        private var idleSince = NIODeadline.now()
        private var headSince: NIODeadline?
        private var stalled: (since: NIODeadline, bytes: Int)?

        private struct Reading {
            let start = NIODeadline.now()
            var last = NIODeadline.now()
            var bytes: Int64 = 0
        }

        init(_ state: ServerState) { self.state = state }

        // MARK: - Life

        func channelActive(context: ChannelHandlerContext) {
            self.context = context
            state.admission.connect()
            idleSince = .now()
            // A handshake is part of the first head.
            if state.certificates != nil { headSince = idleSince }
            schedule(now: idleSince)
            context.fireChannelActive()
        }

        func channelInactive(context: ChannelHandlerContext) {
            if self.context != nil { state.admission.disconnect() }
            isClosed = true
            timer?.cancel()
            timer = nil
            leave()
            self.context = nil
            context.fireChannelInactive()
        }

        private func leave() {
            if hasPlace { state.admission.leave() }
            hasPlace = false
        }

        // MARK: - Reading

        /// Bytes came in, whatever they are of.
        func bytesCame() {
            if reading == nil, headSince == nil { headSince = .now() }
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let part = unwrapInboundIn(data)
            if isFinal && !isAnswering || isSkipping { return drop(part, context) }
            switch part {
            case .head(let head): begin(head, context)
            case .body(let bytes):
                reading?.last = .now()
                reading?.bytes += Int64(bytes.readableBytes)
                context.fireChannelRead(data)
            case .end:
                reading = nil
                context.fireChannelRead(data)
            }
        }

        private func begin(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
            guard !isLastRead else { return }
            headSince = nil
            reading = Reading()
            isHTTP10 = head.version.major < 1 || (head.version.major == 1 && head.version.minor < 1)
            // Behind what would become another protocol, the decoder reads nothing.
            isLastRead =
                isHTTP10 || !head.isKeepAlive || head.method == .CONNECT
                || head.headers.contains(name: "upgrade")
            guard head.headers["host"].count == 1 || isHTTP10 else {
                // RFC 9112, 3.2.
                return answer(.badRequest("a request has one Host"), context)
            }
            if let length = head.headers.first(name: "content-length"), Int(length) == nil {
                return answer(.tooLarge(nil), context)
            }
            let route = Route(uri: head.uri)
            guard requests > 0 || hasPlace || route?.isAlwaysAnswered == true || state.admission.enter()
            else {
                isSkipping = true
                return answer(.busy, route, isFinal: isLastRead, context)
            }
            if requests == 0, route?.isAlwaysAnswered != true { hasPlace = true }
            requests += 1
            if requests == 1, !isHTTP10,
                head.headers.first(name: "expect")?.lowercased() == "100-continue",
                head.headers.first(name: "content-length").flatMap(Int.init) ?? 0 <= route?.bodyLimit ?? 0
            {
                let head = HTTPResponseHead(version: .http1_1, status: .continue)
                context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
            }
            context.fireChannelRead(wrapInboundOut(.head(head)))
        }

        private func drop(_ part: HTTPServerRequestPart, _ context: ChannelHandlerContext) {
            switch part {
            case .head: break
            case .body(let bytes):
                reading?.last = .now()
                reading?.bytes += Int64(bytes.readableBytes)
            case .end:
                reading = nil
                isSkipping = false
                if drainingUntil != nil { close(context) }
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            guard let error = error as? HTTPParserError, !isFinal else {
                return context.fireErrorCaught(error)
            }
            // Whoever reads the body learns that there is no more of it, and answers.
            if requests > 0 {
                isLastRead = true
                return context.fireErrorCaught(error)
            }
            reading = nil
            answer(error == .headerOverflow ? .headTooLarge : .badRequest("not HTTP/1.1"), context)
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            switch event {
            case is ChannelShouldQuiesceEvent:
                // What was sent before the sender could know is answered.
                state.admission.close()
                idleSince = .now()
                schedule(now: idleSince)
            case TLSUserEvent.handshakeCompleted:
                headSince = nil
                idleSince = .now()
                context.fireUserInboundEventTriggered(event)
            default: context.fireUserInboundEventTriggered(event)
            }
        }

        // MARK: - Writing

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            guard !isClosed, drainingUntil == nil else {
                promise?.fail(ChannelError.ioOnClosedChannel)
                return
            }
            switch unwrapOutboundIn(data) {
            case .head(var head):
                isAnswering = true
                isFinal =
                    isFinal || state.admission.isClosed || (isLastRead && requests == 1)
                    || head.headers.contains(name: "connection")
                if isFinal { head.headers.replaceOrAdd(name: "connection", value: "close") }
                // What has no length ends with its connection there.
                if isLastRead, requests == 1, isHTTP10 { head.version = .http1_0 }
                context.write(wrapOutboundOut(.head(head)), promise: promise)
            case .body: context.write(data, promise: promise)
            case .end:
                isAnswering = false
                requests -= 1
                if state.admission.isClosed { isFinal = true }
                let written = promise ?? context.eventLoop.makePromise(of: Void.self)
                let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
                written.futureResult.whenComplete { _ in
                    let (handler, context) = bound.value
                    handler.answered(context)
                }
                context.write(data, promise: written)
            }
        }

        /// An answer is with the system.
        private func answered(_ context: ChannelHandlerContext) {
            guard !isClosed, requests == 0 else { return }
            leave()
            idleSince = .now()
            if isFinal { end(context) }
        }

        func channelWritabilityChanged(context: ChannelHandlerContext) {
            stalled = context.channel.isWritable ? nil : (.now(), buffered(context))
            context.fireChannelWritabilityChanged()
        }

        private func buffered(_ context: ChannelHandlerContext) -> Int {
            (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
        }
    }

    // MARK: - Answers of its own

    extension ConnectionGuard {
        /// Answers in place of whoever would, and ends the connection.
        private func answer(_ failure: Failure, _ context: ChannelHandlerContext) {
            answer(failure, nil, isFinal: true, context)
        }

        private func answer(
            _ failure: Failure, _ route: Route?, isFinal: Bool, _ context: ChannelHandlerContext
        ) {
            let answer = Answer(failure)
            state.metrics.count(route, answer.status.code)
            var headers = HTTPHeaders(
                answer.fields(id: state.requestIDs.next(), state.clock.date).map {
                    ($0.name.rawName, $0.value)
                })
            self.isFinal = isFinal || state.admission.isClosed
            if self.isFinal { headers.replaceOrAdd(name: "connection", value: "close") }
            let status = HTTPResponseStatus(statusCode: answer.status.code)
            let head = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            context.write(wrapOutboundOut(.body(.byteBuffer(answer.bytes))), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
            idleSince = .now()
            if self.isFinal { end(context) }
        }

        /// Ends the connection behind what was written. Where the peer still sends, it would lose the answer if the system
        /// refused what comes: that is read for a while, and dropped.
        private func end(_ context: ChannelHandlerContext) {
            guard reading != nil else { return close(context) }
            drainingUntil = .now() + limits.lingering
            context.close(mode: .output, promise: nil)
            schedule(now: .now())
        }

        private func close(_ context: ChannelHandlerContext) {
            isClosed = true
            context.close(promise: nil)
        }
    }

    // MARK: - Time

    extension ConnectionGuard {
        /// When patience ends.
        private var deadline: NIODeadline? {
            if let drainingUntil { return drainingUntil }
            if let reading {
                // Slowly, byte by byte, is as good as never.
                let allowed =
                    limits.header + .nanoseconds(reading.bytes * 1_000_000_000 / limits.leastBytesPerSecond)
                return min(reading.last + limits.idle, reading.start + allowed)
            }
            if requests == 0 {
                if let headSince { return headSince + limits.header }
                return idleSince + (state.admission.isClosed ? limits.lingering : limits.idle)
            }
            return stalled.map { $0.since + limits.idle }
        }

        /// The timer never sleeps longer than the shortest time that may be asked for: setting it anew with every request would
        /// cost more than looking now and then.
        private func schedule(now: NIODeadline) {
            guard let context, !isClosed else { return }
            timer?.cancel()
            let latest = now + limits.shortest
            timer = try? context.eventLoop.assumeIsolated().scheduleCallback(
                at: min(deadline ?? latest, latest), handler: self)
        }

        func handleScheduledCallback(eventLoop: some EventLoop) {
            guard let context, !isClosed else { return }
            let now = NIODeadline.now()
            if let (since, bytes) = stalled {
                let left = buffered(context)
                stalled = left < bytes ? (now, left) : (since, left)
            }
            guard let deadline, now >= deadline else { return schedule(now: now) }
            let isWaitingForRequest = headSince != nil || reading != nil
            if drainingUntil != nil || !isWaitingForRequest || isAnswering || requests > 1 || isSkipping {
                return close(context)
            }
            answer(.tooSlow, context)
        }
    }

    /// Tells the guard behind HTTP's decoder that bytes came in before they are a head.
    final class FirstBytes: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let guardian: ConnectionGuard

        init(_ guardian: ConnectionGuard) { self.guardian = guardian }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guardian.bytesCame()
            context.fireChannelRead(data)
        }
    }
#endif
