#if Server
    import NIOCore

    /// The first handler of a connection, which reads all input after the last answer. Later handlers stop reading when
    /// their requests end, and TLS reports only complete records.
    final class Lingering: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private var context: ChannelHandlerContext?
        private var isReading = false

        func handlerAdded(context: ChannelHandlerContext) { self.context = context }

        func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

        /// Reads from now on until the connection is closed.
        func begin() {
            isReading = true
            context?.read()
        }

        func channelReadComplete(context: ChannelHandlerContext) {
            context.fireChannelReadComplete()
            if isReading { context.read() }
        }
    }
#endif
