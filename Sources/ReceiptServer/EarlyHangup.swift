#if Server
    import Synchronization

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #else
        import Darwin
    #endif

    /// A SIGHUP that comes before ``Reloading`` waits for it.
    enum EarlyHangup {
        private static let isPending = Atomic(false)

        static var came: Bool { isPending.load(ordering: .relaxed) }

        /// Notes SIGHUP, which would end the process, from now on.
        static func keep() {
            // A signal handler may not be what initializes it.
            _ = came
            signal(SIGHUP) { _ in EarlyHangup.isPending.store(true, ordering: .relaxed) }
        }
    }
#endif
