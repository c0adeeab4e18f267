#if Server
    import Logging
    import NIOCore
    import NIOPosix
    import SystemLibrary

    /// A handler that pauses accepting while many connections are being set up or closed, or if the system lacks file descriptors
    /// or memory for another connection. NIO's own pause leaves the socket registered, so the event loop would try again without
    /// end.
    final class AcceptPause: ChannelDuplexHandler {
        typealias InboundIn = any Channel
        typealias OutboundIn = Never

        private static let moment = TimeAmount.milliseconds(20)
        private static let timeBetweenLines = TimeAmount.minutes(1)

        private let connections: OpenConnections
        private let logger: Logger
        private var nextLine = NIODeadline.uptimeNanoseconds(0)
        private var isWaiting = false
        private var isRemoved = false

        init(_ connections: OpenConnections, _ logger: Logger) {
            (self.connections, self.logger) = (connections, logger)
        }

        func handlerRemoved(context: ChannelHandlerContext) { isRemoved = true }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            connections.add(unwrapInboundIn(data))
            context.fireChannelRead(data)
        }

        func read(context: ChannelHandlerContext) {
            guard !isWaiting else { return }
            if connections.hasRoom { return context.read() }
            isWaiting = true
            context.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(1)) {
                self.isWaiting = false
                if self.isRemoved { return }
                self.read(context: context)
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            // On Darwin, if a client closed a connection that waited. The socket stays open.
            if error is NIOFcntlFailedError { return }
            guard let error = error as? IOError, [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(error.errnoCode)
            else {
                // NIO closes the socket after all others but ECONNABORTED, which means the same on Linux.
                if (error as? IOError)?.errnoCode != ECONNABORTED {
                    logger.error("accepting no more connections: \(error)")
                }
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
    }
#endif
