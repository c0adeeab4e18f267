#if Server
    import Logging
    import NIOCore
    import SystemLibrary

    /// The limit on the process's open files, which include connections.
    enum OpenFiles {
        /// The number of files for everything except connections within the limit. Each event loop has five.
        private static let others =
            64 + 5 * System.coreCount + 2 * (OpenConnections.mostBeyond + OpenConnections.mostChanging)

        /// Raises the soft limit for a number of connections, as far as the hard limit allows. Logs a warning if that is
        /// not enough.
        /// - Returns: The number of connections that fit.
        static func room(forConnections count: Int, _ logger: Logger) -> Int {
            #if canImport(Glibc)
                let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
            #else
                let files = RLIMIT_NOFILE
            #endif
            var limit = rlimit()
            let wanted = rlim_t(count + others)
            guard unsafe getrlimit(files, &limit) == 0, limit.rlim_cur < wanted else { return count }
            let old = limit.rlim_cur
            limit.rlim_cur = min(wanted, limit.rlim_max)
            let most = unsafe setrlimit(files, &limit) == 0 ? limit.rlim_cur : old
            guard most < wanted else { return count }
            let room = max(Int(most) / 4, Int(most) - others)
            logger.warning(
                "--max-connections: \(room) instead of \(count), the limit on open files (ulimit -n) is \(most)"
            )
            return room
        }
    }
#endif
