#if Server
    import NIOCore
    import Synchronization

    /// The limit on concurrent work. The server refuses further requests at once, because a queue would delay all clients.
    final class Admission: Sendable {
        private let limit: Int
        private let working = Atomic(0)
        /// The connections with a place of their own because their clients closed the sending half before the answer.
        private let halfClosed = Mutex<Set<ObjectIdentifier>>([])
        private let streaming = Atomic(0)
        private let draining = Atomic(false)
        private let leaving = Atomic(false)

        /// Creates the limit.
        /// - Parameter limit: The maximum number of connections with a request in progress.
        init(limit: Int) { self.limit = limit }

        /// Takes a place for a connection's requests. The caller returns it with ``leave(isStream:)``.
        /// - Parameter isStream: Whether the request is a stream. Streams last long, so they get at most half of the
        ///   places.
        /// - Returns: Whether there was a free place.
        func enter(isStream: Bool = false) -> Bool {
            if isStream, !enterStream() { return false }
            if working.add(1, ordering: .relaxed).newValue <= limit { return true }
            leave(isStream: isStream)
            return false
        }

        /// Converts the connection's place into a place for a stream.
        /// - Returns: Whether there was a free place for a stream.
        func enterStream() -> Bool {
            if streaming.add(1, ordering: .relaxed).newValue <= max(1, limit / 2) { return true }
            streaming.subtract(1, ordering: .relaxed)
            return false
        }

        func leave(isStream: Bool = false) {
            working.subtract(1, ordering: .relaxed)
            if isStream { streaming.subtract(1, ordering: .relaxed) }
        }

        /// Takes another place for a connection whose client closed its sending half before its answer, so that it can leave its
        /// first place. A client that ended looks the same. The caller returns the place with ``forget(_:)``.
        /// - Returns: Whether there was a free place. There are as many as for other requests.
        func halfClose(_ channel: any Channel) -> Bool {
            halfClosed.withLock { halfClosed in
                guard halfClosed.count < limit else { return false }
                halfClosed.insert(ObjectIdentifier(channel))
                return true
            }
        }

        /// Returns the place of a half-closed connection that ended.
        func forget(_ channel: any Channel) {
            halfClosed.withLock { _ = $0.remove(ObjectIdentifier(channel)) }
        }

        func isHalfClosed(_ channel: any Channel) -> Bool {
            halfClosed.withLock { !$0.isEmpty && $0.contains(ObjectIdentifier(channel)) }
        }

        /// Makes readiness checks fail from now on. The server still answers requests.
        func drain() { draining.store(true, ordering: .relaxed) }

        var isReady: Bool { !draining.load(ordering: .relaxed) && !isClosed }

        /// Makes every connection end after its current answer from now on.
        func close() { leaving.store(true, ordering: .relaxed) }

        var isClosed: Bool { leaving.load(ordering: .relaxed) }

        /// The number of connections with a place.
        var workingCount: Int { working.load(ordering: .relaxed) + halfClosed.withLock { $0.count } }
    }
#endif
