#if Server
    final class ServerMetrics: Sendable {
        func count(_ route: Route?, _ status: Int) {}
        func record(_ route: Route?, _ status: Int, nanoseconds: Int64) {}
    }
#endif
