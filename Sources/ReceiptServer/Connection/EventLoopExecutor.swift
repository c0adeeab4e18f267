#if Server
    import NIOCore

    /// Runs what an event loop's connections await on that loop: to hand a request to another thread and its answer back
    /// takes as long as to verify a receipt.
    final class EventLoopExecutor: TaskExecutor {
        private let eventLoop: any EventLoop

        init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            let executor = unsafe asUnownedTaskExecutor()
            eventLoop.execute { unsafe job.runSynchronously(on: executor) }
        }
    }

    /// One for each event loop of a group.
    struct EventLoopExecutors: Sendable {
        private let executors: [ObjectIdentifier: EventLoopExecutor]

        init(_ group: any EventLoopGroup) {
            var executors: [ObjectIdentifier: EventLoopExecutor] = [:]
            for eventLoop in group.makeIterator() {
                executors[ObjectIdentifier(eventLoop)] = EventLoopExecutor(eventLoop)
            }
            self.executors = executors
        }

        /// Nil for a loop of another group.
        subscript(eventLoop: any EventLoop) -> EventLoopExecutor? { executors[ObjectIdentifier(eventLoop)] }
    }
#endif
