#if Server
    import NIOCore
    import Synchronization

    /// How much is being worked on, and how much may be: what comes on top is turned away at once, where a queue would only
    /// make everybody wait.
    final class Admission: Sendable {
        private let limit: Int
        private let connectionLimit: Int
        /// Connections beyond the limit, the oldest first.
        private let beyond = Mutex<[any Channel]>([])
        private let working = Atomic(0)
        private let streaming = Atomic(0)
        private let open = Atomic(0)
        private let draining = Atomic(false)
        private let leaving = Atomic(false)

        /// The most connections beyond the limit, for health checks and metrics.
        static let mostBeyond = 16

        /// - Parameters:
        ///   - limit: connections whose requests may be worked on at a time.
        ///   - connections: that may be open at a time.
        init(limit: Int, connections: Int) { (self.limit, connectionLimit) = (limit, connections) }

        /// Whether there is room for one more; whoever got it leaves again.
        /// - Parameter isStream: what is streamed takes its time, and gets half of the places at most.
        func enter(isStream: Bool = false) -> Bool {
            if isStream, !enterStream() { return false }
            if working.add(1, ordering: .relaxed).newValue <= limit { return true }
            leave(isStream: isStream)
            return false
        }

        /// Whether a place that is held may become one for what is streamed.
        func enterStream() -> Bool {
            if streaming.add(1, ordering: .relaxed).newValue <= max(1, limit / 2) { return true }
            streaming.subtract(1, ordering: .relaxed)
            return false
        }

        func leave(isStream: Bool = false) {
            working.subtract(1, ordering: .relaxed)
            if isStream { streaming.subtract(1, ordering: .relaxed) }
        }

        /// Counts a connection.
        /// - Returns: whether it is within the limit. Beyond it the oldest gives way to the newest, so that clients that ask
        ///   nothing keep no health check out.
        func connect(_ channel: any Channel) -> Bool {
            guard open.add(1, ordering: .relaxed).newValue > connectionLimit else { return true }
            let oldest = beyond.withLock { beyond in
                beyond.append(channel)
                return beyond.count > Self.mostBeyond ? beyond.removeFirst() : nil
            }
            oldest?.close(promise: nil)
            return false
        }

        /// - Parameter channel: one beyond the limit.
        func disconnect(_ channel: (any Channel)?) {
            open.subtract(1, ordering: .relaxed)
            if let channel { beyond.withLock { beyond in beyond.removeAll { $0 === channel } } }
        }

        /// From now on health says that no more requests should be sent; those that are sent are answered as before.
        func drain() { draining.store(true, ordering: .relaxed) }

        var isReady: Bool { !draining.load(ordering: .relaxed) && !isClosed }

        /// From now on every connection ends with the answer that is being worked on.
        func close() { leaving.store(true, ordering: .relaxed) }

        var isClosed: Bool { leaving.load(ordering: .relaxed) }

        var workingCount: Int { working.load(ordering: .relaxed) }

        var connectionCount: Int { open.load(ordering: .relaxed) }
    }
#endif
