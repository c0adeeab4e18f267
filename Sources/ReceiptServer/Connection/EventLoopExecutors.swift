#if Server
    import NIOCore

    /// The executors of a group's event loops.
    struct EventLoopExecutors: Sendable {
        private let executors: [ObjectIdentifier: EventLoopExecutor]

        init(_ group: any EventLoopGroup) async throws {
            var executors: [ObjectIdentifier: EventLoopExecutor] = [:]
            for eventLoop in group.makeIterator() {
                let turns = try await Turns.make(on: eventLoop)
                executors[ObjectIdentifier(eventLoop)] = EventLoopExecutor(eventLoop, turns)
            }
            self.executors = executors
        }

        /// The executor of an event loop, nil if the loop is in another group.
        subscript(eventLoop: any EventLoop) -> EventLoopExecutor? { executors[ObjectIdentifier(eventLoop)] }
    }
#endif
