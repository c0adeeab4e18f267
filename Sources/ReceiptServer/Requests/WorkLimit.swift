#if Server
    import NIOCore
    import Synchronization

    /// A limit on the size of concurrent work. Further work waits in the order of arrival.
    final class WorkLimit: Sendable {
        private struct State {
            var size = 0
            var waiting = CircularBuffer<(size: Int, continuation: CheckedContinuation<Void, Never>)>()
        }

        private let limit: Int
        private let state = Mutex(State())

        init(_ limit: Int) { self.limit = limit }

        /// Waits until work of a size is within the limit, or no other work is done.
        func enter(_ size: Int) async {
            await withCheckedContinuation { continuation in
                let isFree = state.withLock { state in
                    guard state.waiting.isEmpty, state.size == 0 || state.size + size <= limit else {
                        state.waiting.append((size, continuation))
                        return false
                    }
                    state.size += size
                    return true
                }
                if isFree { continuation.resume() }
            }
        }

        /// Ends work, and begins the work that was waiting for it.
        func leave(_ size: Int) {
            let next = state.withLock { state in
                state.size -= size
                var next: [CheckedContinuation<Void, Never>] = []
                while let first = state.waiting.first, state.size == 0 || state.size + first.size <= limit {
                    state.waiting.removeFirst()
                    state.size += first.size
                    next.append(first.continuation)
                }
                return next
            }
            for continuation in next { continuation.resume() }
        }
    }
#endif
