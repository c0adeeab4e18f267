#if Server
    /// The address of a listening socket.
    enum ListeningAddress: CustomStringConvertible {
        case inherited(InheritedSocket)
        case unixSocket(String)
        case port(Int, host: String)

        var description: String {
            switch self {
            case .inherited(let socket): "\(socket.address)"
            case .unixSocket(let path): path
            case .port(let port, let host): "\(host):\(port)"
            }
        }
    }
#endif
