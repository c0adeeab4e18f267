#if Server
    import Synchronization
    import SystemLibrary

    /// The flag for a SIGHUP that arrives before ``Reloading`` waits for signals.
    enum EarlyHangup {
        private static let isPending = Atomic(false)

        static var came: Bool { isPending.load(ordering: .relaxed) }

        /// Records SIGHUP from now on, in place of ending the process.
        static func keep() {
            // Initializes the static property, because a signal handler must not do that.
            _ = came
            signal(SIGHUP) { _ in EarlyHangup.isPending.store(true, ordering: .relaxed) }
        }
    }
#endif
