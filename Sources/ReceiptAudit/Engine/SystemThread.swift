#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What a thread does, across C.
private final class ThreadBody {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) { self.run = run }

    static func run(_ context: UnsafeMutableRawPointer) {
        unsafe Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue().run()
    }
}

/// How many threads a limit on the process's addresses leaves room for, at least one. Each has its stack, and of glibc's
/// allocator 64 MiB of addresses and more, as long as there are any: what comes after that ends the process.
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

/// Foundation's threads do not tell when the system makes none, and are waited for in vain.
/// - Returns: whether there is a thread that runs the body.
func startSystemThread(_ body: @escaping @Sendable () -> Void) -> Bool {
    let context = unsafe Unmanaged.passRetained(ThreadBody(body))
    var attributes = pthread_attr_t()
    guard unsafe pthread_attr_init(&attributes) == 0 else {
        unsafe context.release()
        return false
    }
    defer { unsafe pthread_attr_destroy(&attributes) }
    unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    // As much as any record takes, several times over; the default of 8 MiB a thread is too much under a limit.
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
