#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Keeps a value for one thread at a time, and goes on doing so in a process that was forked while nobody held it.
///
/// `Synchronization.Mutex` of Linux holds the number of the thread that has it, as the thread that forked remembers its
/// own from before: where a second thread of the child waits for that one, the kernel knows nobody of the number, and Swift
/// ends the process.
@safe
package final class ForkableMutex<Value>: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private var value: Value

    package init(_ value: sending Value) {
        self.value = value
        // Of the default kind, which cannot fail but for a bug here, and knows no owner.
        let status = unsafe pthread_mutex_init(mutex, nil)
        precondition(status == 0)
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    package func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        let status = unsafe pthread_mutex_lock(mutex)
        precondition(status == 0)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return body(&value)
    }
}
