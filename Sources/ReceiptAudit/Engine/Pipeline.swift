import Dispatch
import Foundation
import Synchronization

/// Reads in order, works on several threads, writes in order.
///
/// Every thread does all three in turn, so there are no queues to fill: whoever has the reading lock reads, and
/// whoever finishes the piece that is next writes it, and those behind it that are ready. A thread never waits
/// for its turn to write; a limit on the pieces between reading and writing bounds the memory.
final class Pipeline<Input: Sendable, Output: Sendable>: @unchecked Sendable {
    /// Called by one thread at a time; nil at the end.
    private let read: () throws -> Input?
    private let work: @Sendable (Input) -> Output
    /// Called by one thread at a time, in the order of reading.
    private let write: (Output) throws -> Void

    private let jobs: Int
    /// False where the system makes no more threads.
    private let startThread: (@escaping @Sendable () -> Void) -> Bool

    private let nextToRead = Mutex(0)
    private let state = Mutex(State())
    /// Made empty and filled: Dispatch traps on a semaphore that goes while it holds less than it was made with.
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

    /// Returns when everything that was read is written.
    /// - Throws: what reading threw, when all before it is written; what writing threw, at once: another thread
    ///   may be waiting for input that never comes.
    func run() throws {
        // Counted before they start, so that none of them takes itself for the last.
        state.withLock { $0.threads = jobs }
        for started in 0..<jobs where !startThread({ self.runThread() }) {
            // A container may allow no more. Those that there are do the work, however few.
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
        // The room of the piece that was not there lets the others find the end too.
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
                // Writing may have failed already, at a place before this one.
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
                // The writing flag stays up: nothing more is written. What failed here stands before whatever could
                // not be read.
                state.withLock { $0.fail(error) }
                // Whatever waits for room finds the end: what is ready keeps its own for ever.
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

/// How many threads the machine runs at once.
package var processorCount: Int { ProcessInfo.processInfo.activeProcessorCount }
