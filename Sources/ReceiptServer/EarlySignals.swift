#if Server
    import Synchronization
    import SystemLibrary

    /// The signals that arrive before the services wait for them.
    enum EarlySignals {
        private static let isPending = Atomic(false)

        /// Whether SIGHUP arrived.
        static var hungUp: Bool { isPending.load(ordering: .relaxed) }

        /// Records SIGHUP from now on, in place of ending the process.
        static func recordHangups() {
            // Initializes the static property, because a signal handler must not do that.
            _ = hungUp
            signal(SIGHUP) { _ in EarlySignals.isPending.store(true, ordering: .relaxed) }
        }

        /// Ends the process on SIGTERM, which the system would ignore for the first process of a container.
        static func endOnTermination() { signal(SIGTERM) { _ in _exit(0) } }
    }
#endif
