#if Server
    import NIOCore

    /// An executor that runs a connection's tasks on its event loop. Passing a request to another thread,
    /// and its answer back, takes as long as verifying a receipt.
    final class EventLoopExecutor: TaskExecutor {
        private let eventLoop: any EventLoop

        /// The connections on the event loop that wait for a poll.
        let turns: NIOLoopBound<Turns>

        init(_ eventLoop: any EventLoop, _ turns: NIOLoopBound<Turns>) {
            (self.eventLoop, self.turns) = (eventLoop, turns)
        }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            let executor = unsafe asUnownedTaskExecutor()
            eventLoop.execute { unsafe job.runSynchronously(on: executor) }
        }
    }
#endif
