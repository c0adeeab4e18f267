#if Server
    import NIOCore

    /// The first handler of a connection, which reads all input after the last answer, and counts the bytes written. Later
    /// handlers stop reading when their requests end, and TLS reports only complete records.
    final class Lingering: ChannelDuplexHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundIn = IOData

        /// The number of bytes written to the socket or its buffer.
        private(set) var written = 0
        /// The time of the last input after the last answer.
        private(set) var lastDropped: NIODeadline?
        private var context: ChannelHandlerContext?
        private var isReading = false

        /// Closes a connection at once. TLS would wait for the client.
        static func close(_ channel: any Channel) {
            channel.eventLoop.execute {
                guard let context = try? channel.pipeline.syncOperations.context(handlerType: Self.self)
                else {
                    return channel.close(promise: nil)
                }
                context.close(promise: nil)
            }
        }

        func handlerAdded(context: ChannelHandlerContext) { self.context = context }

        func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

        /// Reads from now on until the connection is closed.
        func begin() {
            isReading = true
            context?.read()
        }

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            written += unwrapOutboundIn(data).readableBytes
            context.write(data, promise: promise)
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            if isReading { lastDropped = .now() }
            context.fireChannelRead(data)
        }

        func channelReadComplete(context: ChannelHandlerContext) {
            context.fireChannelReadComplete()
            if isReading { context.read() }
        }
    }
#endif
