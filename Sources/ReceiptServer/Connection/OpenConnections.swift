#if Server
    import NIOCore
    import Synchronization

    /// The limit on open connections of a listening socket.
    final class OpenConnections: Sendable {
        private let limit: Int
        /// The answer beyond the limit, except to health checks and metrics.
        let refusal: Failure
        private let open = Atomic(0)
        /// The number of accepted connections, including those that are not set up yet, and those that are closing.
        private let sockets = Atomic(0)
        /// The connections beyond the limit, the oldest first.
        private let beyond = Mutex<[any Channel]>([])

        /// The maximum number of connections beyond the limit. They serve health checks and metrics.
        static let mostBeyond = 16
        /// The maximum number of connections that are accepted and not set up yet, or that are closing.
        static let mostChanging = 128

        init(limit: Int, refusal: Failure = .busy) { (self.limit, self.refusal) = (limit, refusal) }

        /// Counts the socket of a connection until it is closed.
        func add(_ channel: any Channel) {
            sockets.add(1, ordering: .relaxed)
            channel.closeFuture.whenComplete { [self] _ in _ = sockets.subtract(1, ordering: .relaxed) }
        }

        /// Whether the server may accept more connections.
        var hasRoom: Bool {
            sockets.load(ordering: .relaxed) <= limit + Self.mostBeyond + Self.mostChanging
                - Int(Listener.accepted)
        }

        /// Counts a connection. Beyond the limit, the newest connection replaces the oldest, so that idle clients cannot
        /// block health checks.
        /// - Returns: Whether the connection is within the limit.
        func connect(_ channel: any Channel) -> Bool {
            guard open.add(1, ordering: .relaxed).newValue > limit else { return true }
            let oldest = beyond.withLock { beyond in
                beyond.append(channel)
                return beyond.count > Self.mostBeyond ? beyond.removeFirst() : nil
            }
            if let oldest { Lingering.close(oldest) }
            return false
        }

        /// Closes the connections beyond the limit. Their clients may never send a whole request.
        func closeBeyond() { for channel in beyond.withLock(\.self) { Lingering.close(channel) } }

        /// Stops counting a connection.
        /// - Parameter channel: The connection if it is beyond the limit, else nil.
        func disconnect(_ channel: (any Channel)?) {
            open.subtract(1, ordering: .relaxed)
            if let channel { beyond.withLock { beyond in beyond.removeAll { $0 === channel } } }
        }

        var count: Int { open.load(ordering: .relaxed) }
    }
#endif
