#if Server
    import NIOCore
    import NIOPosix
    import Synchronization
    import SystemLibrary

    /// The maximum number of bytes that short work processes.
    private let shortWork = 64 << 10

    /// Returns whether verdicts take so little time that no queue of their own is necessary. One takes as long as to verify 1 KiB of a
    /// receipt. Bodies that exceed short work have been verified among large receipts, and their verdicts may take as long again.
    func areBrief(verdicts count: Int, ofBody size: Int) -> Bool {
        count * 1024 + (size > shortWork ? 0 : size) <= shortWork
    }

    /// The threads for one kind of work, and the bytes in memory of the work that waits for them.
    private final class WorkQueue: Sendable {
        let threads: NIOThreadPool
        private let waiting = Atomic(0)

        /// The maximum number of waiting bytes. Further work is refused, unless no other work waits.
        private static let most = 64 << 20

        init(_ count: Int) { threads = pool(count) }

        func enter(_ size: Int) throws {
            let all = waiting.add(size, ordering: .relaxed).newValue
            guard all <= Self.most || all == size else {
                leave(size)
                throw Failure.busy
            }
        }

        func leave(_ size: Int) { waiting.subtract(size, ordering: .relaxed) }
    }

    /// The limit on the groups of lines that are verified at the same time, in bytes. A byte takes several while it is verified.
    private let batchesAtWork = WorkLimit(16 << 20)

    /// The threads for short work, for long work and for batches, separate so that a receipt does not wait for megabytes, nor a request
    /// for many batches. Each thread with other than short work may be writing an answer of megabytes, so there are few.
    private let (shortThreads, longWork, batchThreads) =
        (pool(System.coreCount), WorkQueue(min(System.coreCount, 16)), pool(min(System.coreCount, 16)))

    /// The threads for verdicts on many products. No receipt waits for them.
    private let questions = WorkQueue(min(System.coreCount, 8))

    /// The thread for clients that closed their sending half. Most of them are gone, so others do not wait for them.
    private let lateWork = WorkQueue(1)

    /// Starts all threads before the server listens. Beyond the system's limit on threads, the process ends.
    func startThreads() { _ = (shortThreads, questions, lateWork) }

    private func pool(_ count: Int) -> NIOThreadPool {
        let pool = NIOThreadPool(numberOfThreads: count)
        pool.start()
        return pool
    }

    extension Dispatcher {
        /// Does work on other threads than those of the event loops, so that no request delays a health check. Work for a
        /// connection that was reset does not begin.
        /// - Parameters:
        ///   - size: The number of bytes that the work has in memory.
        ///   - isQuestion: Whether the work is verdicts on many products.
        ///   - isBatch: Whether the work is a group of lines, which may hold many signed objects whatever its size. Only
        ///     ``ByteBudget`` limits the groups that wait.
        /// - Throws: ``Failure`` if too much work waits, and the errors of `work`.
        func perform<Value: Sendable>(
            _ size: Int, isQuestion: Bool = false, isBatch: Bool = false,
            _ work: @escaping @Sendable () throws -> Value
        ) async throws -> Value {
            do {
                if isBatch {
                    await batchesAtWork.enter(size)
                    defer { batchesAtWork.leave(size) }
                    return try await run(on: batchThreads, work)
                }
                guard size > shortWork else {
                    return try await run(on: isQuestion ? questions.threads : shortThreads, work)
                }
                return try await run(on: isQuestion ? questions : longWork, size, work)
            } catch is HalfClosed {
                return try await run(on: lateWork, size, work)
            }
        }

        /// Does work, unless too much of it waits.
        private func run<Value: Sendable>(
            on queue: WorkQueue, _ size: Int, _ work: @escaping @Sendable () throws -> Value
        ) async throws -> Value {
            try queue.enter(size)
            defer { queue.leave(size) }
            return try await run(on: queue.threads, work)
        }

        /// Does work, after that of event loops and of short work unless it is short itself.
        private func run<Value: Sendable>(
            on threads: NIOThreadPool, _ work: @escaping @Sendable () throws -> Value
        ) async throws -> Value {
            let (channel, admission) = (channel, state.admission)
            return try await withCheckedThrowingContinuation { continuation in
                threads.submit { _ in
                    continuation.resume(
                        with: Result {
                            guard channel.isActive else { throw ChannelError.ioOnClosedChannel }
                            guard threads === lateWork.threads || !admission.isHalfClosed(channel) else {
                                throw HalfClosed()
                            }
                            if threads !== shortThreads { yieldToOthers() }
                            return try work()
                        })
                }
            }
        }
    }

    /// The reason why work continues on another thread.
    private struct HalfClosed: Error {}

    /// Lowers the priority of the current thread below event loops and short work. On Linux, each thread has its own
    /// priority.
    private func yieldToOthers() {
        #if canImport(Glibc)
            _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, longNiceness)
        #elseif canImport(Musl)
            _ = setpriority(PRIO_PROCESS, 0, longNiceness)
        #endif
    }

    #if canImport(Glibc)
        private let longNiceness = min(getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0) + 5, 19)
    #elseif canImport(Musl)
        private let longNiceness = min(getpriority(PRIO_PROCESS, 0) + 5, 19)
    #endif
#endif
