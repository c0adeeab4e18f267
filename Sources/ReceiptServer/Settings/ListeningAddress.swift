#if Server
    import NIOCore

    /// The address of a listening socket.
    enum ListeningAddress: CustomStringConvertible {
        case inherited(InheritedSocket)
        case unixSocket(String)
        case port(Int, host: String)

        var description: String {
            switch self {
            case .inherited(let socket):
                socket.address.pathname ?? "\(socket.address.ipAddress ?? ""):\(socket.address.port ?? 0)"
            case .unixSocket(let path): path
            case .port(let port, let host): "\(host):\(port)"
            }
        }
    }
#endif
