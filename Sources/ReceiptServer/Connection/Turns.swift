#if Server
    import NIOCore
    import NIOPosix
    import SystemLibrary

    /// The connections of one event loop that wait for a poll. After each poll, one of them has its turn.
    ///
    /// An event loop first runs all its tasks, including those that these tasks add. Only a poll gives other connections a
    /// turn, so this handler waits for a byte in a pipe.
    final class Turns: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private var waiting = CircularBuffer<() -> Void>()
        private var channel: (any Channel)?
        private var isAwaited = false

        private init() {}

        /// Creates the turns of an event loop.
        static func make(on eventLoop: any EventLoop) async throws -> NIOLoopBound<Turns> {
            var ends: [CInt] = [0, 0]
            guard unsafe pipe(&ends) == 0 else { throw IOError(errnoCode: errno, reason: "pipe") }
            return try await NIOPipeBootstrap(group: eventLoop)
                .takingOwnershipOfDescriptors(input: ends[0], output: ends[1]) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let turns = Turns()
                        try channel.pipeline.syncOperations.addHandler(turns)
                        return NIOLoopBound(turns, eventLoop: channel.eventLoop)
                    }
                }
        }

        func handlerAdded(context: ChannelHandlerContext) { channel = context.channel }

        func handlerRemoved(context: ChannelHandlerContext) { channel = nil }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            isAwaited = false
            waiting.popFirst()?()
            wake()
        }

        /// Adds a connection's work, which runs after a poll.
        func next(_ work: @escaping () -> Void) {
            waiting.append(work)
            wake()
        }

        private func wake() {
            guard !isAwaited, !waiting.isEmpty else { return }
            isAwaited = true
            channel?.writeAndFlush(ByteBuffer(bytes: [0]), promise: nil)
        }
    }
#endif
