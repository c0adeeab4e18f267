#if Server
    import NIOCore
    import SystemLibrary

    /// A Unix socket that the server created, and its file. For its own sockets, NIO removes the file of that name when the
    /// server stops, even if another server has replaced it.
    struct UnixSocket: Sendable {
        let descriptor: CInt
        private let path: String
        private let file: Identity?

        /// The device and inode of a file. The number of the inode is not used again while the socket is open.
        private struct Identity: Equatable {
            let device: UInt64
            let inode: UInt64
        }

        /// Creates a listening socket and its file, in place of an earlier socket's file.
        init(path: String, backlog: CInt) throws {
            let address = try SocketAddress(unixDomainSocketPath: path)
            if let earlier = Self.status(of: path) {
                guard earlier.st_mode & S_IFMT == S_IFSOCK else {
                    throw SettingsError("exists and is not a socket")
                }
                guard unsafe unlink(path) == 0 || errno == ENOENT else { throw Self.failure("unlink") }
            }
            let descriptor = socket(AF_UNIX, Self.stream, 0)
            guard descriptor >= 0 else { throw Self.failure("socket") }
            // Other programs must not inherit the socket.
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            guard unsafe address.withSockAddr({ unsafe bind(descriptor, $0, socklen_t($1)) }) == 0 else {
                let failure = Self.failure("bind")
                close(descriptor)
                throw failure
            }
            // Other servers replace the file of a socket that does not listen.
            guard listen(descriptor, backlog) == 0 else {
                let failure = Self.failure("listen")
                unsafe unlink(path)
                close(descriptor)
                throw failure
            }
            (self.descriptor, self.path) = (descriptor, path)
            file = Self.identity(of: path)
        }

        /// Removes the file, unless another one has replaced it. The caller closes the socket afterwards, because another file may
        /// have the inode of a closed one.
        func removeFile() {
            if let file, file == Self.identity(of: path) { unsafe unlink(path) }
        }

        private static func identity(of path: String) -> Identity? {
            status(of: path).map {
                Identity(device: UInt64(truncatingIfNeeded: $0.st_dev), inode: UInt64($0.st_ino))
            }
        }

        private static func status(of path: String) -> stat? {
            var status = stat()
            return unsafe lstat(path, &status) == 0 ? status : nil
        }

        private static func failure(_ call: String) -> IOError { IOError(errnoCode: errno, reason: call) }

        #if canImport(Glibc)
            private static let stream = CInt(SOCK_STREAM.rawValue)
        #else
            private static let stream = SOCK_STREAM
        #endif
    }
#endif
