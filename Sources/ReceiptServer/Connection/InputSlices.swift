#if Server
    import NIOCore

    /// A handler before the HTTP decoder that passes on input in slices. One read can have hundreds of requests. If it has too
    /// many for one turn of ``ConnectionGuard``, the rest waits here.
    final class InputSlices: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias InboundOut = ByteBuffer

        private let guardian: ConnectionGuard
        private let reservation: ByteBudget.Reservation
        /// The input that waits.
        private var rest = ByteBuffer()
        /// The number of bytes that the decoder keeps because their head or trailer is incomplete.
        private var keptBytes = 0
        /// Whether the end of the input waits, too.
        private var isInputClosed = false
        /// The error after the input that waits. TLS reports an end without `close_notify` as an error.
        private var heldError: (any Error)?
        private var isOver = false

        init(_ guardian: ConnectionGuard, _ reservation: ByteBudget.Reservation) {
            (self.guardian, self.reservation) = (guardian, reservation)
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard !guardian.isOver else { return end() }
            var bytes = unwrapInboundIn(data)
            guard rest.readableBytes == 0 else {
                rest.writeBuffer(&bytes)
                return account()
            }
            rest = bytes
            passOn(context)
        }

        func channelReadComplete(context: ChannelHandlerContext) {
            guardian.beginTurn()
            context.fireChannelReadComplete()
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if rest.readableBytes > 0, let event = event as? ChannelEvent, event == .inputClosed {
                isInputClosed = true
            } else {
                context.fireUserInboundEventTriggered(event)
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            if rest.readableBytes > 0 { heldError = error } else { context.fireErrorCaught(error) }
        }

        func channelInactive(context: ChannelHandlerContext) {
            end()
            context.fireChannelInactive()
        }

        private func passOn(_ context: ChannelHandlerContext) {
            while rest.readableBytes > 0, !isOver {
                guardian.beginSlice()
                guard !guardian.isOver else { return end() }
                let most = guardian.decodable
                guard most > 0, let slice = rest.readSlice(length: sliceLength(atMost: most)) else {
                    let bound = (self, context)
                    guardian.hold { bound.0.passOnLater(bound.1) }
                    return account()
                }
                let parts = guardian.parts
                context.fireChannelRead(wrapInboundOut(slice))
                keptBytes = guardian.parts == parts ? keptBytes + slice.readableBytes : 0
            }
            rest = ByteBuffer()
            account()
        }

        /// Returns the length of the next slice. It ends with a head if it can, so that the body arrives in one part.
        private func sliceLength(atMost most: Int) -> Int {
            let count = min(most, rest.readableBytes)
            guard !guardian.isInBody else { return count }
            return unsafe rest.withUnsafeReadableBytes { bytes in
                // The slice ends with the empty line after the head. Empty lines before the head do not end it.
                let start = unsafe bytes.firstIndex { $0 != 0x0A && $0 != 0x0D } ?? count
                for end in min(start, max(0, count - 2))..<max(0, count - 2)
                where unsafe bytes[end] == 0x0A && bytes[end + 1] == 0x0D && bytes[end + 2] == 0x0A {
                    return end + 3
                }
                return count
            }
        }

        private func passOnLater(_ context: ChannelHandlerContext) {
            passOn(context)
            channelReadComplete(context: context)
            guard rest.readableBytes == 0 else { return }
            if let error = heldError.take() { context.fireErrorCaught(error) }
            guard isInputClosed else { return }
            isInputClosed = false
            context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        }

        /// Counts the bytes that wait for a turn or for the rest of their head or trailer, and refuses them above the limit.
        private func account() {
            // The decoder keeps fewer bytes. It drops extensions of chunks, which have no other limit.
            let kept = min(keptBytes, ByteBudget.free)
            guard !reservation.hold(kept + rest.readableBytes), !isOver else { return }
            end()
            guardian.refuseInput()
        }

        /// Drops this and all further input.
        private func end() {
            (rest, keptBytes, isOver) = (ByteBuffer(), 0, true)
            reservation.hold(0)
        }
    }
#endif
