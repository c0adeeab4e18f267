#if Server
    import NIOCore

    /// The times from which the timeouts of a connection count.
    struct ConnectionTimes {
        var idleSince = NIODeadline.now()
        /// The time since which a head is awaited or read, nil between requests.
        var headSince: NIODeadline?
        /// The time since which input is dropped after the last answer, and the time until which. Nil before that answer.
        private var draining: (since: NIODeadline, until: NIODeadline)?
        /// The time since which the server reads nothing, because it processes earlier input. Nil while it reads.
        private var pausedSince: NIODeadline? = .now()
        /// The time of the last progress of buffered answers, and the bytes sent until then. Nil if nothing is buffered.
        private var stalled: (since: NIODeadline, sent: Int)?

        /// The number of bytes of an answer that a client must take in each idle timeout.
        private static let leastProgress = 4096

        var isDraining: Bool { draining != nil }
        var isStalled: Bool { stalled != nil }

        mutating func drain(_ limits: ConnectionLimits, now: NIODeadline) {
            draining = (now, now + limits.lingering)
        }

        /// Notes when input was last dropped. Some clients read the answer only when they have sent a whole body.
        mutating func noteDropped(_ last: NIODeadline, _ limits: ConnectionLimits) {
            guard let since = draining?.since else { return }
            draining?.until = min(max(since, last) + limits.lingering, since + limits.longestLingering)
        }

        mutating func pause() { pausedSince = pausedSince ?? .now() }

        /// Notes that the server reads. The time limits of heads and bodies exclude the time in which it did not.
        mutating func resume(_ body: inout BodyProgress?) {
            guard let pausedSince else { return }
            let now = NIODeadline.now()
            func resumed(_ start: NIODeadline) -> NIODeadline { min(now, start + (now - pausedSince)) }
            headSince = headSince.map(resumed)
            body?.resume(resumed)
            self.pausedSince = nil
        }

        /// Notes whether the client took bytes of the buffered answers. The timeouts of a client that took all begin now.
        /// - Parameters:
        ///   - written: The number of bytes written until now.
        ///   - buffered: The number of these that the client did not take.
        mutating func noteProgress(
            written: Int, buffered: Int, _ limits: ConnectionLimits, now: NIODeadline
        ) {
            guard buffered > 0 else {
                guard stalled != nil else { return }
                (stalled, idleSince) = (nil, now)
                if isDraining { drain(limits, now: now) }
                return
            }
            let sent = written - buffered
            if stalled.map({ sent >= $0.sent + Self.leastProgress }) ?? true { stalled = (now, sent) }
        }

        /// Returns the time at which the connection times out. Nil if the server is not waiting for the client.
        /// - Parameters:
        ///   - body: The body that is being read.
        ///   - isAnswered: Whether no request awaits an answer.
        ///   - isStopping: Whether the server stops, so that idle connections end sooner.
        func deadline(
            _ body: BodyProgress?, isAnswered: Bool, isStopping: Bool, _ limits: ConnectionLimits
        ) -> NIODeadline? {
            if let stalled { return stalled.since + limits.idle }
            if let draining { return isStopping ? draining.since + limits.lingering : draining.until }
            if let body { return isAnswered || pausedSince == nil ? body.deadline(limits) : nil }
            guard isAnswered else { return nil }
            if let headSince { return headSince + limits.header }
            return idleSince + (isStopping ? limits.lingering : limits.idle)
        }
    }
#endif
