#if Server
    import NIOCore
    import Synchronization

    /// The limit on open connections of a listening socket.
    final class OpenConnections: Sendable {
        private let limit: Int
        /// The answer beyond the limit, except to health checks and metrics.
        let refusal: Failure
        private let open = Atomic(0)
        /// The connections beyond the limit, the oldest first.
        private let beyond = Mutex<[any Channel]>([])

        /// The maximum number of connections beyond the limit. They serve health checks and metrics.
        static let mostBeyond = 16

        init(limit: Int, refusal: Failure = .busy) { (self.limit, self.refusal) = (limit, refusal) }

        /// Counts a connection. Beyond the limit, the newest connection replaces the oldest, so that idle clients cannot
        /// block health checks.
        /// - Returns: Whether the connection is within the limit.
        func connect(_ channel: any Channel) -> Bool {
            guard open.add(1, ordering: .relaxed).newValue > limit else { return true }
            let oldest = beyond.withLock { beyond in
                beyond.append(channel)
                return beyond.count > Self.mostBeyond ? beyond.removeFirst() : nil
            }
            oldest?.close(promise: nil)
            return false
        }

        /// Stops counting a connection.
        /// - Parameter channel: The connection if it is beyond the limit, else nil.
        func disconnect(_ channel: (any Channel)?) {
            open.subtract(1, ordering: .relaxed)
            if let channel { beyond.withLock { beyond in beyond.removeAll { $0 === channel } } }
        }

        var count: Int { open.load(ordering: .relaxed) }
    }
#endif
