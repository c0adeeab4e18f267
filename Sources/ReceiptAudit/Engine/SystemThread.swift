import SystemLibrary

/// The body of a thread, passed through C.
private final class ThreadBody {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) { self.run = run }

    static func run(_ context: UnsafeMutableRawPointer) {
        unsafe Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue().run()
    }
}

/// The number of threads that a limit on the process's address space allows, at least one. Each thread needs
/// its stack, and glibc's allocator reserves 64 MiB of addresses or more per thread. Exceeding the limit ends
/// the process.
var roomForThreads: Int {
    #if canImport(Glibc)
        let addresses = __rlimit_resource_t(RLIMIT_AS.rawValue)
    #else
        let addresses = RLIMIT_AS
    #endif
    var limit = rlimit()
    guard unsafe getrlimit(addresses, &limit) == 0, limit.rlim_cur < 1 << 40 else { return .max }
    return max(1, Int(limit.rlim_cur >> 27) - 1)
}

/// Starts a thread. If the system cannot create a thread, Foundation does not report it, and waiting for that
/// thread would never end.
/// - Returns: Whether a thread runs the body.
func startSystemThread(_ body: @escaping @Sendable () -> Void) -> Bool {
    let context = unsafe Unmanaged.passRetained(ThreadBody(body))
    var attributes = pthread_attr_t()
    guard unsafe pthread_attr_init(&attributes) == 0 else {
        unsafe context.release()
        return false
    }
    defer { unsafe pthread_attr_destroy(&attributes) }
    unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    // The stack size is several times the need of any record. The default of 8 MiB per thread is too much
    // under a limit.
    unsafe pthread_attr_setstacksize(&attributes, 2 << 20)
    #if canImport(Darwin)
        var thread: pthread_t?
        let result = unsafe pthread_create(
            &thread, &attributes,
            {
                unsafe ThreadBody.run($0); return nil
            }, context.toOpaque())
    #else
        var thread = pthread_t()
        let result = unsafe pthread_create(
            &thread, &attributes,
            { context in
                if let context = unsafe context { unsafe ThreadBody.run(context) }
                return nil
            }, context.toOpaque())
    #endif
    if result != 0 { unsafe context.release() }
    return result == 0
}
