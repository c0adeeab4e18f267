#if Server
    import NIOCore

    /// The progress of a request's body. It needs a minimum rate, so a client cannot keep the connection by sending single bytes.
    struct BodyProgress {
        /// The length of the body, 0 if it is unknown.
        let length: Int64
        /// The maximum length of a body whose answer was sent. The connection of a longer one is closed.
        private let longestAnswered: Int64
        /// The number of bytes received.
        private(set) var bytes: Int64 = 0
        /// Whether the body is a stream, with a lower minimum rate.
        private(set) var isStream: Bool
        private var last: NIODeadline
        /// The start of the current time window, and the body bytes received in it.
        private var window: (start: NIODeadline, bytes: Int64)
        /// The time since which received lines of a batch are answered. Nil if none are.
        private var workingSince: NIODeadline?

        /// Begins a body.
        /// - Parameters:
        ///   - length: The length that the request states, if it does.
        ///   - limit: The maximum length that the route reads.
        init(length: Int?, limit: Int, isStream: Bool) {
            self.length = Int64(length ?? 0)
            longestAnswered = Int64(ByteBudget.free) + Int64(min(limit, Int(Int64.max / 2)))
            self.isStream = isStream
            last = .now()
            window = (last, 0)
        }

        /// Whether more bytes came than the server drops after the answer.
        var isTooLongAfterAnswer: Bool { bytes > longestAnswered }

        /// Counts bytes. Those of earlier windows do not count for the rate.
        mutating func take(_ count: Int, _ limits: ConnectionLimits) {
            last = .now()
            bytes &+= Int64(count)
            window.bytes &+= Int64(count)
            if window.bytes >= limits.leastBytes(isStream: isStream) { window = (last, 0) }
        }

        /// Changes the minimum rate, or excludes the time in which lines of a batch are answered.
        mutating func note(_ event: BatchLines.Event) {
            let now = NIODeadline.now()
            switch event {
            case .longLine(let isOver): (isStream, window) = (isOver, (now, 0))
            case .work(isOver: false): workingSince = now
            case .work(isOver: true):
                guard let since = workingSince else { return }
                workingSince = nil
                resume { min(now, $0 + (now - since)) }
            }
        }

        /// Excludes the time in which the server did not read.
        mutating func resume(_ resumed: (NIODeadline) -> NIODeadline) {
            last = resumed(last)
            window.start = resumed(window.start)
        }

        /// Returns the time at which the body is too slow. Nil if the server is at work.
        func deadline(_ limits: ConnectionLimits) -> NIODeadline? {
            guard workingSince == nil else { return nil }
            return min(last + limits.idle, window.start + (isStream ? limits.idle : limits.header))
        }
    }
#endif
