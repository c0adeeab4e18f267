#if Server
    import Logging

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #else
        import Darwin
    #endif

    /// The files that the process may have open, connections among them.
    enum OpenFiles {
        /// Files for everything else.
        private static let others = 64

        /// Raises the soft limit for so many connections, as far as the hard limit allows, and logs a warning where that is
        /// not far enough.
        /// - Returns: the number of connections for which there is room.
        static func room(forConnections count: Int, _ logger: Logger) -> Int {
            #if canImport(Glibc)
                let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
            #else
                let files = RLIMIT_NOFILE
            #endif
            var limit = rlimit()
            let wanted = rlim_t(count + others + Admission.mostBeyond)
            guard unsafe getrlimit(files, &limit) == 0, limit.rlim_cur < wanted else { return count }
            let old = limit.rlim_cur
            limit.rlim_cur = min(wanted, limit.rlim_max)
            let most = unsafe setrlimit(files, &limit) == 0 ? limit.rlim_cur : old
            guard most < wanted else { return count }
            let room = max(1, Int(most) - others - Admission.mostBeyond)
            logger.warning(
                "--max-connections: \(room) instead of \(count), the limit on open files (ulimit -n) is \(most)"
            )
            return room
        }
    }
#endif
