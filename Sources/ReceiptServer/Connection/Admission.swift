#if Server
    import Synchronization

    /// How much is being worked on, and how much may be: what comes on top is turned away at once, where a queue would only
    /// make everybody wait.
    final class Admission: Sendable {
        private let limit: Int
        private let working = Atomic(0)
        private let streaming = Atomic(0)
        private let open = Atomic(0)
        private let draining = Atomic(false)
        private let leaving = Atomic(false)

        /// - Parameter limit: connections whose requests may be worked on at a time.
        init(limit: Int) { self.limit = limit }

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

        func connect() { open.add(1, ordering: .relaxed) }

        func disconnect() { open.subtract(1, ordering: .relaxed) }

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
