#if Server
    import NIOCore

    /// A handler before TLS that lets handshakes wait for turns. Each costs the server a signature of some milliseconds, and many
    /// clients may begin at the same time.
    final class HandshakeTurns: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias InboundOut = ByteBuffer

        private let turns: Turns
        private var context: ChannelHandlerContext?
        /// The input that waits. TLS reads no more until it gets this.
        private var input = ByteBuffer()
        private var isWaiting = false
        private var isOver = false

        init(_ turns: Turns) { self.turns = turns }

        /// Passes on all further input at once.
        func end() { isOver = true }

        func handlerAdded(context: ChannelHandlerContext) { self.context = context }

        func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard !isOver || isWaiting else { return context.fireChannelRead(data) }
            var bytes = unwrapInboundIn(data)
            input.writeBuffer(&bytes)
        }

        func channelReadComplete(context: ChannelHandlerContext) {
            guard input.readableBytes > 0 else { return context.fireChannelReadComplete() }
            guard !isWaiting else { return }
            isWaiting = true
            turns.next { [self] in
                isWaiting = false
                guard let context = self.context else { return }
                let input = self.input
                self.input = ByteBuffer()
                context.fireChannelRead(wrapInboundOut(input))
                context.fireChannelReadComplete()
            }
        }
    }
#endif
