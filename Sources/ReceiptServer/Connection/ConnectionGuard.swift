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
        /// It is one of those for what is streamed.
        private var hasStream = false
        /// The body of the last request is still coming.
        private var reading: Reading?
        /// What is left of the last request is nobody's: it was answered, or comes behind the last.
        private var isSkipping = false
        /// Nothing is read behind the last request.
        private var isLastRead = false
        /// It is one of those beyond the limit: it gets one answer, and that of health checks and metrics alone.
        private var isBeyondLimit = false
        /// Of the request whose head was read last, if it names one.
        private var requestID: String?
        /// It is of HTTP/1.0.
        private var isHTTP10 = false
        /// The head of an answer was written and its end was not.
        private var isAnswering = false
        /// The connection ends with the answer at hand.
        private var isFinal = false
        /// The last answer is written: what comes is dropped until then.
        private var drainingUntil: NIODeadline?
        private var isClosed = false
        /// It waits until what was answered is on its way.
        private var isReadHeld = false
        /// The body bytes of one read, whatever chunks they came in: a part costs the reader as much as kilobytes.
        private var gathered: ByteBuffer?
        private var idleSince = NIODeadline.now()
        private var headSince: NIODeadline?
        private var stalled: (since: NIODeadline, bytes: Int)?

        /// The number of unanswered requests above which the server stops reading from a connection. The last read of at most
        /// 16 KiB may exceed it.
        private static let mostAhead = 16

        private struct Reading {
            /// Of the time in which some bytes must come, and those that did.
            var window = (start: NIODeadline.now(), bytes: Int64(0))
            var last = NIODeadline.now()
            var bytes: Int64 = 0
            /// What its route reads of it.
            var limit = Int64(ByteBudget.free)
            /// It comes as its sender likes.
            var isStream = false
        }

        init(_ state: ServerState) { self.state = state }

        // MARK: - Life

        func channelActive(context: ChannelHandlerContext) {
            self.context = context
            isBeyondLimit = !state.admission.connect(context.channel)
            idleSince = .now()
            // A handshake is part of the first head.
            if state.certificates != nil { headSince = idleSince }
            schedule(now: idleSince)
            context.fireChannelActive()
        }

        func channelInactive(context: ChannelHandlerContext) {
            if self.context != nil { state.admission.disconnect(isBeyondLimit ? context.channel : nil) }
            isClosed = true
            timer?.cancel()
            timer = nil
            leave()
            self.context = nil
            context.fireChannelInactive()
        }

        /// Whether there is a place, or is one already.
        private func enter(isStream: Bool) -> Bool {
            if hasPlace {
                guard isStream, !hasStream else { return true }
                hasStream = state.admission.enterStream()
                return hasStream
            }
            hasPlace = state.admission.enter(isStream: isStream)
            hasStream = hasPlace && isStream
            return hasPlace
        }

        private func leave() {
            if hasPlace { state.admission.leave(isStream: hasStream) }
            (hasPlace, hasStream) = (false, false)
        }

        // MARK: - Reading

        /// Bytes came in, whatever they are of.
        func bytesCame() {
            if reading == nil, headSince == nil { headSince = .now() }
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard !isClosed else { return }
            let part = unwrapInboundIn(data)
            // Bytes without end behind an answer that is given.
            if let reading, requests == 0, drainingUntil == nil, reading.bytes > reading.limit {
                return close(context)
            }
            if isFinal && !isAnswering || isSkipping { return drop(part, context) }
            switch part {
            case .head(let head): begin(head, context)
            case .body(var bytes):
                took(bytes)
                if gathered?.writeBuffer(&bytes) == nil { gathered = bytes }
            case .end:
                reading = nil
                passGathered(context)
                context.fireChannelRead(data)
            }
        }

        func channelReadComplete(context: ChannelHandlerContext) {
            passGathered(context)
            context.fireChannelReadComplete()
        }

        private func passGathered(_ context: ChannelHandlerContext) {
            guard let bytes = gathered else { return }
            gathered = nil
            context.fireChannelRead(wrapInboundOut(.body(bytes)))
        }

        private func took(_ bytes: ByteBuffer) {
            guard var reading else { return }
            let count = Int64(bytes.readableBytes)
            reading.last = .now()
            reading.bytes &+= count
            reading.window.bytes &+= count
            // What came before is no credit.
            if reading.window.bytes >= limits.leastBytes(isStream: reading.isStream) {
                reading.window = (reading.last, 0)
            }
            self.reading = reading
        }

        private func begin(_ received: HTTPRequestHead, _ context: ChannelHandlerContext) {
            guard !isLastRead else {
                isSkipping = true
                return
            }
            headSince = nil
            reading = Reading()
            var head = received
            let fields = FramingFields(head.headers)
            isHTTP10 = head.version.major < 1 || (head.version.major == 1 && head.version.minor < 1)
            // Behind what would become another protocol, the decoder reads nothing.
            isLastRead =
                isHTTP10 || !head.isKeepAlive || head.method == .CONNECT || fields.upgrades || isBeyondLimit
            requestID = fields.id
            // RFC 9112, 3.2.
            guard fields.hosts == 1 || isHTTP10 else {
                return answer(.badRequest("exactly one Host header required"), context)
            }
            guard fields.length != .some(nil) else { return answer(.tooLarge(nil), context) }
            let length = fields.length ?? nil
            if head.method != .CONNECT {
                guard let target = RequestTarget.originForm(of: head.uri) else {
                    return answer(
                        .badRequest("invalid request target: must be a path or an http or https URL"), context
                    )
                }
                head.uri = target
            }
            let route = Route(target: head.uri)
            if let route, head.method == .POST {
                reading?.limit += Int64(min(route.bodyLimit, Int(Int64.max / 2)))
                reading?.isStream = route == .batch
            }
            if route?.isAlwaysAnswered != true,
                isBeyondLimit || !enter(isStream: reading?.isStream == true)
            {
                isSkipping = true
                // An answer that is due goes first, and no other follows it.
                if requests > 0 {
                    isLastRead = true
                    return
                }
                return answer(.busy, route, isFinal: isLastRead, isHead: head.method == .HEAD, context)
            }
            requests += 1
            if requests == 1, !isHTTP10, fields.expectation?.lowercased() == "100-continue",
                length ?? 0 <= route?.bodyLimit ?? 0,
                state.tokens?.allow(head.headers.first(name: "authorization")) != false
            {
                let head = HTTPResponseHead(version: .http1_1, status: .continue)
                context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
            }
            context.fireChannelRead(wrapInboundOut(.head(head)))
        }

        private func drop(_ part: HTTPServerRequestPart, _ context: ChannelHandlerContext) {
            switch part {
            case .head: break
            case .body(let bytes): took(bytes)
            case .end:
                reading = nil
                isSkipping = false
                if drainingUntil != nil { close(context) }
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            passGathered(context)
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
                // Whoever wants the end says so in an answer that may not be the last: those behind it are due.
                if state.admission.isClosed || head.headers.contains(name: "connection") { isLastRead = true }
                isFinal = isFinal || (isLastRead && requests == 1)
                head.headers.remove(name: "connection")
                if isFinal { head.headers.add(name: "connection", value: "close") }
                // What has no length ends with its connection there.
                if isLastRead, requests == 1, isHTTP10 { head.version = .http1_0 }
                context.write(wrapOutboundOut(.head(head)), promise: promise)
            case .body: context.write(data, promise: promise)
            case .end:
                isAnswering = false
                requests -= 1
                release(context)
                if state.admission.isClosed { isLastRead = true }
                if isLastRead, requests == 0 { isFinal = true }
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
            requestID = nil
            idleSince = .now()
            if isFinal { end(context) }
        }

        /// Applies backpressure: reads nothing while answers wait to be sent, or while too many requests wait for an answer.
        func read(context: ChannelHandlerContext) {
            isReadHeld = !context.channel.isWritable || requests > Self.mostAhead
            if !isReadHeld { context.read() }
        }

        private func release(_ context: ChannelHandlerContext) {
            guard isReadHeld, context.channel.isWritable, requests <= Self.mostAhead else { return }
            isReadHeld = false
            context.read()
        }

        /// Whoever was to answer is gone and says so, where nothing is asked or on its way: of a connection that was accepted while
        /// the server stops nobody takes notice. What is read behind an end of the answers would be answered to nobody.
        func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
            if mode == .output, requests == 0, drainingUntil == nil, buffered(context) == 0 {
                isClosed = true
                context.close(promise: promise)
            } else {
                context.close(mode: mode, promise: promise)
            }
        }

        func channelWritabilityChanged(context: ChannelHandlerContext) {
            stalled = context.channel.isWritable ? nil : (.now(), buffered(context))
            release(context)
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
            // Answers that are due go first, and the last of them ends the connection.
            guard requests == 0 else {
                (isLastRead, isSkipping) = (true, true)
                return
            }
            answer(failure, nil, isFinal: true, context)
        }

        /// - Parameter isHead: the connection may go on, and a body would be taken for the next answer.
        private func answer(
            _ failure: Failure, _ route: Route?, isFinal: Bool, isHead: Bool = false,
            _ context: ChannelHandlerContext
        ) {
            let answer = Answer(failure)
            state.metrics.count(route, answer.status.code)
            self.isFinal = isFinal || state.admission.isClosed
            var head = answer.head(id: RequestIDs.own(requestID) ?? state.requestIDs.next(), state.clock.date)
            if self.isFinal { head.headers.replaceOrAdd(name: "connection", value: "close") }
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            if !isHead { context.write(wrapOutboundOut(.body(.byteBuffer(answer.bytes))), promise: nil) }
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
            (idleSince, requestID) = (.now(), nil)
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
            if let stalled { return stalled.since + limits.idle }
            if let reading {
                // Slowly, byte by byte, is as good as never.
                let window = reading.isStream ? limits.idle : limits.header
                return min(reading.last + limits.idle, reading.window.start + window)
            }
            if requests == 0 {
                if let headSince { return headSince + limits.header }
                return idleSince + (state.admission.isClosed ? limits.lingering : limits.idle)
            }
            return nil
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
            // What is left of a body that was answered before its end is nothing to answer again.
            let isAnswered = reading != nil && requests == 0
            guard isWaitingForRequest, drainingUntil == nil, stalled == nil, !isAnswering, requests <= 1,
                !isSkipping, !isAnswered
            else {
                return close(context)
            }
            // Whoever waits for the body is told nothing more.
            requests = 0
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
