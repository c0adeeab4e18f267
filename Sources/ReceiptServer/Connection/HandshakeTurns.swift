#if Server
    import NIOCore

    /// A handler before TLS that lets handshakes wait for turns. Each costs the server a signature of some milliseconds, and many
    /// clients, or one client on many connections, may begin at the same time.
    final class HandshakeTurns: ChannelDuplexHandler {
        typealias InboundIn = ByteBuffer
        typealias InboundOut = ByteBuffer
        typealias OutboundIn = IOData

        private let turns: Turns
        private let reservation: ByteBudget.Reservation
        private var context: ChannelHandlerContext?
        /// The beginning of the client's address, empty for Unix sockets.
        private var network: [UInt8] = []
        /// The input that waits.
        private var input = ByteBuffer()
        private var isWaiting = false
        /// Whether a read waits until the input was passed on.
        private var isReadHeld = false
        /// Whether the end of the input waits, too.
        private var isInputClosed = false
        private var isOver = false

        init(_ turns: Turns, _ reservation: ByteBudget.Reservation) {
            (self.turns, self.reservation) = (turns, reservation)
        }

        /// Passes on all further input at once.
        func end() { isOver = true }

        func handlerAdded(context: ChannelHandlerContext) { self.context = context }

        func handlerRemoved(context: ChannelHandlerContext) { drop() }

        func channelActive(context: ChannelHandlerContext) {
            network = context.remoteAddress?.ipAddress.flatMap(IPAddress.init)?.network ?? []
            context.fireChannelActive()
        }

        func channelInactive(context: ChannelHandlerContext) {
            drop()
            context.fireChannelInactive()
        }

        /// Drops the input of a connection that ended.
        private func drop() {
            (context, input) = (nil, ByteBuffer())
            reservation.hold(0)
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard !isOver || isWaiting else { return context.fireChannelRead(data) }
            var bytes = unwrapInboundIn(data)
            input.writeBuffer(&bytes)
            // After the end of the input, the system passes on all that it has, whether or not a read is held.
            guard !reservation.hold(input.readableBytes) else { return }
            drop()
            context.close(promise: nil)
        }

        func channelReadComplete(context: ChannelHandlerContext) {
            guard input.readableBytes > 0 else { return context.fireChannelReadComplete() }
            guard !isWaiting else { return }
            isWaiting = true
            turns.next(self, of: network)
        }

        /// Passes on the input that waited for a turn.
        /// - Returns: Whether the connection was open.
        func passOn() -> Bool {
            isWaiting = false
            guard let context else { return false }
            let input = self.input
            self.input = ByteBuffer()
            reservation.hold(0)
            context.fireChannelRead(wrapInboundOut(input))
            context.fireChannelReadComplete()
            // The input may have closed the connection.
            guard self.context != nil else { return true }
            if isInputClosed {
                isInputClosed = false
                context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
            }
            if isReadHeld {
                isReadHeld = false
                context.read()
            }
            return true
        }

        func read(context: ChannelHandlerContext) {
            isReadHeld = isWaiting
            if !isReadHeld { context.read() }
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if isWaiting || input.readableBytes > 0, let event = event as? ChannelEvent, event == .inputClosed
            {
                isInputClosed = true
            } else {
                context.fireUserInboundEventTriggered(event)
            }
        }
    }
#endif
