import Dispatch
import Foundation
import Synchronization

/// A pipeline that reads in order, processes on several threads, and writes in order.
///
/// Every thread does all three in turn, so no queues are needed. The thread with the reading lock reads. The
/// thread that finishes the next item writes it, and the finished items after it. A thread never waits for
/// its turn to write. A limit on the items between reading and writing bounds the memory.
final class Pipeline<Input: Sendable, Output: Sendable>: @unchecked Sendable {
    /// The closure that returns the next input, or nil at the end. One thread at a time calls it.
    private let read: () throws -> Input?
    private let work: @Sendable (Input) -> Output
    /// The closure that writes an output. One thread at a time calls it, in the order of reading.
    private let write: (Output) throws -> Void

    private let jobs: Int
    /// The function that starts a thread and returns false if the system creates no more.
    private let startThread: (@escaping @Sendable () -> Void) -> Bool

    private let nextToRead = Mutex(0)
    private let state = Mutex(State())
    /// The number of free slots. The semaphore starts at 0 and is then filled: Dispatch traps if a semaphore
    /// is destroyed with less than its initial value.
    private let room = DispatchSemaphore(value: 0)
    private let finished = DispatchSemaphore(value: 0)

    private struct State {
        var ready: [Int: Output] = [:]
        var nextToWrite = 0
        var isWriting = false
        var isAtEnd = false
        var threads = 0
        var failure: (any Error)?

        mutating func takeNext() -> Output? {
            guard !isWriting, let output = ready.removeValue(forKey: nextToWrite) else { return nil }
            isWriting = true
            return output
        }

        mutating func fail(_ error: any Error) {
            failure = error
            isAtEnd = true
        }
    }

    init(
        jobs: Int, startThread: @escaping (@escaping @Sendable () -> Void) -> Bool = startSystemThread,
        read: @escaping () throws -> Input?, work: @escaping @Sendable (Input) -> Output,
        write: @escaping (Output) throws -> Void
    ) {
        let jobs = min(jobs, roomForThreads)
        (self.jobs, self.startThread) = (jobs, startThread)
        (self.read, self.work, self.write) = (read, work, write)
        for _ in 0..<2 * jobs + 2 { room.signal() }
    }

    /// Runs the pipeline, and returns after everything that was read is written.
    /// - Throws: An error of reading, after all previous items are written. An error of writing is thrown at
    ///   once, because another thread may wait for input that never comes.
    func run() throws {
        // The threads are counted before they start. Otherwise, a thread that ends early would count as the
        // last one.
        state.withLock { $0.threads = jobs }
        for started in 0..<jobs where !startThread({ self.runThread() }) {
            // A container may limit the number of threads. The existing ones then do the work.
            if started == 0 {
                state.withLock { $0.threads = 1 }
                runThread()
            } else {
                leave(jobs - started)
            }
            break
        }
        finished.wait()
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }

    private func runThread() {
        while true {
            room.wait()
            guard let (number, input) = next() else { break }
            finish(number, work(input))
        }
        // This thread's slot lets the others also reach the end.
        room.signal()
        leave(1)
    }

    private func leave(_ count: Int) {
        if state.withLock({
            $0.threads -= count
            return $0.threads == 0
        }) {
            finished.signal()
        }
    }

    private func next() -> (number: Int, input: Input)? {
        nextToRead.withLock { number in
            guard !state.withLock({ $0.isAtEnd }) else { return nil }
            do {
                if let input = try read() {
                    defer { number += 1 }
                    return (number, input)
                }
                state.withLock { $0.isAtEnd = true }
            } catch {
                // Writing may already have failed at an earlier item.
                state.withLock { if $0.failure == nil { $0.fail(error) } }
            }
            return nil
        }
    }

    private func finish(_ number: Int, _ output: Output) {
        state.withLock { $0.ready[number] = output }
        while let output = state.withLock({ $0.takeNext() }) {
            do {
                try write(output)
            } catch {
                // The writing flag stays set, so that nothing more is written. This error comes before any
                // error of reading.
                state.withLock { $0.fail(error) }
                // Waiting threads reach the end through this signal. Finished items never release their
                // slots.
                room.signal()
                finished.signal()
                return
            }
            state.withLock {
                $0.isWriting = false
                $0.nextToWrite += 1
            }
            room.signal()
        }
    }
}

/// The number of threads that the machine can run at once.
package var processorCount: Int { ProcessInfo.processInfo.activeProcessorCount }
