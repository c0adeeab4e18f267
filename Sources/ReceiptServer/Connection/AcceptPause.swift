#if Server
    import Logging
    import NIOCore
    import SystemLibrary

    /// A handler that pauses accepting if the system lacks file descriptors or memory for another connection. NIO's own
    /// pause leaves the socket registered, so the event loop would try again without end.
    final class AcceptPause: ChannelInboundHandler {
        typealias InboundIn = any Channel

        private static let moment = TimeAmount.milliseconds(200)
        private static let timeBetweenLines = TimeAmount.minutes(1)

        private let logger: Logger
        private var nextLine = NIODeadline.uptimeNanoseconds(0)

        init(_ logger: Logger) { self.logger = logger }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            guard let error = error as? IOError, Self.isShortage(error.errnoCode) else {
                return context.fireErrorCaught(error)
            }
            let now = NIODeadline.now()
            if now >= nextLine {
                nextLine = now + Self.timeBetweenLines
                logger.error(
                    "accepting no connections: \(error); lower --max-connections or raise the limit on open files (ulimit -n)"
                )
            }
            let channel = context.channel
            guard let options = channel.syncOptions else { return }
            try? options.setOption(.autoRead, value: false)
            channel.eventLoop.assumeIsolated().scheduleTask(in: Self.moment) {
                try? options.setOption(.autoRead, value: true)
            }
        }

        private static func isShortage(_ code: CInt) -> Bool {
            [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(code)
        }
    }
#endif
