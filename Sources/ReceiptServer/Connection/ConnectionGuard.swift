#if Server
    import NIOCore
    import NIOHTTP1
    import NIOHTTPTypesHTTP1
    import NIOTLS

    /// A handler that keeps one connection within its limits. It enforces timeouts for heads, bodies and idle connections,
    /// asks ``Admission`` for a place, and decides when the connection ends. It handles parsed HTTP/1.1, and answers
    /// invalid requests itself.
    final class ConnectionGuard: ChannelDuplexHandler, NIOScheduledCallbackHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias InboundOut = HTTPServerRequestPart
        typealias OutboundIn = HTTPServerResponsePart
        typealias OutboundOut = HTTPServerResponsePart

        private let state: ServerState
        private let connections: OpenConnections
        private let turns: Turns
        private let lingering: Lingering
        /// The turns of the TLS handshake, nil without TLS.
        private let handshake: HandshakeTurns?
        private var limits: ConnectionLimits { state.settings.connection }
        private var context: ChannelHandlerContext?
        private var timer: NIOScheduledCallback?

        /// The number of requests that were at least partly read and not completely answered.
        private var requests = 0
        private var place: ConnectionPlace
        private var times = ConnectionTimes()
        /// The body that is being read, nil between requests.
        private var body: BodyProgress?
        /// Whether further input is dropped: the rest of a request that was already answered, or input after the
        /// last request.
        private var isSkipping = false
        /// Whether the server reads no request after the current one.
        private var isLastRead = false
        /// Whether the connection is beyond the limit. It gets a single answer, which is an error except for health
        /// checks and metrics.
        private var isBeyondLimit = false
        /// The ID of the request whose head was read last, if it has one.
        private var requestID: String?
        /// Whether that request uses HTTP/1.0.
        private var isHTTP10 = false
        /// Whether the head of an answer was written, but not yet its end.
        private var isAnswering = false
        /// Whether the connection ends with the current answer.
        private var isFinal = false
        private var isClosed = false
        /// Whether a read waits until pending answers were sent.
        private var isReadHeld = false
        /// The number of answers that are not completely sent.
        private var unsent = 0
        /// The work since the connection's last turn: a head costs as much as ``headWork`` chunks of a body, and one more for each
        /// ``chunkWorth`` bytes of its target.
        private var turnWork = 0
        /// A function that passes on the input that waits for the connection's next turn.
        private var heldInput: (() -> Void)?
        private var isWaitingForTurn = false
        /// The body bytes of one read, joined from their chunks, because every part has a high fixed cost.
        private var gathered: ByteBuffer?

        /// The number of unanswered requests, and of heads in a turn, above which the connection's input waits. The last
        /// slice of input may exceed it.
        private static let mostAhead = 4
        private static let headWork = 16
        private static let chunkWorth = 128
        /// The number of bytes of a slice of input that may contain heads or chunks.
        private static let slice = 512

        init(
            _ state: ServerState, _ connections: OpenConnections, _ turns: Turns, _ lingering: Lingering,
            _ handshake: HandshakeTurns?
        ) {
            (self.state, self.connections, self.turns) = (state, connections, turns)
            (self.lingering, self.handshake) = (lingering, handshake)
            place = ConnectionPlace(state.admission)
        }

        // MARK: - Life

        func channelActive(context: ChannelHandlerContext) {
            self.context = context
            isBeyondLimit = !connections.connect(context.channel)
            times.idleSince = .now()
            // The time for the first head includes the TLS handshake.
            if state.certificates != nil { times.headSince = times.idleSince }
            schedule(now: times.idleSince)
            context.fireChannelActive()
        }

        func channelInactive(context: ChannelHandlerContext) {
            if self.context != nil { connections.disconnect(isBeyondLimit ? context.channel : nil) }
            place.endHalfClose(context.channel)
            isClosed = true
            timer?.cancel()
            timer = nil
            place.leave()
            (self.context, heldInput) = (nil, nil)
            context.fireChannelInactive()
        }

        // MARK: - Reading

        /// Counts a slice, which may produce no part. Starts the time for a head if none has begun.
        func beginSlice() {
            turnWork += 1
            if body == nil, times.headSince == nil { times.headSince = .now() }
        }

        /// The number of parts that the decoder produced.
        private(set) var parts: UInt64 = 0

        /// Whether a body has begun and not ended.
        var isInBody: Bool { body != nil }

        /// Whether all further input is dropped.
        var isOver: Bool { isClosed || times.isDraining || (isLastRead && body == nil) }

        /// The maximum number of bytes that may be decoded now, 0 if the input must wait for a turn. The body of a request
        /// with a length is not cut.
        var decodable: Int {
            guard isPassing, turnWork <= Self.mostAhead * Self.headWork else { return 0 }
            return max(Self.slice, body.map { Int($0.length - $0.bytes) } ?? 0)
        }

        /// Whether input may be decoded. A connection without a place has one answer in memory at a time.
        private var isPassing: Bool {
            guard place.isTaken else { return requests == 0 && unsent == 0 }
            return requests <= Self.mostAhead && context?.channel.isWritable == true
        }

        /// Begins a turn with input from the socket, unless earlier input waits.
        func beginTurn() {
            if heldInput == nil { turnWork = 0 }
        }

        /// Waits for the connection's next turn.
        /// - Parameter passOn: Passes on the input that waits.
        func hold(_ passOn: @escaping () -> Void) {
            // The time for a head begins with its turn.
            (heldInput, times.headSince) = (passOn, nil)
            waitForTurn()
        }

        private func waitForTurn() {
            guard heldInput != nil, !isWaitingForTurn, isPassing else { return }
            isWaitingForTurn = true
            turns.next { [self] in
                isWaitingForTurn = false
                guard let context, let passOn = heldInput else { return }
                (heldInput, turnWork) = (nil, 0)
                passOn()
                release(context)
            }
        }

        /// Refuses input that exceeds the memory limit.
        func refuseInput() {
            guard let context, !isClosed, !times.isDraining else { return }
            guard isInBody else { return answer(.busy, context) }
            guard requests > 0 else { return close(context) }
            // The dispatcher receives the error as the end of the body, and answers.
            isLastRead = true
            passGathered(context)
            context.fireErrorCaught(Failure.busy)
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            parts &+= 1
            guard !isClosed else { return }
            let part = unwrapInboundIn(data)
            if case .head(let head) = part {
                turnWork += Self.headWork + head.uri.utf8.count / Self.chunkWorth
            } else {
                turnWork += 1
            }
            // Ends a connection that keeps sending a body after its answer.
            if requests == 0, !times.isDraining, body?.isTooLongAfterAnswer == true {
                return close(context)
            }
            if isFinal && !isAnswering || isSkipping { return drop(part, context) }
            switch part {
            case .head(let head): begin(head, context)
            case .body(var bytes):
                body?.take(bytes.readableBytes, limits)
                if gathered?.writeBuffer(&bytes) == nil { gathered = bytes }
            case .end:
                body = nil
                passGathered(context)
                context.fireChannelRead(data)
            }
        }

        func channelReadComplete(context: ChannelHandlerContext) {
            times.pause()
            passGathered(context)
            context.fireChannelReadComplete()
        }

        private func passGathered(_ context: ChannelHandlerContext) {
            guard let bytes = gathered else { return }
            gathered = nil
            context.fireChannelRead(wrapInboundOut(.body(bytes)))
        }

        private func begin(_ received: HTTPRequestHead, _ context: ChannelHandlerContext) {
            guard !isLastRead else {
                isSkipping = true
                return
            }
            times.headSince = nil
            var head = received
            let fields = FramingFields(head.headers, hasTokens: state.settings.tokens != nil)
            let length = fields.length ?? nil
            body = BodyProgress(length: length, limit: 0, isStream: false)
            isHTTP10 = head.version.major < 1 || (head.version.major == 1 && head.version.minor < 1)
            let expectsContinue = !isHTTP10 && fields.expectsContinue
            // After a request for another protocol, the decoder reads nothing.
            isLastRead =
                isHTTP10 || !head.isKeepAlive || head.method == .CONNECT || fields.upgrades || isBeyondLimit
            requestID = fields.id
            head.headers = fields.read
            if let failure = fields.failure(target: head.uri, isHTTP10: isHTTP10) {
                return answer(failure, context)
            }
            if head.method != .CONNECT {
                guard let target = RequestTarget.originForm(of: head.uri) else {
                    return answer(
                        .badRequest("invalid request target: must be a path or an http or https URL"), context
                    )
                }
                head.uri = target
            }
            let route = Route(target: head.uri)
            let isStream = route == .batch && head.method == .POST
            if let route, head.method == .POST {
                body = BodyProgress(length: length, limit: route.bodyLimit, isStream: isStream)
            }
            // An HTTP/1.0 client takes the end of the connection for the end of an answer without a length (RFC 9112, 8).
            guard !isHTTP10 || !isStream else {
                return answer(.badRequest("batches require HTTP/1.1"), context)
            }
            if route?.isAlwaysAnswered != true,
                isBeyondLimit || (route?.isPage != true && !place.enter(isStream: isStream))
            {
                isSkipping = true
                // If answers are pending, the connection ends after them, and this request gets no answer.
                if requests > 0 {
                    (isLastRead, isHTTP10) = (true, false)
                    return
                }
                // A client that gets another answer than 100 may omit the body.
                return answer(
                    isBeyondLimit ? connections.refusal : .busy, isFinal: isLastRead || expectsContinue,
                    isHead: head.method == .HEAD, context)
            }
            requests += 1
            if requests == 1, expectsContinue {
                if length ?? 0 <= route?.bodyLimit ?? 0, hasToken(head.headers) {
                    let head = HTTPResponseHead(version: .http1_1, status: .continue)
                    context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
                } else {
                    isLastRead = true
                }
            }
            context.fireChannelRead(wrapInboundOut(.head(head)))
        }

        private func hasToken(_ headers: HTTPHeaders) -> Bool {
            let fields = headers["authorization"]
            let value = fields.count == 1 ? fields[0].withoutOptionalWhitespace : nil
            return state.tokens?.allow(value) != false
        }

        private func drop(_ part: HTTPServerRequestPart, _ context: ChannelHandlerContext) {
            switch part {
            case .head: break
            case .body(let bytes): body?.take(bytes.readableBytes, limits)
            case .end:
                body = nil
                isSkipping = false
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            passGathered(context)
            guard let error = error as? HTTPParserError, !isFinal || requests == 0 else {
                return context.fireErrorCaught(error)
            }
            // The last answer was given for the head. Further input is dropped.
            if isFinal { return }
            if requests > 0 {
                isLastRead = true
                // The dispatcher receives the error as the end of the body, and answers. Between requests, the
                // dispatcher would close the connection before the pending answers.
                if body != nil { return context.fireErrorCaught(error) }
                return isSkipping = true
            }
            // The request was answered, so the error ends the connection without a second answer.
            if body != nil {
                // Answers that are not completely sent go first.
                if unsent > 0 { (isLastRead, isFinal, isSkipping) = (true, true, true) } else { end(context) }
                return
            }
            answer(error == .headerOverflow ? .headTooLarge : .badRequest("not HTTP/1.1"), context)
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            switch event {
            case is ChannelShouldQuiesceEvent:
                // The server answers requests that clients sent before they could notice the shutdown.
                state.admission.close()
                times.idleSince = .now()
                schedule(now: times.idleSince)
            case ChannelEvent.inputClosed:
                // The connection may have been closed while its last input was passed on.
                if requests > 0, place.isTaken, !place.isHalfClosed, !isClosed { halfClose(context) }
                context.fireUserInboundEventTriggered(event)
            case TLSUserEvent.handshakeCompleted:
                handshake?.end()
                times.headSince = nil
                times.idleSince = .now()
                context.fireUserInboundEventTriggered(event)
            default: context.fireUserInboundEventTriggered(event)
            }
        }

        /// Frees the connection's place after the client closed its sending half. Requests of clients that ended must not take the
        /// places of others.
        private func halfClose(_ context: ChannelHandlerContext) {
            place.halfClose(context.channel)
            if place.isHalfClosed { return }
            // Answers that have begun keep their place.
            guard !isAnswering, unsent == 0 else { return }
            // The ID is that of the last request.
            if requests > 1 { requestID = nil }
            requests = 0
            answer(.busy, isFinal: true, context)
        }

        // MARK: - Writing

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            guard !isClosed, !times.isDraining, requests > 0 else {
                promise?.fail(ChannelError.ioOnClosedChannel)
                return
            }
            switch unwrapOutboundIn(data) {
            case .head(var head):
                isAnswering = true
                // A "Connection: close" may be in an answer before the last one. Later answers are still due.
                if state.admission.isClosed || head.headers.contains(name: "connection") { isLastRead = true }
                isFinal = isFinal || (isLastRead && requests == 1)
                head.headers.remove(name: "connection")
                if isFinal { head.headers.add(name: "connection", value: "close") }
                if isLastRead, requests == 1, isHTTP10 { head.version = .http1_0 }
                context.write(wrapOutboundOut(.head(head)), promise: promise)
            case .body: context.write(data, promise: promise)
            case .end:
                isAnswering = false
                requests -= 1
                times.idleSince = .now()
                let sent = sent(promise, context)
                release(context)
                if isLastRead, requests == 0 { isFinal = true }
                context.write(data, promise: sent)
            }
        }

        /// Sets the time limits of a batch that is being read. A further request has begun only after the batch was read.
        func triggerUserOutboundEvent(
            context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
        ) {
            guard let event = event as? BatchLines.Event else {
                return context.triggerUserOutboundEvent(event, promise: promise)
            }
            if requests == 1 { body?.note(event) }
            promise?.succeed()
        }

        /// Returns the promise for the end of an answer.
        private func sent(
            _ promise: EventLoopPromise<Void>?, _ context: ChannelHandlerContext
        ) -> EventLoopPromise<Void> {
            unsent += 1
            let sent = promise ?? context.eventLoop.makePromise(of: Void.self)
            sent.futureResult.assumeIsolated().whenComplete { _ in
                self.unsent -= 1
                self.answered(context)
            }
            return sent
        }

        /// Ends the connection or waits for the next request, after an answer was passed to the system.
        private func answered(_ context: ChannelHandlerContext) {
            guard !isClosed, !times.isDraining, requests == 0, unsent == 0 else { return }
            place.leave()
            // TLS waits for the client's close_notify, which does not come after the end of its input.
            if heldInput == nil { place.endHalfClose(context.channel) }
            requestID = nil
            times.idleSince = .now()
            if isFinal { return end(context) }
            // The timeout is shorter while the server stops.
            if state.admission.isClosed { schedule(now: times.idleSince) }
            release(context)
        }

        /// Applies backpressure: reads nothing while answers wait to be sent, too many requests wait for an answer, or input
        /// waits for a turn.
        func read(context: ChannelHandlerContext) {
            isReadHeld = !isPassing || heldInput != nil
            if !isReadHeld { readMore(context) }
        }

        private func readMore(_ context: ChannelHandlerContext) {
            times.resume(&body)
            context.read()
        }

        private func release(_ context: ChannelHandlerContext) {
            waitForTurn()
            guard isReadHeld, isPassing, heldInput == nil else { return }
            isReadHeld = false
            readMore(context)
        }

        /// Closes the whole connection, not only its output, if no request or answer is pending. No task would answer
        /// further input, for example if the connection was accepted while the server stops. Answers that are not completely
        /// sent go first: if the client has closed its half, closing the output would drop them.
        func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
            if mode == .output, unsent > 0, requests == 0, !times.isDraining {
                (isLastRead, isFinal) = (true, true)
                promise?.succeed()
            } else if mode == .output, requests == 0, !times.isDraining, buffered(context) == 0 {
                isClosed = true
                context.close(promise: promise)
            } else {
                context.close(mode: mode, promise: promise)
            }
        }

        func channelWritabilityChanged(context: ChannelHandlerContext) {
            release(context)
            context.fireChannelWritabilityChanged()
        }

        private func buffered(_ context: ChannelHandlerContext) -> Int {
            (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
        }
    }

    // MARK: - Answers of its own

    extension ConnectionGuard {
        /// Sends an error in place of the dispatcher, and ends the connection.
        private func answer(_ failure: Failure, _ context: ChannelHandlerContext) {
            // Pending answers go first, and the last of them ends the connection.
            guard requests == 0 else {
                // The pending requests use HTTP/1.1, because one of HTTP/1.0 is the last.
                (isLastRead, isSkipping, isHTTP10) = (true, true, false)
                return
            }
            answer(failure, isFinal: true, context)
        }

        /// Sends an error in place of the dispatcher.
        /// - Parameter isHead: Whether the request has the method HEAD. The connection may continue, and the client would
        ///   read a body as its next answer.
        private func answer(
            _ failure: Failure, isFinal: Bool, isHead: Bool = false, _ context: ChannelHandlerContext
        ) {
            let answer = HTTPAnswer(failure)
            self.isFinal = isFinal || state.admission.isClosed
            let id = RequestIDs.own(requestID) ?? state.requestIDs.next()
            var head = HTTPResponseHead(answer.head(id: id, state.clock.date))
            if self.isFinal { head.headers.replaceOrAdd(name: "connection", value: "close") }
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            if !isHead { context.write(wrapOutboundOut(.body(.byteBuffer(answer.body))), promise: nil) }
            (times.idleSince, requestID) = (.now(), nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: sent(nil, context))
        }

        /// Ends the connection after the answer. If a connection is closed before all input was read, the system resets it,
        /// and the client could lose the answer. The server therefore reads and drops input until the client closes, for a
        /// limited time.
        private func end(_ context: ChannelHandlerContext) {
            let passOn = heldInput
            let now = NIODeadline.now()
            times.drain(limits, now: now)
            heldInput = nil
            context.close(mode: .output, promise: nil)
            schedule(now: now)
            passOn?()
            lingering.begin()
        }

        private func close(_ context: ChannelHandlerContext) {
            isClosed = true
            context.close(promise: nil)
        }
    }

    // MARK: - Time

    extension ConnectionGuard {
        /// The time at which the connection times out.
        private var deadline: NIODeadline? {
            times.deadline(
                body, isAnswered: requests == 0, isStopping: state.admission.isClosed, limits)
        }

        /// Sets the timer to at most the shortest of the timeouts. Setting it again with every request would cost more
        /// than these checks.
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
            times.noteProgress(
                written: lingering.written, buffered: buffered(context), limits, now: now)
            if let last = lingering.lastDropped { times.noteDropped(last, limits) }
            guard let deadline, now >= deadline else { return schedule(now: now) }
            let isWaitingForRequest = times.headSince != nil || body != nil
            // The rest of a body whose request was already answered gets no second answer.
            let isAnswered = body != nil && requests == 0
            guard isWaitingForRequest, !times.isDraining, !times.isStalled, !isAnswering, !isFinal,
                requests <= 1, !isSkipping, !isAnswered
            else {
                return close(context)
            }
            // The dispatcher still waits for the body, but no longer answers.
            requests = 0
            answer(.tooSlow, context)
            // The answer may not leave, for example during a TLS handshake.
            if !times.isDraining { schedule(now: now) }
        }
    }
#endif
