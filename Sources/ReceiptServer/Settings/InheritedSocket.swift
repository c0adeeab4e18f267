#if Server
    import NIOCore
    import SystemLibrary

    /// A listening socket that systemd created before it started the process (sd_listen_fds(3)).
    package struct InheritedSocket: Sendable {
        /// The first descriptor that systemd passes.
        let descriptor: CInt = 3
        /// The address that the socket listens on.
        let address: SocketAddress

        /// Returns the socket that the environment announces to this process, or nil if it announces none.
        /// - Parameter environment: All environment variables.
        /// - Throws: ``SettingsError`` if there are several sockets, or if the socket does not accept streams.
        package init?(environment: [String: String]) throws(SettingsError) {
            guard environment["LISTEN_PID"] == "\(getpid())", let count = environment["LISTEN_FDS"] else {
                return nil
            }
            guard count == "1" else {
                throw SettingsError("LISTEN_FDS: '\(count)' sockets, expected 1", isUsage: true)
            }
            var accepts: CInt = 0
            var size = socklen_t(MemoryLayout<CInt>.size)
            guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &accepts, &size) == 0,
                accepts != 0,
                let address = Self.address(of: descriptor)
            else {
                throw SettingsError(
                    "LISTEN_FDS: descriptor \(descriptor) is not a socket that accepts connections",
                    isUsage: true)
            }
            // Other programs must not inherit the socket.
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            self.address = address
        }

        private static func address(of descriptor: CInt) -> SocketAddress? {
            var storage = sockaddr_storage()
            var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
            return unsafe withUnsafeMutablePointer(to: &storage) { storage in
                let general = UnsafeMutableRawPointer(storage)
                guard
                    unsafe getsockname(descriptor, general.assumingMemoryBound(to: sockaddr.self), &size) == 0
                else { return nil }
                switch CInt(unsafe storage.pointee.ss_family) {
                case AF_INET: return unsafe SocketAddress(general.load(as: sockaddr_in.self))
                case AF_INET6: return unsafe SocketAddress(general.load(as: sockaddr_in6.self))
                case AF_UNIX: return unsafe SocketAddress(general.load(as: sockaddr_un.self))
                default: return nil
                }
            }
        }
    }
#endif
